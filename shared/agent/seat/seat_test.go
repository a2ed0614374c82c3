package seat

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// hall is a registry in which clients sit down. Two processes live: this one, and a child.
type hall struct {
	*testing.T
	db        *registry.DB
	one, two  Process
	endTheTwo func()
}

func newHall(t *testing.T) *hall {
	t.Helper()
	me := int64(os.Getpid())
	_, _, mark := look(me)
	if mark == "" {
		t.Skip("no process is known here")
	}
	child := exec.Command(os.Args[0], "-test.run=TestChildThatWaits")
	child.Env = append(os.Environ(), "SEAT_WAITS=1")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	end := func() {
		in.Close()
		_ = child.Wait()
	}
	t.Cleanup(end)
	_, parent, other := look(int64(child.Process.Pid))
	if parent != me || other == "" || other == mark {
		t.Fatalf("the child has parent %d and mark %q", parent, other)
	}
	return &hall{T: t, db: registrytest.Open(t), one: Process{me, mark}, two: Process{int64(child.Process.Pid), other}, endTheTwo: end}
}

// TestChildThatWaits is a process for newHall.
func TestChildThatWaits(t *testing.T) {
	if os.Getenv("SEAT_WAITS") == "" {
		t.Skip("run by the other tests")
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
}

func (h *hall) take(c Client, want string) {
	h.Helper()
	if err := h.db.Write(h.Context(), registry.Everything, func(tx *registry.Tx) error {
		got, err := Take(tx, c)
		if got != want {
			h.Errorf("%+v is %q, want %q", c, got, want)
		}
		return err
	}); err != nil {
		h.Fatal(err)
	}
	h.find(c, want)
}

func (h *hall) find(c Client, want string) {
	h.Helper()
	if err := h.db.Read(h.Context(), func(tx *registry.Tx) error {
		got, err := Find(tx, c)
		if got != want {
			h.Errorf("%+v is found as %q, want %q", c, got, want)
		}
		return err
	}); err != nil {
		h.Fatal(err)
	}
}

func (h *hall) end(client, conversation string) {
	h.Helper()
	if err := h.db.Write(h.Context(), registry.Everything, func(tx *registry.Tx) error { return End(tx, client, conversation) }); err != nil {
		h.Fatal(err)
	}
}

// Hooks and servers of one client are one agent, whichever of them comes first; the next client is another.
func TestOneAgent(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.find(Client{"claude-code", "a", h.one}, "")
	h.take(Client{"claude-code", "a", h.one}, "claude-1")
	h.take(Client{"claude-code", "", h.one}, "claude-1") // an MCP server
	h.take(Client{"Claude Code", "", h.two}, "claude-2") // of another client, whose hook comes next
	h.take(Client{"claude-code", "b", h.two}, "claude-2")
	h.take(Client{"claude-code", "", h.two}, "claude-2")
	h.take(Client{"codex-mcp-client", "", h.two}, "codex-1") // which another client started
	h.find(Client{"codex", "", h.two}, "codex-1")
	h.find(Client{"claude-code", "c", Process{}}, "")
}

// Of several conversations in one process servers are none, and have a seat of their own.
func TestSeveralConversations(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.take(Client{"cursor", "a", h.one}, "cursor-1")
	h.take(Client{"cursor", "b", h.one}, "cursor-2")
	h.find(Client{"cursor", "", h.one}, "")
	h.take(Client{"cursor", "", h.one}, "cursor-3")
	h.take(Client{"cursor", "a", h.one}, "cursor-1")
	h.end("cursor", "b")
	h.take(Client{"cursor", "a", h.one}, "cursor-1")
}

// A number is free again when its conversation ends, or its process does; a conversation that is gone on with has it back while it is free.
func TestFreeAgain(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.take(Client{"claude-code", "a", h.one}, "claude-1")
	h.take(Client{"claude-code", "b", h.two}, "claude-2")
	h.end("claude-code", "a")
	h.find(Client{"claude-code", "a", h.one}, "claude-1") // its last calls
	h.end("claude-code", "")                              // is none
	h.take(Client{"claude-code", "a", h.one}, "claude-1") // it is resumed
	h.end("claude-code", "a")
	h.take(Client{"claude-code", "c", h.one}, "claude-1")
	h.find(Client{"claude-code", "a", Process{}}, "")
	h.endTheTwo()
	if err := h.db.Read(t.Context(), func(tx *registry.Tx) error {
		left, err := Left(tx)
		if len(left) != 1 || !left["b"] {
			t.Errorf("left are %v", left)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	h.take(Client{"claude-code", "d", h.one}, "claude-2")
}

// A name that a person gave, or whose agent has work, is not taken.
func TestTakenNames(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	if err := h.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := agent.Register(tx, agent.Registration{Name: "Claude-1"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	h.take(Client{"claude-code", "a", h.one}, "claude-2")
}

func TestShort(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]string{"claude-code": "claude", "Claude Code": "claude", "claude-ai": "claude", "codex-mcp-client": "codex", "gemini-cli-mcp-client": "gemini", "Visual Studio Code": "vscode",
		"claudette": "claudette", "": "client", "\u202e!?": "client", "my client": "my-client"} {
		if got := short(client); got != want {
			t.Errorf("%q is %q, want %q", client, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{"claude-code", "claude", true}, {"integration", "integration-test", true}, {"codex", "claude", false}, {"codexy", "codex", false}} {
		if alike(c.a, c.b) != c.want || alike(c.b, c.a) != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, !c.want)
		}
	}
}

// Shells are passed over on the way to the starter.
func TestStarter(t *testing.T) {
	t.Parallel()
	p := Starter()
	if p.PID == 0 {
		t.Skip("no process is known here")
	}
	if name, _, _ := look(p.PID); slices.Contains(shells, name) || !p.alive() || (Process{p.PID, p.Mark + "0"}).alive() {
		t.Errorf("%q %+v", name, p)
	}
}

func TestWord(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]string{
		"Visual Studio Code":    "visual-studio-code",
		"claude-code":           "claude-code",
		"a\n\x00b":              "a-b",
		"":                      "client",
		"\u202e!?":              "client",
		"Zoë 2.0":               "zoë-2.0",
		strings.Repeat("é", 99): strings.Repeat("é", 20),
	} {
		if got := Word(client); got != want {
			t.Errorf("Word(%q) = %q, want %q", client, got, want)
		}
	}
}
