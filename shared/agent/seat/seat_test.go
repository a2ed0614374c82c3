package seat

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
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
	if parent != me || other == "" { // the marks are equal where both began in one tick
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

// The hooks and servers of one client are one agent, whichever comes first; the next client is another agent.
func TestOneAgent(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.find(Client{"claude-code", "a", h.one}, "")
	h.take(Client{"claude-code", "a", h.one}, "claude-1")
	h.take(Client{"claude-code", "", h.one}, "claude-1") // an MCP server
	h.take(Client{"Claude Code", "", h.two}, "claude-2") // another client, whose hook comes next
	h.take(Client{"claude-code", "b", h.two}, "claude-2")
	h.take(Client{"claude-code", "", h.two}, "claude-2")
	h.take(Client{"codex-mcp-client", "", h.two}, "codex-1") // started by another client
	h.find(Client{"codex", "", h.two}, "codex-1")
	h.find(Client{"claude-code", "c", Process{}}, "")
}

// When one process has several conversations, a server belongs to none of them and has a seat of its own.
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

// A number is free again when its conversation or its process ends. A resumed conversation gets it back while it is free.
func TestFreeAgain(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.take(Client{"claude-code", "a", h.one}, "claude-1")
	h.take(Client{"claude-code", "b", h.two}, "claude-2")
	h.end("claude-code", "a")
	h.find(Client{"claude-code", "a", h.one}, "claude-1") // its last calls
	h.end("claude-code", "")                              // not a conversation
	h.take(Client{"claude-code", "a", h.one}, "claude-1") // it is resumed
	h.end("claude-code", "a")
	h.take(Client{"claude-code", "c", h.one}, "claude-1")
	h.find(Client{"claude-code", "a", Process{}}, "")
	h.endTheTwo()
	h.left([]string{"b"}, nil)
	h.take(Client{"claude-code", "d", h.one}, "claude-2")
}

// A client without hooks tells no conversation: its agent has left when no process of a client sits at its seat.
func TestClientsWithoutHooksLeave(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.take(Client{"zed", "", h.one}, "zed-1")
	h.take(Client{"codex", "", h.two}, "codex-1")
	h.left(nil, nil)
	h.endTheTwo()
	h.left(nil, []string{"codex-1"})
	if err := h.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO seats (name, client, host, pid, mark, taken_at) VALUES ('codex-1', 'codex', ?, ?, ?, ?)`, registry.Host(), h.one.PID, h.one.Mark, tx.Stamp())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	h.left(nil, nil)
}

// left compares the conversations and the agents that have left.
func (h *hall) left(conversations, agents []string) {
	h.Helper()
	if err := h.db.Read(h.Context(), func(tx *registry.Tx) error {
		talks, who, err := Left(tx)
		if got := slices.Sorted(maps.Keys(talks)); !slices.Equal(got, conversations) {
			h.Errorf("conversations %v have left, want %v", got, conversations)
		}
		if got := slices.Sorted(maps.Keys(who)); !slices.Equal(got, agents) {
			h.Errorf("agents %v have left, want %v", got, agents)
		}
		return err
	}); err != nil {
		h.Fatal(err)
	}
}

// register makes the row of an agent.
func register(tx *registry.Tx, name string) error {
	_, err := tx.Exec(`INSERT INTO agents (uid, name, name_key, registered_at, last_seen_at) VALUES (?, ?, ?, ?, ?)`, registry.NewID("a-"), name, text.Key(name), tx.Stamp(), tx.Stamp())
	return err
}

// A name is not taken if a person gave it or its agent has work.
func TestTakenNames(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	if err := h.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		return register(tx, "Claude-1")
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

// Starter skips shells.
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

func TestKnownClients(t *testing.T) {
	t.Parallel()
	for c, want := range map[Client]bool{{Name: "claude"}: false, {Conversation: "a"}: true, {Process: Process{PID: 7}}: true} {
		if c.Known() != want {
			t.Errorf("%+v: %t", c, !want)
		}
	}
}

// A seat without a process is held for a day; a seat with a process as long as the process lives. No seat is held after its end.
func TestHeldSeats(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	now := timestamp.Of(time.Now())
	for name, c := range map[string]struct {
		r    row
		want bool
	}{
		"no process":              {row{taken: now}, true},
		"no process, ended":       {row{taken: now, ended: true}, false},
		"no process, a day ago":   {row{taken: timestamp.Of(time.Now().Add(-forgotten))}, false},
		"no process, less":        {row{taken: timestamp.Of(time.Now().Add(time.Minute - forgotten))}, true},
		"its process":             {row{pid: h.one.PID, mark: h.one.Mark}, true},
		"its process, long ago":   {row{pid: h.one.PID, mark: h.one.Mark, taken: timestamp.Of(time.Now().Add(-9 * forgotten))}, true},
		"its process, ended":      {row{pid: h.one.PID, mark: h.one.Mark, ended: true}, false},
		"another of its number":   {row{pid: h.one.PID, mark: "other"}, false},
		"a number without a mark": {row{pid: h.one.PID}, false},
	} {
		if c.r.held() != c.want {
			t.Errorf("%s: %t", name, !c.want)
		}
	}
}

// seats returns the names, conversations and processes in the registry.
func (h *hall) seats() (all []row) {
	h.Helper()
	if err := h.db.Read(h.Context(), func(tx *registry.Tx) (err error) {
		all, err = rows(tx)
		return err
	}); err != nil {
		h.Fatal(err)
	}
	return all
}

// A seat is unchanged when its client comes again, and follows its conversation to another process.
func TestSeatsFollow(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.take(Client{"claude-code", "a", h.one}, "claude-1")
	first := h.seats()[0]
	h.take(Client{"claude-code", "a", h.one}, "claude-1")
	h.take(Client{"Claude Code", "", h.one}, "claude-1")
	if again := h.seats(); len(again) != 1 || again[0] != first {
		t.Errorf("%+v became %+v", first, again)
	}
	h.take(Client{"claude-code", "a", h.two}, "claude-1")
	if moved := h.seats()[0]; moved.pid != h.two.PID || moved.mark != h.two.Mark || moved.conversation != "a" {
		t.Errorf("%+v", moved)
	}
	h.find(Client{"claude-code", "", h.one}, "")
	h.find(Client{"claude-code", "", Process{}}, "")
	h.find(Client{"codex", "a", Process{}}, "") // another client's conversation with that id
	h.end("codex", "a")
	h.find(Client{"claude-code", "", h.two}, "claude-1")
	h.end("claude-code", "a")
	h.find(Client{"claude-code", "", h.two}, "")
}

// Another conversation does not get the name of an agent that has a claim or a worktree; it does get the name of a removed agent.
func TestNamesOfAgentsWithWork(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	write := func(statement string) {
		t.Helper()
		if err := h.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(statement, tx.Stamp())
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	for i, conversation := range []string{"a", "b", "c"} {
		name := []string{"claude-1", "claude-2", "claude-3"}[i]
		h.take(Client{"claude-code", conversation, h.one}, name)
		if err := h.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			return register(tx, name)
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, conversation := range []string{"a", "b", "c"} {
		h.end("claude-code", conversation)
	}
	write(`INSERT INTO projects (id, uid, name, created_at, updated_at) SELECT 9, 'p', 'p', s, s FROM (SELECT ? AS s) AS t`)
	write(`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, description, status, state, priority, holds, created_at, updated_at)
		SELECT 9, 'i', 9, 'task', 'T-9', 't-9', 'x', 'x', 'in_progress', 'active', 2, 0, s, s FROM (SELECT ? AS s) AS t`)
	write(`INSERT INTO leases (item_id, agent_id, epoch, claimed_at) SELECT 9, id, 1, ? FROM agents WHERE name = 'claude-1'`)
	write(`UPDATE agents SET removed_at = ? WHERE name = 'claude-2'`)
	h.take(Client{"claude-code", "d", h.one}, "claude-2")
	h.take(Client{"claude-code", "e", h.two}, "claude-3")
	write(`UPDATE items SET state = 'done', updated_at = ? WHERE id = 9`)
	h.take(Client{"claude-code", "f", h.two}, "claude-1")
}

// A handle, even when cut off, names a conversation by its client and its own id, as long as only one conversation matches.
func TestHandles(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.take(Client{"claude-code", "2F1E3A4B-9c", h.one}, "claude-1")
	h.take(Client{"claude-code", "2f99", h.two}, "claude-2")
	h.take(Client{"codex", "2f", Process{}}, "codex-1")
	h.take(Client{"codex", "7", Process{}}, "codex-2")
	h.take(Client{"codex", "30112233-4", Process{}}, "codex-3")
	h.take(Client{"codex", "30112233-5", Process{}}, "codex-4")
	if err := h.db.Read(t.Context(), func(tx *registry.Tx) error {
		for handle, want := range map[string]string{
			"claude-code-2f1e3a4b-9c": "claude-1", "Claude-Code-2F1E3A4B": "claude-1", "claude-code-2f99": "claude-2", "codex-2f": "codex-1", "codex-30112233-4": "codex-3",
			"claude-code-2f1e3a4": "", "claude-code-2f9": "", "claude-code-": "", "claude-code": "", "claude-1": "", "claude-code-3": "", "codex-2f1": "", "ann": "", "": "",
			"codex-7": "", "codex-3": "", "codex-30": "", "codex-30112233": "", "codex-2": "", // numbers of agents, and the beginning of two ids
		} {
			if got, err := Handled(tx, handle); got != want || err != nil {
				t.Errorf("%q is %q, want %q (%v)", handle, got, want, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, conversation := range []string{"2f", "7", "30112233-4", "30112233-5"} {
		h.end("codex", conversation)
	}
	if err := h.db.Read(t.Context(), func(tx *registry.Tx) error {
		all, err := Handles(tx)
		if len(all) != 2 || all["claude-1"] != "claude-code-2f1e3a4b-9c" || all["claude-2"] != "claude-code-2f99" {
			t.Errorf("the handles are %v", all)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
