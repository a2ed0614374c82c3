package unattended

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/task/tasktest"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
)

// rows is a store with a repository, and a task that ann has claimed.
type rows struct {
	*testing.T
	*Store
	repo repo.Repo
	task task.Task
	ann  agent.Agent
	item int64
}

func newRows(t *testing.T) *rows {
	db, of, claimed := tasktest.Claimed(t)
	r := &rows{T: t, Store: &Store{DB: db, Tasks: &task.Store{DB: db}, Messages: &message.Store{DB: db}}, repo: of, task: claimed}
	r.write(func(tx *registry.Tx) (err error) {
		if r.ann, err = agent.Lookup(tx, "ann"); err != nil {
			return err
		}
		r.item, err = registry.One[int64](tx.QueryRow(`SELECT id FROM items WHERE ref = ?`, r.task.ID))
		return err
	})
	return r
}

func (r *rows) claim(id, agentName string) {
	r.Helper()
	var err error
	if r.task, err = r.Tasks.Claim(r.Context(), id, agentName); err != nil {
		r.Fatal(err)
	}
}

func (r *rows) write(fn func(*registry.Tx) error) {
	r.Helper()
	if err := r.DB.Write(r.Context(), registry.Everything, fn); err != nil {
		r.Fatal(err)
	}
}

// begin returns a running attempt of ann.
func (r *rows) begin(cause Cause) (a Attempt) {
	r.Helper()
	r.write(func(tx *registry.Tx) error {
		_, err := insert(tx, Attempt{Run: registry.NewID("run-"), ItemID: r.item, Cause: cause, Client: "claude"}, r.ann.ID, 0)
		return err
	})
	all := r.history()
	return all[len(all)-1]
}

func (r *rows) history() (all []Attempt) {
	r.Helper()
	r.write(func(tx *registry.Tx) (err error) {
		all, err = History(tx, r.item)
		return err
	})
	return all
}

