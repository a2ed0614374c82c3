package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agit-suite/agit/integration/mcpclient"
)

func TestCall(t *testing.T) {
	everywhere(t, func(t *testing.T, c *mcpclient.Client) {
		var out struct{ Text string }
		c.MustCall(t, "probe_echo", map[string]any{"text": "<å> \"q\"\n🙂"}, &out)
		if out.Text != "<å> \"q\"\n🙂" {
			t.Errorf("got %q", out.Text)
		}
		if got := c.InitializeResult().Instructions; !strings.HasPrefix(got, "A server for tests") {
			t.Errorf("instructions %q", got)
		}
	})
}

func TestFaults(t *testing.T) {
	everywhere(t, func(t *testing.T, c *mcpclient.Client) {
		for kind, want := range map[string]mcpclient.Fault{
			"validation": {Kind: "ValidationError", Message: `kind "validation" is not wanted; use another`, Field: "kind"},
			"notfound":   {Kind: "NotFoundError", Message: `repo "myapp" does not exist; see agit repos`, EntityType: "repo", EntityID: "myapp"},
			"conflict":   {Kind: "ConflictError", Message: "claim: task t-1 is already claimed", EntityType: "task", EntityID: "t-1"},
			"provider":   {Kind: "ProviderError", Message: "linear is not reachable", Retryable: true},
			"database":   {Kind: "DatabaseError", Message: "the registry cannot be written", Retryable: true},
			"operation":  {Kind: "OperationError", Message: "it did not work"},
			"panic":      {Kind: "OperationError", Message: "probe_fail failed because of a mistake in the program; the server goes on; its log has the details"},
			"plain":      {Kind: "OperationError", Message: "a plain error"},
		} {
			got := c.MustFail(t, "probe_fail", map[string]any{"kind": kind})
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", kind, diff)
			}
		}
		c.MustFail(t, "probe_echo", map[string]any{})
		c.MustCall(t, "probe_echo", map[string]any{"text": "still here"}, nil)
	})
}

