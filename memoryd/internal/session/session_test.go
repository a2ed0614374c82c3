package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Each agent has one open session in a project; without an agent each folder.
func TestOneOpenSessionPerLane(t *testing.T) {
	w := newWorld(t)
	ann, bob, nobody := w.start(w.at("ann")), w.start(w.at("bob")), w.start(w.at(""))
	if !ann.New || !bob.New || !nobody.New || ann.ID == bob.ID || bob.ID == nobody.ID || ann.ID == nobody.ID {
		t.Fatalf("three lanes: %+v %+v %+v", ann, bob, nobody)
	}
	if ann.BookedOn.Agent != "ann" || ann.BookedOn.Project != ann.Project.UID || nobody.BookedOn.Agent != "" {
		t.Errorf("booked on %+v and %+v", ann.BookedOn, nobody.BookedOn)
	}
	for lane, first := range map[string]Started{"ANN": ann, "bob": bob, "": nobody} {
		if again := w.start(w.at(lane)); again.New || again.ID != first.ID {
			t.Errorf("%q again: %+v, first %s", lane, again, first.ID)
		}
	}
	tree := w.repo.Worktree("side")
	in := w.at("")
	in.Folder = tree.Dir
	if side := w.start(in); !side.New || side.Project.UID != nobody.Project.UID {
		t.Errorf("another worktree: %+v", side)
	}
	w.end(ann.ID)
	if next := w.start(w.at("ann")); !next.New || next.ID == ann.ID {
		t.Errorf("after the end: %+v", next)
	}
}

// Starts of one agent at once are one session.
func TestStartsAtOnceAreOneSession(t *testing.T) {
	w := newWorld(t)
	ids := make([]string, 8)
	var running sync.WaitGroup
	for i := range ids {
		running.Go(func() {
			d, err := w.Start(t.Context(), w.at("ann"))
			if err != nil {
				t.Error(err)
			}
			ids[i] = d.ID
		})
	}
	running.Wait()
	if slices.Sort(ids); ids[0] == "" || len(slices.Compact(ids)) != 1 {
		t.Errorf("sessions %q", ids)
	}
}

// A session whose server ended, in whatever way, was interrupted, and the next session of the agent resumes it with its notes.
func TestInterruptedSessionsAreResumed(t *testing.T) {
	w := newWorld(t)
	task := w.item("T-1", "make it fast")
	server, end := w.server()
	in := w.at("ann")
	in.Item = "t-1"
	first := w.startOn(server, in)
	w.note(first.ID, Decision, "high", "measure before changing anything")
	w.note(first.ID, Progress, "low", "read the profiler's output")
	w.repo.Write("b.txt", "b\n")
	w.repo.Commit("add b", "b.txt")

	if alive := w.start(w.at("bob")); len(alive.Warnings) != 0 {
		t.Errorf("while the server is there: %v", alive.Warnings)
	}
	end()
	bob := w.start(w.at("bob"))
	if len(bob.Warnings) != 1 || !strings.Contains(bob.Warnings[0], first.ID) || !strings.Contains(bob.Warnings[0], "interrupted") {
		t.Errorf("after its end: %v", bob.Warnings)
	}
	if got := w.context(first.ID); got.Session.Status != Interrupted || got.Session.Summary == "" || got.Session.Memories != 1 {
		t.Errorf("the session is %+v", got.Session)
	}

	in = w.at("ann")
	in.ResumeLast = true
	second := w.start(in)
	switch b := second.Before; {
	case !second.New || second.Parent != first.ID || b == nil:
		t.Fatalf("got %+v", second)
	case second.Item == nil || second.Item.ID != task.Ref:
		t.Errorf("the item is lost: %+v", second.Item)
	case len(b.Events) != 2 || b.Events[0].Content != "measure before changing anything" || b.Status != Interrupted || b.Agent != "ann":
		t.Errorf("resumed from %+v", b)
	case len(b.Commits) != 1 || b.Commits[0].Subject != "add b" || !slices.Equal(b.Files, []string{"b.txt"}):
		t.Errorf("work of the session before: %+v", b)
	case len(second.Memory) == 0:
		t.Error("its decision is not among the memories")
	}

	// It cannot be resumed twice, nor ended any more.
	in = w.at("cid")
	in.Resume = first.ID
	_, err := w.Start(t.Context(), in)
	refused(t, err, fault.KindConflict, second.ID)
	_, err = w.End(t.Context(), End{ID: first.ID})
	refused(t, err, fault.KindConflict, second.ID)
	in = w.at("dan")
	in.ResumeLast = true
	if fresh := w.start(in); fresh.Parent != "" || len(fresh.Warnings) == 0 {
		t.Errorf("with nothing left to resume: %+v", fresh)
	}
	in = w.at("eve")
	in.ResumeLast, in.Must = true, true
	_, err = w.Start(t.Context(), in)
	refused(t, err, fault.KindNotFound, "no session was interrupted")
}