// An attempt's row follows it, and its end is final.
func TestRowsOfAttempts(t *testing.T) {
	r := newRows(t)
	a := r.begin(Begun)
	if a.TaskID != r.task.ID || a.Agent != "ann" || a.State != Running || a.gone() {
		t.Errorf("%+v", a)
	}
	if err := r.started(t.Context(), a, 4711, "mark"); err != nil {
		t.Fatal(err)
	}
	a.Summary, a.Session = "half of it", "s-1"
	if err := r.note(t.Context(), a, "commits"); err != nil {
		t.Fatal(err)
	}
	if got := r.history()[0]; got.childPID != 4711 || got.childMark != "mark" || got.Why != "commits" || got.Session != "s-1" {
		t.Errorf("%+v", got)
	}
	for _, state := range []State{Failed, Done} {
		a.State, a.Why = state, "its tests fail"
		if err := r.ended(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	r.begin(Again)
	var states []State
	for _, a := range r.history() {
		states = append(states, a.State)
	}
	if diff := cmp.Diff([]State{Failed, Running}, states); diff != "" {
		t.Error(diff)
	}
}

// No one waits for an answer to the questions of an attempt that has ended; those of others stay.
func TestQuestionsOfAnAttemptThatEnded(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	asks := &question.Store{DB: r.DB}
	a, other := r.begin(Begun), r.begin(Again)
	var ids []string
	for _, of := range []Attempt{a, other} {
		id, err := asks.Ask(t.Context(), question.New{Project: r.repo.ProjectID, Item: r.item, Agent: r.ann.ID, Run: of.Run, Call: "shell: make", Until: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	a.State = Failed
	if err := r.ended(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	for i, want := range []question.State{question.Dropped, question.Open} {
		if q, err := asks.Get(t.Context(), ids[i]); err != nil || q.State != want {
			t.Errorf("question %d is %s, want %s: %v", i, q.State, want, err)
		}
	}
}

// An attempt that a killed process left running is lost, and is reported once.
func TestLostAttemptsArePickedUp(t *testing.T) {
	r := newRows(t)
	a, mine := r.begin(Begun), r.begin(Again)
	r.write(func(tx *registry.Tx) error { // a process that has ended, of another start of this machine
		_, err := tx.Exec(`UPDATE attempts SET pid = 1, mark = 'before' WHERE id = ?`, a.ID)
		return err
	})
	var told []string
	c := r.Crew(Options{Repo: r.repo, Grace: time.Millisecond}, nil, func(e Event) { told = append(told, e.What+" "+e.TaskID) })
	for range 2 {
		if err := c.pickUp(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{EventPicked + " " + r.task.ID}, told); diff != "" {
		t.Error(diff)
	}
	if all := r.history(); all[0].State != Lost || all[1].State != Running || all[1].ID != mine.ID {
		t.Errorf("%+v", all)
	}
}

// A task that was put back into the queue starts counting anew.
func TestReopened(t *testing.T) {
	r := newRows(t)
	when := func() (at time.Time) {
		r.write(func(tx *registry.Tx) (err error) {
			at, err = reopened(tx, r.item)
			return err
		})
		return at
	}
	if at := when(); !at.IsZero() {
		t.Errorf("reopened at %s", at)
	}
	if _, err := r.Tasks.Report(t.Context(), task.Report{ID: r.task.ID, Status: task.Failed, Caller: task.Caller{Agent: "ann"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Tasks.Reopen(t.Context(), r.task.ID, task.Caller{Agent: "ann"}, ""); err != nil {
		t.Fatal(err)
	}
	if when().IsZero() {
		t.Error("not reopened")
	}
}

// When the registry is not readable, no claim counts as lost, no task as back in the queue, and the queue not as empty.
func TestNoAnswerWithoutRegistry(t *testing.T) {
	r := newRows(t)
	on := &on{member: &member{Store: r.Store, agent: "ann", crew: &Crew{o: Options{Repo: r.repo}}}, b: brief.Brief{Task: &brief.Task{ID: r.task.ID}}}
	on.w.ItemID = r.item
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, lost := on.claimLost(ctx)
	_, back := on.pending(ctx)
	_, ready := on.untried(ctx, nil)
	for name, err := range map[string]error{"claimLost": lost, "pending": back, "untried": ready} {
		if err == nil {
			t.Errorf("%s answers", name)
		}
	}
}

// A claim is lost when another agent has it, but not when the agent itself gave it back.
func TestClaimLost(t *testing.T) {
	r := newRows(t)
	on := &on{member: &member{Store: r.Store, agent: "ann"}, b: brief.Brief{Task: &brief.Task{ID: r.task.ID, ClaimToken: r.task.ClaimToken}}}
	on.w.ItemID, on.w.AgentID = r.item, r.ann.ID
	claimLost := func() bool {
		t.Helper()
		lost, err := on.claimLost(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return lost
	}
	if claimLost() {
		t.Error("lost while ann holds it")
	}
	if _, err := r.Tasks.Report(t.Context(), task.Report{ID: r.task.ID, Status: task.Pending, Caller: task.Caller{Agent: "ann"}}); err != nil {
		t.Fatal(err)
	}
	if claimLost() {
		t.Error("lost though ann gave it back")
	}
	r.claim(r.task.ID, "bob")
	if !claimLost() {
		t.Error("not lost though bob holds it")
	}
}

// Another agent counts as at work on the repository while it holds a task and was heard of lately, however its name is spelled.
func TestOthersAtWork(t *testing.T) {
	r := newRows(t)
	for agentName, want := range map[string]bool{"bob": true, "Ann": false} {
		busy, err := r.othersAtWork(t.Context(), r.repo, agentName)
		if err != nil || busy != want {
			t.Errorf("for %s: %v, %v", agentName, busy, err)
		}
	}
	r.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE agents SET last_seen_at = ?`, registry.FormatTime(tx.Now().Add(-atWork)))
		return err
	})
	if busy, err := r.othersAtWork(t.Context(), r.repo, "bob"); err != nil || busy {
		t.Errorf("silent, and at work: %v, %v", busy, err)
	}
}

// A halted agent begins nothing.
func TestHalted(t *testing.T) {
	r := newRows(t)
	m := &member{Store: r.Store, agent: "ann"}
	why := func() string {
		why, err := m.halted(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return why
	}
	if why() != "" {
		t.Error(why())
	}
	r.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO agent_scores (agent_id, sp, xp_tenths, cs, commits, bugs, halted, updated_at) VALUES (?, 0, 0, 0, 0, 0, 1, ?)`, r.ann.ID, tx.Stamp())
		return err
	})
	if why() == "" {
		t.Error("may begin")
	}
}
