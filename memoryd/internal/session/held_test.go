package session

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// worktree makes the repository's folder a worktree for an item.
func (w *world) worktree(item work.Item) {
	w.t.Helper()
	w.write(func(tx *registry.Tx) error {
		repo, err := tx.Insert(`INSERT INTO repos (uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
			VALUES (?, ?, 'app', 'app', ?, ?, ?, 'main', ?, ?) RETURNING id`, registry.NewUID(), item.ProjectID, registry.Host(), "/app", "/app/.git", tx.Stamp(), tx.Stamp())
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO worktrees (uid, ref, repo_id, item_id, path, branch, status, created_at, updated_at)
			VALUES (?, 'w-1', ?, ?, ?, 'b', 'active', ?, ?)`, registry.NewUID(), repo, item.ID, treeAt(w.repo.Dir).root, tx.Stamp(), tx.Stamp())
		return err
	})
}

func (w *world) claim(name string, item work.Item) {
	w.t.Helper()
	w.write(func(tx *registry.Tx) error {
		a, err := agent.Caller(tx, name)
		if err != nil {
			return err
		}
		_, _, err = lease.ByID(tx, item.ID, lease.Claim{Agent: a, From: "pending", To: "claimed"})
		return err
	})
}

// A session started without an item is about the item that its agent holds, else about the task of its worktree.
func TestWorksOnWhatIsHeld(t *testing.T) {
	w := newWorld(t)
	here, other, third := w.item("T-1", "of the worktree"), w.item("T-2", "elsewhere"), w.item("T-3", "named")
	w.worktree(here)
	about := func(d Started) string {
		if d.Item == nil {
			return ""
		}
		return d.Item.ID
	}
	if got := about(w.start(w.at("bob"))); got != "T-1" {
		t.Errorf("of the worktree: %q", got)
	}
	w.claim("ann", other)
	d := w.start(w.at("ann"))
	if got := about(d); got != "T-2" || d.Item.ClaimedBy != "ann" || !strings.Contains(d.Text(), "(claimed by ann, priority") {
		t.Errorf("of the agent: %q by %q: %s", got, d.Item.ClaimedBy, d.Text())
	}
	w.claim("cid", here)
	w.claim("cid", third)
	if got := about(w.start(w.at("cid"))); got != "T-1" {
		t.Errorf("of several: %q", got)
	}
	in := w.at("dan")
	in.Item = "T-3"
	if got := about(w.start(in)); got != "T-3" {
		t.Errorf("named: %q", got)
	}
	if d := w.start(w.at("dan")); about(d) != "T-3" || len(d.Warnings) != 0 {
		t.Errorf("an open session turned to %q, %q", about(d), d.Warnings)
	}
}

// A start names the place of the work and its conflicts, in the worktree and from elsewhere.
func TestStartsInItsWorktree(t *testing.T) {
	w := newWorld(t)
	item := w.item("T-1", "of the worktree")
	w.worktree(item)
	w.claim("ann", item)
	w.write(func(tx *registry.Tx) error {
		if _, err := tx.Exec(`UPDATE worktrees SET agent_id = (SELECT id FROM agents WHERE name = 'ann')`); err != nil {
			return err
		}
		other, err := tx.Insert(`INSERT INTO worktrees (uid, ref, repo_id, path, branch, status, created_at, updated_at)
			SELECT ?, 'w-2', repo_id, '/elsewhere', 'c', 'active', created_at, updated_at FROM worktrees RETURNING id`, registry.NewUID())
		if err != nil {
			return err
		}
		for path, depth := range map[string]string{"a.go": "merge", "b.go": "file"} {
			if _, err := tx.Exec(`INSERT INTO conflict_pairs (repo_id, a_id, b_id, depth, path, detail, found_at)
				SELECT repo_id, ?, id, ?, ?, 'contents; 3-4', created_at FROM worktrees WHERE ref = 'w-1'`, other, depth, path); err != nil {
				return err
			}
		}
		return nil
	})
	away := w.at("ann")
	away.Folder = ""
	for name, in := range map[string]Start{"there": w.at("bob"), "from elsewhere": away} {
		d := w.start(in)
		if d.Worktree == nil || d.Worktree.ID != "w-1" || d.Worktree.Branch != "b" || d.Worktree.Path != treeAt(w.repo.Dir).root {
			t.Errorf("%s: %+v", name, d.Worktree)
			continue
		}
		if whose := map[string]string{"there": "ann"}[name]; d.Worktree.Agent != whose {
			t.Errorf("%s: of %q", name, d.Worktree.Agent)
		}
		if len(d.Worktree.Conflicts) != 1 || d.Worktree.Conflicts[0] != (Conflict{File: "a.go", Lines: "3-4", With: "w-2"}) {
			t.Errorf("%s: conflicts %+v", name, d.Worktree.Conflicts)
		}
		if said := d.Text(); !strings.Contains(said, "branch b\n") || !strings.Contains(said, "Conflict: a.go:3-4 with w-2\n") {
			t.Errorf("%s: %s", name, said)
		}
	}
	// Another agent's worktree is not a place to work.
	in := w.at("cid")
	in.Folder, in.Item = "", "T-1"
	if d := w.start(in); d.Worktree != nil {
		t.Errorf("of another agent: %+v", d.Worktree)
	}
}

// The warning about open sessions names the agent's own first, and offers resume_last for the one it takes. A session that has just begun
// can still resume that one.
func TestWarnsOfTheOwnFirst(t *testing.T) {
	w := newWorld(t)
	away := func(agent string) Start {
		in := w.at(agent)
		in.Folder = ""
		return in
	}
	own := w.start(away("ann"))
	w.silent(own.ID, 50*time.Hour)
	for _, name := range []string{"bob", "cid"} {
		w.silent(w.start(away(name)).ID, 30*time.Hour)
	}
	d := w.start(away("ann"))
	if len(d.Warnings) != 2 || !strings.Contains(d.Warnings[0], own.ID) {
		t.Fatalf("warnings %q", d.Warnings)
	}
	for i, said := range d.Warnings {
		if strings.Contains(said, "resume_last") != (i == 0) {
			t.Errorf("warning %d: %q", i, said)
		}
	}
	in := away("ann")
	in.ResumeLast = true
	if next := w.start(in); next.ID != d.ID || next.Parent != own.ID || next.Before == nil {
		t.Errorf("resumed as %+v", next)
	}
}

// A start reports the unusual: whose session it resumes, what that was about, how many more were left, and that the previous session left
// nothing.
func TestWhatAStartWarnsOf(t *testing.T) {
	w := newWorld(t)
	w.item("T-1", "first")
	w.item("T-2", "second")
	says := func(d Started, want string) {
		t.Helper()
		if !strings.Contains(d.Text(), want) {
			t.Errorf("does not say %q:\n%s", want, d.Text())
		}
	}
	in := w.at("ann")
	in.Item = "T-1"
	first := w.start(in)
	if len(first.Warnings) != 0 {
		t.Errorf("at first: %q", first.Warnings)
	}
	in.Item = "T-2"
	says(w.start(in), "worked on T-1 until now")
	w.silent(first.ID, 50*time.Hour)

	bob := w.at("bob")
	bob.ResumeLast = true
	d := w.start(bob)
	says(d, "goes on from one of ann")
	says(d, "It left no notes, commits or files.")
	if d.Item == nil || d.Item.ID != "T-2" {
		t.Errorf("about %+v", d.Item)
	}
	var left []string
	for _, name := range []string{"cid", "dan", "eve", "fay"} {
		left = append(left, w.start(w.at(name)).ID)
	}
	for _, id := range left {
		w.silent(id, 30*time.Hour)
	}
	says(w.start(w.at("gus")), "1 more session was not ended")
}

// The summary of a session without notes comes from git; for a long one it names the newest.
func TestSummariesOfWork(t *testing.T) {
	w := newWorld(t)
	x := w.start(w.at("ann"))
	w.repo.Write("b.txt", "b\n")
	w.repo.Commit("Add the second file", "b.txt")
	if e := w.end(x.ID); !strings.Contains(e.Summary, "1 commit, 1 file changed") || !strings.Contains(e.Summary, "Add the second file") || !strings.Contains(e.Summary, "b.txt") {
		t.Errorf("summary %q", e.Summary)
	}
	if d := w.start(w.at("ann")); d.Last == nil || !strings.Contains(*d.Last, "second file") {
		t.Errorf("the next start has %+v", d.Last)
	}
	var all []Event
	for _, n := range "abcdefghijkl" {
		all = append(all, Event{Type: Progress, weight: medium, Content: "step " + string(n)})
	}
	if got := summarise(Session{}, all, Work{}, time.Time{}); !strings.Contains(got, "\nDone: step l; step k; ") || !strings.HasSuffix(got, "; step e; 4 more.") {
		t.Errorf("summary %q", got)
	}
}

// When the clock is set back, the last session is still the last one, and no session has a negative duration.
func TestTheClockGoesBack(t *testing.T) {
	w := newWorld(t)
	first := w.start(w.at("ann"))
	w.note(first.ID, Note, "medium", "the first")
	w.end(first.ID)
	open := w.start(w.at("bob"))
	w.note(open.ID, Note, "medium", "before the clock was set")
	ahead := registry.FormatTime(time.Now().Add(time.Hour))
	w.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE sessions SET started_at = ?, last_event_at = ?, ended_at = CASE WHEN ended_at IS NULL THEN NULL ELSE ? END`, ahead, ahead, ahead)
		return err
	})
	second := w.start(w.at("ann"))
	w.note(second.ID, Note, "medium", "the second")
	w.end(second.ID)
	if d := w.start(w.at("ann")); d.LastID != second.ID {
		t.Errorf("the last session is %s, not %s", d.LastID, second.ID)
	}
	if d := w.start(w.at("cid")); d.LastID != second.ID {
		t.Errorf("another agent's last session is %s, not %s", d.LastID, second.ID)
	}
	w.note(open.ID, Note, "medium", "after it")
	if e := w.end(open.ID); e.Duration < 0 || strings.Contains(e.Summary, "in -") {
		t.Errorf("ended as %+v", e)
	}
	l, err := w.List(t.Context(), Filter{Place: w.at("").Place})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range l.Sessions {
		if x.Duration < 0 {
			t.Errorf("%s took %d s", x.ID, x.Duration)
		}
	}
}

// When not all events of the resumed session fit, the most important are listed, of these the newest, in the order they were noted.
func TestTheWeightiestEventsAreKept(t *testing.T) {
	var all []Event
	for i := range 30 {
		e := Event{row: int64(i), Type: Note, Importance: "low", weight: low, Content: strings.Repeat("x", 60)}
		if i%10 == 3 {
			e.Importance, e.weight = "high", high
		}
		all = append(all, e)
	}
	b, _ := Before{Events: all}.fit(1200, 5000)
	var rows []int64
	for _, e := range b.Events {
		rows = append(rows, e.row)
	}
	if len(rows) < 4 || len(rows) == 30 || !slices.IsSorted(rows) {
		t.Fatalf("kept %v", rows)
	}
	for _, heavy := range []int64{3, 13, 23} {
		if !slices.Contains(rows, heavy) {
			t.Errorf("kept %v, not %d", rows, heavy)
		}
	}
	if !slices.Contains(rows, 29) || slices.Contains(rows, 0) {
		t.Errorf("kept %v: not the newest", rows)
	}
}