// Listing sessions, or showing one, reports an interruption even before another session starts.
func TestAnInterruptionIsSeenAtOnce(t *testing.T) {
	w := newWorld(t)
	for name, look := range map[string]func(id string) string{
		"list": func(string) string {
			l, err := w.List(t.Context(), Filter{Place: w.at("").Place, Status: Interrupted})
			if err != nil || len(l.Sessions) == 0 {
				t.Fatalf("%+v, %v", l, err)
			}
			return l.Sessions[0].Status
		},
		"context": func(id string) string { return w.context(id).Session.Status },
	} {
		server, end := w.server()
		x := w.startOn(server, w.at("agent of "+name))
		if got := w.context(x.ID).Session.Status; got != Active {
			t.Errorf("%s: while the server is there: %s", name, got)
		}
		end()
		if got := look(x.ID); got != Interrupted {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// When a server stops, it marks the sessions that it held open.
func TestAServerThatStops(t *testing.T) {
	w := newWorld(t)
	server, _ := w.server()
	mine, theirs := w.startOn(server, w.at("ann")), w.start(w.at("bob"))
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.context(mine.ID).Session.Status; got != Interrupted {
		t.Errorf("its session is %s", got)
	}
	if got := w.context(theirs.ID).Session.Status; got != Active {
		t.Errorf("the other session is %s", got)
	}
}

// The server of a client without a name takes over the session that the client's own hook opened, and no other.
func TestAServerTakesOverItsHooksSession(t *testing.T) {
	w := newWorld(t)
	hook := w.at("claude-code-1234")
	hook.Made, hook.Client = true, "conversation"
	opened := w.start(hook)
	person := w.start(w.at(""))
	server, end := w.server()
	in := w.at("claude-code-5678")
	in.Made = true
	if got := w.startOn(server, in); got.New || got.ID != opened.ID || got.BookedOn.Agent != "claude-code-1234" {
		t.Errorf("got %+v", got)
	}
	other, _ := w.server()
	in.Agent = "claude-code-9abc"
	if got := w.startOn(other, in); !got.New || got.ID == person.ID {
		t.Errorf("a second client: %+v", got)
	}
	if x, err := w.OfClient(t.Context(), Who{Client: "conversation"}); err != nil || x.ID != opened.ID {
		t.Errorf("of the client: %+v, %v", x, err)
	}
	named := w.at("ann")
	ann := w.start(named)
	named.Client = "another conversation" // a hook of a named agent joins its open session
	w.start(named)
	if x, err := w.OfClient(t.Context(), Who{Client: "another conversation"}); err != nil || x.ID != ann.ID {
		t.Errorf("of a named agent's client: %+v, %v", x, err)
	}
	end()
	if _, err := w.OfClient(t.Context(), Who{Client: "nobody"}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestSilentSessionsAreAbandoned(t *testing.T) {
	w := newWorld(t)
	old, young := w.start(w.at("ann")), w.start(w.at("bob"))
	w.note(old.ID, Blocker, "high", "the disk of the build machine is full")
	w.silent(old.ID, 25*time.Hour)
	w.silent(young.ID, 23*time.Hour)
	next := w.start(w.at("cid")) // the sweep covers all projects
	if len(next.Warnings) != 1 || !strings.Contains(next.Warnings[0], old.ID+" of ann was silent for 25 hours and is closed as abandoned") {
		t.Errorf("warnings %q", next.Warnings)
	}
	got := w.context(old.ID)
	if got.Session.Status != Abandoned || got.Session.EndedAt == nil || !got.Session.EndedAt.Equal(got.Session.LastEvent.Time) || got.Session.Memories != 1 {
		t.Errorf("the session is %+v", got.Session)
	}
	if got := w.context(young.ID).Session.Status; got != Active {
		t.Errorf("the other is %s", got)
	}
	_, err := w.Note(t.Context(), old.ID, NewEvent{Type: Note, Content: "late"})
	refused(t, err, fault.KindConflict, "abandoned")
	w.cfg.Session.WarnOnUnendedSession = false
	if quiet := w.start(w.at("dan")); len(quiet.Warnings) != 0 {
		t.Errorf("with the warning off: %q", quiet.Warnings)
	}
	if e := w.end(old.ID); e.Status != Completed || e.Memories != 0 || e.Known != 1 {
		t.Errorf("an abandoned session that is ended after all: %+v", e)
	}
}

// Important events, and decisions from medium, become memories once.
func TestWhatMattersBecomesMemory(t *testing.T) {
	w := newWorld(t)
	type made struct{ kind, key string }
	for _, tc := range []struct {
		event, importance string
		want              string // type of the memory, "" for none
	}{
		{Decision, "low", ""}, {Decision, "medium", "decision"}, {Decision, "high", "decision"},
		{Discovery, "medium", ""}, {Discovery, "high", "architecture"},
		{Blocker, "medium", ""}, {Blocker, "high", "warning"},
		{Error, "medium", ""}, {Error, "high", "warning"},
		{Progress, "medium", ""}, {Progress, "high", "pattern"},
		{Note, "low", ""}, {Note, "high", "pattern"},
	} {
		t.Run(tc.event+" "+tc.importance, func(t *testing.T) {
			w := newWorld(t)
			content := "Parse dates with the zone of the server, never the browser"
			x := w.start(w.at("ann"))
			w.note(x.ID, tc.event, tc.importance, content)
			e := w.end(x.ID)
			want := 0
			if tc.want != "" {
				want = 1
			}
			if e.Memories != want || e.Events != 1 || len(e.MemoryIDs) != want {
				t.Fatalf("ended with %+v", e)
			}
			var got []made
			w.write(func(tx *registry.Tx) (err error) {
				got, err = registry.Collect(tx, func(row registry.Scanner) (m made, err error) { return m, row.Scan(&m.kind, &m.key) }, `SELECT type, key FROM memories`)
				return err
			})
			if want == 1 && (len(got) != 1 || got[0].kind != tc.want || !strings.HasPrefix(got[0].key, "parse-dates")) {
				t.Errorf("memories %+v", got)
			}
		})
	}
	first := w.start(w.at("ann"))
	w.note(first.ID, Decision, "high", "Use one transaction for the whole import")
	w.end(first.ID)
	second := w.start(w.at("ann"))
	w.note(second.ID, Decision, "high", "Use one transaction for the whole import")
	w.note(second.ID, Decision, "high", "The cache is invalidated by version, not by time")
	if e := w.end(second.ID); e.Memories != 1 || e.Known != 1 {
		t.Errorf("what is known is stored again: %+v", e)
	}
}

func TestSummaries(t *testing.T) {
	w := newWorld(t)
	x := w.start(w.at("ann"))
	if e := w.end(x.ID); e.Summary != "" || e.Outcome != "success" || e.Status != Completed {
		t.Errorf("without events: %+v", e)
	}
	x = w.start(w.at("ann"))
	w.note(x.ID, Progress, "low", "wrote the parser\nand more lines")
	w.note(x.ID, Blocker, "high", "the fixture is missing")
	e, err := w.End(t.Context(), End{ID: x.ID, Outcome: "blocked", Notes: "waits for the fixture"})
	if err != nil || e.Summary != "1 step, 1 blocker in 0 min.\nBlockers: the fixture is missing.\nDone: wrote the parser…." || e.Outcome != "blocked" {
		t.Errorf("made: %+v, %v", e, err)
	}
	next := w.start(w.at("ann"))
	if next.Last == nil || *next.Last != e.Summary || next.LastID != x.ID {
		t.Errorf("the next start is told %v of %s", next.Last, next.LastID)
	}
	w.note(next.ID, Note, "low", "x")
	given, err := w.End(t.Context(), End{ID: next.ID, Summary: "  all done \n"})
	if err != nil || given.Summary != "all done" {
		t.Errorf("given: %+v, %v", given, err)
	}
	w.cfg.Session.AutoGenerateSummary = false
	x = w.start(w.at("ann"))
	w.note(x.ID, Note, "low", "x")
	if e := w.end(x.ID); e.Summary != "" {
		t.Errorf("with summaries off: %q", e.Summary)
	}
	long := make([]Event, 500)
	for i := range long {
		long[i] = Event{Type: EventTypes()[i%6], weight: 1 + i%3, Content: strings.Repeat("word ", 60), StandsFor: 0}
	}
	if s := summarise(Session{}, long, Work{}, time.Time{}); len(s) > summaryLimit {
		t.Errorf("a summary of %d bytes", len(s))
	}
}

// Beyond the limit unimportant events are replaced by a summary; important and new ones stay.
func TestCompaction(t *testing.T) {
	w := newWorld(t)
	w.cfg.Session.MaxEventsBeforeCompaction = 300
	x := w.start(w.at("ann"))
	w.note(x.ID, Decision, "medium", "keep the old format readable")
	w.note(x.ID, Discovery, "high", "the index is rebuilt at every start")
	w.note(x.ID, Blocker, "medium", "the mirror was down for an hour")
	for i := range 298 {
		w.note(x.ID, Progress, "low", fmt.Sprintf("step %d", i))
	}
	c, err := w.Context(t.Context(), ContextQuery{ID: x.ID, Limit: MaxEvents, Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Events) >= 300 || c.Session.Events != 301 || c.Earlier != 0 {
		t.Fatalf("%d events are left of %d, %d earlier", len(c.Events), c.Session.Events, c.Earlier)
	}
	kinds := map[string]int{}
	for _, e := range c.Events {
		kinds[e.Type]++
		if e.Type == Summary && (e.StandsFor != 199 || !strings.Contains(e.Content, "mirror was down") || len(e.Content) > compactedLimit) {
			t.Errorf("the summary: %+v", e)
		}
	}
	if kinds[Summary] != 1 || kinds[Decision] != 1 || kinds[Discovery] != 1 || kinds[Progress] != 100 {
		t.Errorf("left are %v", kinds)
	}
	if last := c.Events[len(c.Events)-1]; last.Content != "step 297" {
		t.Errorf("the last event is %+v", last)
	}
	if e := w.end(x.ID); e.Memories != 2 || e.Events != 301 {
		t.Errorf("ended with %+v", e)
	}
}

func TestFilesAndCommitsComeFromGit(t *testing.T) {
	w := newWorld(t)
	w.repo.Write("dirty.txt", "before the session\n")
	w.repo.Write("gone.txt", "x\n")
	w.repo.Commit("second", "gone.txt")
	<-time.After(2 * slack)
	x := w.start(w.at("ann"))
	w.repo.Write("sub/new file.txt", "made and committed\n")
	oid := w.repo.Commit("add a file", "sub/new file.txt")
	w.repo.Write("a.txt", "changed and left so\n")
	w.repo.Write("untracked.txt", "u\n")
	w.repo.Remove("gone.txt")
	want := []string{"a.txt", "gone.txt", "sub/new file.txt", "untracked.txt"}
	c := w.context(x.ID)
	if !slices.Equal(c.Files, want) || len(c.Commits) != 1 || c.Commits[0] != (Commit{oid, "add a file"}) {
		t.Errorf("in the middle: %+v", c.Work)
	}
	if e := w.end(x.ID); e.FileCount != 4 || e.CommitCount != 1 {
		t.Errorf("at the end: %+v", e)
	}
	w.repo.Write("later.txt", "after the session\n")
	if c := w.context(x.ID); !slices.Equal(c.Files, want) || len(c.Commits) != 1 {
		t.Errorf("afterwards: %+v", c.Work)
	}
}

// A session that was started elsewhere did what its agent did since then in the item's worktree.
func TestWorkIsFoundInTheItemsWorktree(t *testing.T) {
	w := newWorld(t)
	item := w.item("T-1", "of the worktree")
	w.worktree(item)
	w.claim("ann", item)
	tree := w.repo.Worktree("b")
	w.write(func(tx *registry.Tx) error {
		return tx.Do(`UPDATE worktrees SET path = ?, agent_id = (SELECT id FROM agents WHERE name = 'ann')`, treeAt(tree.Dir).root)
	})
	t.Setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
	tree.Commit("made before", "before.txt", "b\n")
	t.Setenv("GIT_COMMITTER_DATE", "")
	ann, other := w.start(w.at("ann")), w.at("bob")
	other.Item = "T-1"
	bob := w.start(other)
	oid := tree.Commit("made since", "since.txt", "s\n")
	tree.Write("untracked.txt", "u\n")
	if c := w.context(ann.ID); !slices.Equal(c.Files, []string{"since.txt", "untracked.txt"}) || !slices.Equal(c.Commits, []Commit{{oid, "made since"}}) {
		t.Errorf("of ann: %+v", c.Work)
	}
	if e := w.end(ann.ID); e.FileCount != 2 || e.CommitCount != 1 || !strings.Contains(e.Summary, "made since") {
		t.Errorf("ann ended with %+v", e)
	}
	if e := w.end(bob.ID); e.FileCount != 0 || e.CommitCount != 0 {
		t.Errorf("bob, who has no worktree, ended with %+v", e)
	}
}

// The calls of pmsync for an agent at the end of its session do not make it one at work.
func TestReportsLeaveTheAgentIdle(t *testing.T) {
	w := newWorld(t)
	item := w.item("T-1", "to verify")
	in := w.at("ann")
	in.Item = item.Ref
	x := w.start(in)
	w.write(func(tx *registry.Tx) error { return agent.Idle(tx, `name = ?`, "ann") })
	w.Run = func(context.Context, sibling.Call, any) error {
		w.write(func(tx *registry.Tx) error { _, err := agent.Heartbeat(tx, "ann"); return err })
		return nil
	}
	if _, err := w.End(t.Context(), End{ID: x.ID, Verified: []string{"T-1#1"}}); err != nil {
		t.Fatal(err)
	}
	w.write(func(tx *registry.Tx) error {
		if a, err := agent.Get(tx, "ann"); err != nil || a.Status != agent.StatusIdle {
			t.Errorf("%+v, %v", a, err)
		}
		return nil
	})
}

func TestWhatIsRefused(t *testing.T) {
	w := newWorld(t)
	x := w.start(w.at("ann"))
	for _, tc := range []struct {
		n    NewEvent
		says string
	}{
		{NewEvent{Type: "thought", Content: "x"}, "not a type of event"},
		{NewEvent{Type: Summary, Content: "x"}, "not a type of event"},
		{NewEvent{Type: Note, Content: " \n"}, "no content"},
		{NewEvent{Type: Note, Content: "x", Importance: "urgent"}, "not an importance"},
		{NewEvent{Type: Note, Content: strings.Repeat("x", text.MaxBody+1)}, "limit"},
		{NewEvent{Type: Note, Content: "x", Context: map[string]any{"files": strings.Repeat("x", text.MaxBody)}}, "limit"},
	} {
		_, err := w.Note(t.Context(), x.ID, tc.n)
		refused(t, err, fault.KindValidation, tc.says)
	}
	_, err := w.Note(t.Context(), "s-0000000000", NewEvent{Type: Note, Content: "x"})
	refused(t, err, fault.KindNotFound, "s-0000000000")
	_, err = w.End(t.Context(), End{ID: x.ID, Outcome: "fine"})
	refused(t, err, fault.KindValidation, "not an outcome")
	_, err = w.List(t.Context(), Filter{Status: "open"})
	refused(t, err, fault.KindValidation, "not a status")
	in := w.at("ann")
	in.Item = "nothing"
	_, err = w.Start(t.Context(), in)
	refused(t, err, fault.KindNotFound, "nothing")
	in = w.at("ann")
	in.Budget = 10
	_, err = w.Start(t.Context(), in)
	refused(t, err, fault.KindValidation, "budget")
	in = w.at("bob")
	in.Resume = x.ID
	_, err = w.Start(t.Context(), in)
	refused(t, err, fault.KindConflict, "still open")
	w.end(x.ID)
	_, err = w.End(t.Context(), End{ID: x.ID})
	refused(t, err, fault.KindConflict, "ended already")
}

func TestSecretsAreTakenOut(t *testing.T) {
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	w := newWorld(t)
	x := w.start(w.at("ann"))
	noted, err := w.Note(t.Context(), x.ID, NewEvent{Type: Error, Content: "login failed with " + secret, Importance: "high",
		Context: map[string]any{"code_snippet": "auth(" + secret + ")", "files": []any{"a.go", secret}}})
	if err != nil || noted.Redacted != 3 {
		t.Errorf("noted %+v, %v", noted, err)
	}
	e, err := w.End(t.Context(), End{ID: x.ID, Summary: "used " + secret, Notes: secret})
	if err != nil || e.Redacted != 2 {
		t.Errorf("ended %+v, %v", e, err)
	}
	w.write(func(tx *registry.Tx) error {
		for _, table := range []string{"session_events WHERE content || COALESCE(context, '')", "sessions WHERE summary || outcome_notes", "memories WHERE content || title"} {
			n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM ` + table + ` LIKE '%ghp_%'`))
			if err != nil {
				return err
			}
			if n != 0 {
				t.Errorf("a secret is kept in %s", table)
			}
		}
		return nil
	})
	y := w.start(w.at("ann"))
	if _, err := w.Note(t.Context(), y.ID, NewEvent{Type: Note, Content: secret, AllowSecrets: true}); err != nil {
		t.Fatal(err)
	}
	if got := w.context(y.ID).Events[0].Content; got != secret {
		t.Errorf("kept on request: %q", got)
	}
}

func TestBlockersOfATask(t *testing.T) {
	w := newWorld(t)
	task, first := w.item("T-1", "deploy it"), w.item("T-2", "build it")
	w.write(func(tx *registry.Tx) error {
		return work.Link(tx, work.Edge{Source: first.ID, Relation: work.Blocks, Target: task.ID})
	})
	in := w.at("ann")
	in.Item = task.Ref
	d := w.start(in)
	if len(d.Blocking) != 1 || d.Blocking[0] != (Blocking{ID: "T-2", Kind: "task", Title: "build it", Status: "pending"}) {
		t.Errorf("blocked by %+v", d.Blocking)
	}
	if d.Item == nil || d.Item.Priority != "high" || d.Item.Kind != "task" || d.Criteria == nil {
		t.Errorf("the item is %+v", d.Item)
	}
}

// A session is found by its agent's name, its id and the conversation of its client, which lists show while it is open.
func TestNamesOfASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var name, id string
	w.write(func(tx *registry.Tx) (err error) {
		name, err = seat.Take(tx, seat.Client{Name: "claude-code", Conversation: "9F2c1d3e"})
		return err
	})
	open := w.start(w.at(name))
	other := w.start(w.at("ann"))
	w.write(func(tx *registry.Tx) error {
		a, err := agent.Get(tx, name)
		id = a.UID
		return err
	})
	for _, called := range []string{name, strings.ToUpper(name), id, "claude-code-9f2c1d3e"} {
		if x, err := w.OfClient(t.Context(), Who{Agent: called, Folder: w.repo.Dir}); err != nil || x.ID != open.ID {
			t.Errorf("%s: %s, %v", called, x.ID, err)
		}
	}
	for _, called := range []string{"claude-code-7", "bob"} {
		if x, err := w.OfClient(t.Context(), Who{Agent: called, Folder: w.repo.Dir}); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("%s: %s, %v", called, x.ID, err)
		}
	}
	clients := func() map[string]string {
		l, err := w.List(t.Context(), Filter{Place: w.at("").Place})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, x := range l.Sessions {
			got[x.ID] = x.Client
		}
		return got
	}
	if got := clients(); got[open.ID] != "claude-code-9f2c1d3e" || got[other.ID] != "" {
		t.Errorf("the conversations are %v", got)
	}
	w.end(open.ID)
	if got := clients(); got[open.ID] != "" {
		t.Errorf("of a session that has ended it is %q", got[open.ID])
	}
}

func TestListing(t *testing.T) {
	w := newWorld(t)
	w.item("T-1", "deploy it")
	var ids []string
	for i := range 5 {
		in := w.at(fmt.Sprint("agent", i%2))
		if i == 2 {
			in.Item = "T-1"
		}
		d := w.start(in)
		ids = append(ids, d.ID)
		w.end(d.ID)
	}
	list := func(f Filter) List {
		t.Helper()
		f.Place = w.at("").Place
		l, err := w.List(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := list(Filter{}); l.Total != 5 || len(l.Sessions) != 5 || l.Sessions[0].ID != ids[4] || l.Next != 0 {
		t.Errorf("all: %+v", l)
	}
	if l := list(Filter{Limit: 2, Offset: 1}); l.Total != 5 || len(l.Sessions) != 2 || l.Sessions[0].ID != ids[3] || l.Next != 3 {
		t.Errorf("a page: %+v", l)
	}
	if l := list(Filter{Item: "t-1"}); len(l.Sessions) != 1 || l.Sessions[0].Item != "T-1" {
		t.Errorf("of an item: %+v", l)
	}
	if l := list(Filter{Status: Active}); len(l.Sessions) != 0 || l.Sessions == nil {
		t.Errorf("active: %+v", l)
	}
	if l := list(Filter{Agent: "AGENT1"}); len(l.Sessions) != 2 {
		t.Errorf("of an agent: %+v", l)
	}
	if l := list(Filter{All: true}); len(l.Sessions) != 5 {
		t.Errorf("everywhere: %+v", l)
	}
}

// If the configuration enables it, the end of a session archives due memories.
func TestDecayAtTheEnd(t *testing.T) {
	w := newWorld(t)
	x := w.start(w.at("ann"))
	w.note(x.ID, Decision, "medium", "an old decision about the build cache")
	w.end(x.ID)
	w.write(func(tx *registry.Tx) error {
		long := registry.FormatTime(tx.Now().Add(-400 * 24 * time.Hour))
		_, err := tx.Exec(`UPDATE memories SET used_at = ?, updated_at = ?, created_at = ?`, long, long, long)
		return err
	})
	if e := w.end(w.start(w.at("ann")).ID); e.Decayed != 0 {
		t.Errorf("by default: %+v", e)
	}
	w.cfg.Memory.AutoDecayOnSessionEnd = true
	if e := w.end(w.start(w.at("ann")).ID); e.Decayed != 1 {
		t.Errorf("on request: %+v", e)
	}
}
