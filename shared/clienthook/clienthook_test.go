package clienthook

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/term"
)

func listen(t *testing.T, said string) Event {
	t.Helper()
	s, in, _, _ := term.Test()
	in.WriteString(said)
	return Listen(t.Context(), s, "/here", time.Minute)
}

func TestFiles(t *testing.T) {
	for said, want := range map[string][]string{
		`{"cwd":"/w","tool_name":"Edit","tool_input":{"file_path":"/w/a.go"}}`: {"/w/a.go"},
		`{"cwd":"/w","tool_input":{"file_path":"a/b.go"}}`:                     {"/w/a/b.go"},
		`{"tool_input":{"filePath":"b.go"}}`:                                   {"/here/b.go"},
		`{"tool_input":{"notebook_path":"/n.ipynb"}}`:                          {"/n.ipynb"},
		`{"cwd":"/w","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** Add File: d/b.go\n+z\n*** End Patch\n"}}`: {"/w/a.go", "/w/d/b.go"},
		`{"cwd":"/w","tool_input":{"command":["apply_patch","*** Delete File: c.go\n"]}}`:                                                       {"/w/c.go"},
		`{"tool_input":{"command":"ls"}}`: nil,
		`{"tool_input":"text"}`:           nil,
		`{"tool_input":null}`:             nil,
		`nonsense`:                        nil,
		``:                                nil,
	} {
		if diff := cmp.Diff(want, listen(t, said).Files()); diff != "" {
			t.Errorf("%s: %s", said, diff)
		}
	}
}

func TestAnswer(t *testing.T) {
	for said, want := range map[string]string{
		`{}`: `{"hookSpecificOutput":{"additionalContext":"hi","hookEventName":"PreToolUse"}}`,
		`{"session_id":"s","hook_event_name":"AfterTool"}`: `{"hookSpecificOutput":{"additionalContext":"hi","hookEventName":"AfterTool"}}`,
		`{"conversation_id":"c","workspace_roots":["/w"]}`: `{"additional_context":"hi"}`,
	} {
		got, err := listen(t, said).Answer("PreToolUse", "hi")
		if err != nil || string(got) != want+"\n" {
			t.Errorf("%s: %s, %v", said, got, err)
		}
	}
	if e := listen(t, `{"conversation_id":"c","workspace_roots":["/w"]}`); e.SessionID != "c" || e.Cwd != "/w" {
		t.Errorf("%+v", e)
	}
}

// Listen does not wait for a client that leaves its pipe open.
func TestListenEnds(t *testing.T) {
	s, _, _, _ := term.Test()
	r, w := io.Pipe()
	defer w.Close()
	s.In = r
	if e := Listen(t.Context(), s, "/here", time.Millisecond); e.Cwd != "/here" {
		t.Errorf("%+v", e)
	}
}

func TestWithin(t *testing.T) {
	failure := errors.New("no")
	if err := Within(t.Context(), time.Minute, func(context.Context) error { return failure }); !errors.Is(err, failure) {
		t.Error(err)
	}
	if err := Within(t.Context(), time.Minute, func(context.Context) error { panic("oh") }); err == nil || !strings.Contains(err.Error(), "oh") {
		t.Error(err)
	}
	stuck := make(chan struct{})
	defer close(stuck)
	if err := Within(t.Context(), time.Millisecond, func(context.Context) error { <-stuck; return nil }); err == nil || !strings.Contains(err.Error(), "longer") {
		t.Error(err)
	}
}

// The seat of a conversation is found by its id and its client.
func TestSeatOfAConversation(t *testing.T) {
	if c := listen(t, `{"session_id":"one","cwd":"/w"}`).Seat("claude-code"); c.Name != "claude-code" || c.Conversation != "one" || c.Process != seat.Starter() {
		t.Errorf("%+v", c)
	}
	if e := listen(t, `{}`); e.Seat("claude").Conversation != "" || e.Conversation() != "" {
		t.Errorf("without a conversation: %+v", e.Seat("claude"))
	}
}

// A command commits when it calls git commit, and not when it only mentions it.
func TestCommits(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"git commit -m x": true, "git add . && git commit -qm x": true, "git -C a -c b=c commit": true,
		"git log; echo commit": false, "git status": false, "gitx commit": false, "cat commit | git hash-object": false,
	} {
		e := Parse([]byte(`{"tool_name":"Bash","tool_input":{"command":"` + command + `"}}`))
		if got := e.Commits(); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}