// Trap 3: the last progress notification must not be lost, and they must arrive in order.
func TestProgress(t *testing.T) {
	const steps = 25
	everywhere(t, func(t *testing.T, c *mcpclient.Client) {
		for run := range 20 {
			before := len(c.Progress())
			params := &mcp.CallToolParams{Name: "probe_steps", Arguments: map[string]any{"steps": steps}}
			params.SetProgressToken(fmt.Sprintf("run-%d", run))
			if _, err := c.CallTool(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			got := c.AwaitProgress(t, before+steps)[before:]
			if len(got) != steps {
				t.Fatalf("run %d: %d notifications, want %d", run, len(got), steps)
			}
			for i, p := range got {
				if p.Progress != float64(i+1) || p.ProgressToken != params.GetProgressToken() {
					t.Fatalf("run %d: notification %d is %v", run, i, p)
				}
			}
		}
	})
}

// Concurrent calls of one session keep their own progress.
func TestConcurrentProgress(t *testing.T) {
	everywhere(t, func(t *testing.T, c *mcpclient.Client) {
		var calls sync.WaitGroup
		for i := range 8 {
			calls.Go(func() {
				params := &mcp.CallToolParams{Name: "probe_steps", Arguments: map[string]any{"steps": 10, "pause": 1}}
				params.SetProgressToken(fmt.Sprint(i))
				if _, err := c.CallTool(t.Context(), params); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		count := map[any]int{}
		for _, p := range c.AwaitProgress(t, 8*10) {
			count[p.ProgressToken]++
		}
		for i := range 8 {
			if n := count[fmt.Sprint(i)]; n != 10 {
				t.Errorf("call %d: %d notifications, want 10", i, n)
			}
		}
	})
}

func TestSession(t *testing.T) {
	everywhere(t, func(t *testing.T, c *mcpclient.Client) {
		var who struct{ Agent, Client, Session string }
		c.MustCall(t, "probe_register", map[string]any{"name": "builder-1"}, nil)
		c.MustCall(t, "probe_who", nil, &who)
		if who.Agent != "builder-1" || who.Client != "integration" || who.Session == "" {
			t.Errorf("got %+v", who)
		}
	})
}

func TestSessionsAreApart(t *testing.T) {
	for _, transport := range []string{"http", "sse"} {
		t.Run(transport, func(t *testing.T) {
			s := serve(t, transport)
			connect := mcpclient.HTTP
			if transport == "sse" {
				connect = mcpclient.SSE
			}
			a, b := connect(t, s.URL), connect(t, s.URL)
			a.MustCall(t, "probe_register", map[string]any{"name": "alice"}, nil)
			var who struct{ Agent string }
			b.MustCall(t, "probe_who", nil, &who)
			if who.Agent != "" {
				t.Errorf("the other session is known as %q", who.Agent)
			}
			a.MustCall(t, "probe_who", nil, &who)
			if who.Agent != "alice" {
				t.Errorf("the session forgot its agent: %q", who.Agent)
			}
		})
	}
}

func TestSubscription(t *testing.T) {
	watched := filepath.Join(t.TempDir(), "watched")
	const uri, other = "test://watched-resource", "test://template/seven/data"
	write := func(t *testing.T, text string) {
		t.Helper()
		if err := os.WriteFile(watched, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	everywhere(t, func(t *testing.T, c *mcpclient.Client) {
		subscribe := func(uri string) {
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
		}
		subscribe(uri)
		awaitStream(t, c, watched, uri)
		for i := range 5 {
			write(t, fmt.Sprint(t.Name(), i))
			c.AwaitUpdate(t, uri)
		}
		subscribe(other)
		awaitStream(t, c, watched, other)
		write(t, t.Name()+"template")
		c.AwaitUpdate(t, other)
		for _, u := range []string{uri, other} {
			if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: u}); err != nil {
				t.Fatal(err)
			}
		}
		c.MustCall(t, "probe_echo", map[string]any{"text": "x"}, nil)
	}, "-watch", watched)
}

// awaitStream changes the file until an update arrives: the SDK's Subscribe of
// 2026-07-28 may return before the server has seen it.
func awaitStream(t *testing.T, c *mcpclient.Client, file, uri string) {
	t.Helper()
	for i := range 200 {
		if err := os.WriteFile(file, fmt.Append(nil, t.Name(), "begin", uri, i), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.Updated(uri, 50*time.Millisecond) {
			return
		}
	}
	t.Fatalf("no update of %s arrived", uri)
}

func TestResourcesAndPrompts(t *testing.T) {
	everywhere(t, func(t *testing.T, c *mcpclient.Client) {
		var doc struct{ ID string }
		if err := c.ReadJSON(t.Context(), "test://template/a%20b/data", &doc); err != nil || doc.ID != "a b" {
			t.Errorf("got %+v, %v", doc, err)
		}
		for _, uri := range []string{"test://template/missing/data", "test://nowhere", "test://template/a%00b/data"} {
			if err := c.ReadJSON(t.Context(), uri, &doc); err == nil {
				t.Errorf("%s was read", uri)
			}
		}
		p, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "test_prompt_with_arguments", Arguments: map[string]string{"arg1": "a", "arg2": "b"}})
		if err != nil || len(p.Messages) != 1 {
			t.Errorf("got %v, %v", p, err)
		}
		_, err = c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "test_prompt_with_arguments", Arguments: map[string]string{"arg1": "a"}})
		if err == nil || !strings.Contains(err.Error(), "arg2") {
			t.Errorf("missing argument: %v", err)
		}
		done, err := c.Complete(t.Context(), &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "test://template/{id}/data"},
			Argument: mcp.CompleteParamsArgument{Name: "id", Value: "al"},
		})
		if err != nil || !cmp.Equal(done.Completion.Values, []string{"alpha"}) {
			t.Errorf("got %v, %v", done, err)
		}
	})
}
