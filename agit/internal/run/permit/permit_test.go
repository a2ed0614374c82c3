package permit

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/run/acp"
)

// client is a client that sends requests through the server.
type client struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Reader
	ended chan error
}

func start(t *testing.T, setting string) *client {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{t, toServer, bufio.NewReader(fromServer), make(chan error, 1)}
	go func() {
		c.ended <- Serve(t.Context(), in, out, setting)
		out.Close()
	}()
	return c
}

// call sends a request and returns its result.
func (c *client) call(id int, method string, params any) map[string]any {
	c.t.Helper()
	line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if _, err := fmt.Fprintf(c.in, "%s\n", line); err != nil {
		c.t.Fatal(err)
	}
	var answer struct {
		ID     int
		Result map[string]any
	}
	got, err := c.lines.ReadBytes('\n')
	if err != nil || json.Unmarshal(got, &answer) != nil || answer.ID != id {
		c.t.Fatalf("%s answers %s, %v", method, got, err)
	}
	return answer.Result
}

// ask asks whether a tool may be called, and returns the answer.
func (c *client) ask(id int, tool string, input map[string]any) (answer map[string]any) {
	c.t.Helper()
	result := c.call(id, "tools/call", map[string]any{"name": Tool, "arguments": map[string]any{"tool_name": tool, "input": input, "tool_use_id": "x"}})
	content, _ := result["content"].([]any)
	block, _ := content[0].(map[string]any)
	if err := json.Unmarshal([]byte(block["text"].(string)), &answer); err != nil {
		c.t.Fatal(err)
	}
	return answer
}

// A client sends a request through the tool, the worker decides in terms of the protocol, and the answer has Claude Code's format.
func TestAsk(t *testing.T) {
	t.Parallel()
	var asked []acp.Request
	desk, err := Listen(func(_ context.Context, r acp.Request) acp.Decision {
		asked = append(asked, r)
		return acp.Decision{Allow: r.Command == "make", Why: "the rule x"}
	})
	if err != nil {
		t.Fatal(err)
	}
	_, setting, _ := strings.Cut(desk.Setting(), "=")
	c := start(t, setting)
	if hello := c.call(1, "initialize", map[string]any{"protocolVersion": "2025-06-18"}); hello["protocolVersion"] != "2025-06-18" {
		t.Errorf("it greets with %v", hello)
	}
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\nno message\n"); err != nil {
		t.Fatal(err)
	}
	tools, _ := c.call(2, "tools/list", nil)["tools"].([]any)
	if tool, _ := tools[0].(map[string]any); len(tools) != 1 || tool["name"] != Tool {
		t.Errorf("it offers %v", tools)
	}
	if d := cmp.Diff(map[string]any{"behavior": "allow", "updatedInput": map[string]any{"command": "make"}}, c.ask(3, "Bash", map[string]any{"command": "make"})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]any{"behavior": "deny", "message": "Not allowed: the rule x"}, c.ask(4, "Edit", map[string]any{"file_path": "/etc/hosts"})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]acp.Request{{Kind: "execute", Title: "Bash", Command: "make", Tool: "Bash"}, {Kind: "edit", Title: "Edit", Paths: []string{"/etc/hosts"}, Tool: "Edit"}}, asked); d != "" {
		t.Error(d)
	}
	desk.Close()
	if gone := c.ask(5, "Bash", map[string]any{"command": "make"}); gone["behavior"] != "deny" {
		t.Errorf("a worker that is gone allows: %v", gone)
	}
	c.in.Close()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// A client without the secret gets no answer, and a client that stops waiting ends the request.
func TestWhoIsHeard(t *testing.T) {
	t.Parallel()
	began, ended := make(chan bool), make(chan bool)
	desk, err := Listen(func(ctx context.Context, _ acp.Request) acp.Decision {
		close(began)
		<-ctx.Done()
		close(ended)
		return acp.Decision{Allow: true}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer desk.Close()
	address, _, _ := strings.Cut(strings.TrimPrefix(desk.Setting(), Variable+"="), " ")
	if a := ask(t.Context(), address, "guessed", asked{Tool: "Bash"}); a.Allow {
		t.Error("a guessed word is heard")
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(conn).Encode(question{Word: desk.word, Tool: "Bash"}); err != nil {
		t.Fatal(err)
	}
	<-began
	conn.Close()
	<-ended
	if err := Serve(t.Context(), strings.NewReader(""), io.Discard, ""); err == nil {
		t.Error("it runs without a worker")
	}
}

// The names of Claude Code's tools map to the protocol's kinds.
func TestToolRequest(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]acp.Request{
		"Bash":              {Kind: "execute", Title: "Bash", Tool: "Bash"},
		"WebFetch":          {Kind: "fetch", Title: "WebFetch", Tool: "WebFetch", URL: "https://a.example/x"},
		"mcp__github__list": {Kind: "other", Title: "mcp__github__list", Tool: "mcp__github__list"},
		"Grep":              {Kind: "search", Title: "Grep", Tool: "Grep", Paths: []string{"/w/a"}},
		"NotebookEdit":      {Kind: "edit", Title: "NotebookEdit", Tool: "NotebookEdit", Paths: []string{"/w/n"}},
	} {
		input := map[string]json.RawMessage{"WebFetch": json.RawMessage(`{"url":"https://a.example/x"}`), "Grep": json.RawMessage(`{"path":"/w/a"}`), "NotebookEdit": json.RawMessage(`{"notebook_path":"/w/n"}`)}[tool]
		if d := cmp.Diff(want, acp.ToolRequest(tool, input)); d != "" {
			t.Errorf("%s: %s", tool, d)
		}
	}
}
