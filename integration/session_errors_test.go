package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// connectMemoryd is a client of memoryd over a transport, in the repository.
func (h *home) connectMemoryd(transport string, environ ...string) *mcpclient.Client {
	h.t.Helper()
	if transport == "stdio" {
		c, _ := h.server(environ...)
		return c
	}
	cmd := h.command(context.Background(), "memoryd", "serve", "--transport", transport, "--port", "0")
	cmd.Env = append(cmd.Env, environ...)
	url := mcpclient.Start(h.t, cmd).URL
	if transport == "sse" {
		return mcpclient.SSE(h.t, url)
	}
	return mcpclient.HTTP(h.t, url)
}

// Invalid input of any of memoryd's tools is a ValidationError that names the parameter, and nothing is stored.
func TestMemorydMalformedInput(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"stdio", "http", "sse"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			c := h.connectMemoryd(transport)
			var d startedDoc
			c.MustCall(t, "session_start", args{"project_path": h.repo, "agent": "ann"}, &d)
			dump := func() string {
				return h.ok("memoryd", "session", "list", "--json", "--jq", "del(.sessions[].last_event_at, .sessions[].duration_seconds)") +
					h.ok("memoryd", "recall", "--json") + h.ok("agit", "agents", "--json", "--jq", "[.agents[].name]")
			}
			before := dump()
			refuseMalformed(t, c)
			for _, tc := range []struct {
				tool  string
				in    args
				field string
			}{
				{"session_start", args{"project_path": strings.Repeat("x", 10_000)}, "project_path"},
				{"session_start", args{"agent": "two\nlines"}, "agent"},
				{"session_start", args{"budget": 5}, "budget"},
				{"session_start", args{"project_path": "/no/such/folder"}, "project_path"},
				{"session_note", args{"session_id": d.ID, "event_type": "note", "content": " \n "}, "content"},
				{"session_note", args{"session_id": d.ID, "event_type": "note", "content": strings.Repeat("x", 70_000)}, "content"},
				{"session_note", args{"session_id": d.ID, "event_type": "note", "content": "x", "context": args{"files": strings.Repeat("x", 70_000)}}, "context"},
				{"session_note", args{"session_id": "two\nlines", "event_type": "note", "content": "x"}, "session_id"},
				{"session_end", args{"session_id": d.ID, "summary": strings.Repeat("x", 70_000)}, "summary"},
				{"get_session_context", args{"session_id": d.ID, "events_limit": 1001}, "events_limit"},
				{"list_sessions", args{"limit": 201}, "limit"},
				{"list_sessions", args{"offset": -1}, "offset"},
			} {
				if f := c.MustFail(t, tc.tool, tc.in); f.Kind != "ValidationError" || f.Field != tc.field || len(f.Message) > 1000 {
					t.Errorf("%s with a bad %q: %+.500v", tc.tool, tc.field, f)
				}
			}
			if after := dump(); after != before {
				t.Errorf("something was stored:\n%s\nbefore:\n%s", after, before)
			}
			c.MustCall(t, "get_session_context", args{"session_id": d.ID}, nil)
		})
	}
}

func TestMemorydErrorKinds(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.connectMemoryd("stdio")
	var open, ended startedDoc
	c.MustCall(t, "session_start", args{"agent": "ann"}, &open)
	c.MustCall(t, "session_start", args{"agent": "bob"}, &ended)
	c.MustCall(t, "session_end", args{"session_id": ended.ID}, nil)
	for _, tc := range []struct {
		tool   string
		in     args
		kind   string
		entity string
		says   string
	}{
		{"session_start", args{"project_path": "nowhere"}, "NotFoundError", "project", "nowhere"},
		{"session_start", args{"external_item_id": "none"}, "NotFoundError", "item", "none"},
		{"session_start", args{"agent": "a-0123456789"}, "NotFoundError", "agent", "does not exist"},
		{"session_note", args{"session_id": "s-0", "event_type": "note", "content": "x"}, "NotFoundError", "session", "list_sessions"},
		{"session_note", args{"session_id": ended.ID, "event_type": "note", "content": "x"}, "ConflictError", "session", "start a new session"},
		{"session_end", args{"session_id": "s-0"}, "NotFoundError", "session", "list_sessions"},
		{"session_end", args{"session_id": ended.ID}, "ConflictError", "session", "ended already"},
		{"get_session_context", args{"session_id": "s-0"}, "NotFoundError", "session", "list_sessions"},
		{"list_sessions", args{"project_path": "nowhere"}, "NotFoundError", "project", "nowhere"},
		{"list_sessions", args{"external_item_id": "none"}, "NotFoundError", "item", "none"},
	} {
		f := c.MustFail(t, tc.tool, tc.in)
		if f.Kind != tc.kind || f.EntityType != tc.entity || !strings.Contains(f.Message, tc.says) || strings.Contains(f.Message, "goroutine") || strings.Contains(f.Message, "`memoryd") {
			t.Errorf("%s%v: %+v, want %s of a %q that says %q", tc.tool, tc.in, f, tc.kind, tc.entity, tc.says)
		}
	}
	over := h.connectMemoryd("http")
	if f := over.MustFail(t, "session_start", args{"agent": "ann"}); f.Kind != "ValidationError" || f.Field != "project_path" {
		t.Errorf("over HTTP without a project: %+v", f)
	}
}

// Over HTTP a project is set once and applies to the client's session.
func TestMemorydProjectOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, transport := range []string{"http", "sse"} {
		c := h.connectMemoryd(transport)
		var d, again startedDoc
		c.MustCall(t, "session_start", args{"project_path": h.repo, "agent": transport}, &d)
		c.MustCall(t, "session_start", args{}, &again)
		if again.ID != d.ID || again.BookedOn != d.BookedOn || d.BookedOn.Agent != transport {
			t.Errorf("%s: %+v, then %+v", transport, d, again)
		}
		var list struct{ Total int }
		c.MustCall(t, "list_sessions", args{}, &list)
		if list.Total == 0 {
			t.Errorf("%s: no session is listed", transport)
		}
	}
}

// At its size limit the registry refuses notes, and loses nothing.
func TestMemorydAtTheSizeLimit(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.connectMemoryd("stdio", "AGIT_CFG_MAX_DATABASE_SIZE=1MB")
	var d startedDoc
	c.MustCall(t, "session_start", args{"agent": "ann"}, &d)
	text, stored := strings.Repeat("x", 60_000), 0
	for ; stored < 100; stored++ {
		if c.CallJSON(t.Context(), "session_note", args{"session_id": d.ID, "event_type": "note", "content": fmt.Sprint(stored, text)}, nil) != nil {
			break
		}
	}
	f := c.MustFail(t, "session_note", args{"session_id": d.ID, "event_type": "note", "content": text})
	if f.Kind != "DatabaseError" || !strings.Contains(f.Message, "max_database_size") {
		t.Errorf("got %+v", f)
	}
	if got := h.sessionContext(d.ID); len(got.Events) != stored || stored == 0 {
		t.Errorf("%d of %d notes are there", len(got.Events), stored)
	}
}

// The further offers to a client: sessions as resources, with notifications of changes, and the prompt to continue one.
func TestMemorydResources(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.connectMemoryd("stdio")
	var d startedDoc
	c.MustCall(t, "session_start", args{"agent": "ann"}, &d)
	uri := "memoryd://sessions/" + d.ID
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	h.ok("memoryd", "session", "note", "--session", d.ID, "from the command line")
	c.AwaitUpdate(t, uri)
	var got contextDoc
	if err := c.ReadJSON(t.Context(), uri, &got); err != nil || len(got.Events) != 1 || got.Events[0].Content != "from the command line" {
		t.Errorf("got %+v, %v", got, err)
	}
	var list struct{ Total int }
	if err := c.ReadJSON(t.Context(), "memoryd://projects/"+d.BookedOn.Project+"/sessions", &list); err != nil || list.Total != 1 {
		t.Errorf("got %+v, %v", list, err)
	}
	if err := c.ReadJSON(t.Context(), "memoryd://sessions/s-0", nil); err == nil || !strings.Contains(err.Error(), "s-0") {
		t.Errorf("a session that is not there: %v", err)
	}
	prompt, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "go_on", Arguments: map[string]string{"session_id": d.ID}})
	if err != nil || len(prompt.Messages) != 1 {
		t.Fatalf("got %+v, %v", prompt, err)
	}
}
