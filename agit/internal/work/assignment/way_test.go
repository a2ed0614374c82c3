package assignment_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	home, err := os.MkdirTemp("", "agit-home-") // of a memoryd that may be installed here
	if err == nil {
		err = os.Setenv("AGIT_HOME", home)
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// way is a repository with tasks T-1, T-2, which waits for it, and T-3.
type way struct {
	*worktreetest.Fixture
	t     *testing.T
	store *assignment.Store
}

func newWay(t *testing.T) *way {
	t.Helper()
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB}
	f.Reopen(tasks)
	_, err := tasks.Create(t.Context(), []task.New{{ID: "T-1", Repo: "app", Text: "Log in"}, {ID: "T-2", Repo: "app", Text: "Log out", DependsOn: []string{"T-1"}}, {ID: "T-3", Repo: "app", Text: "Menu"}})
	worktreetest.Must(t, err)
	reviews := &review.Store{DB: f.DB, Trees: f.Worktrees, Tasks: tasks, Landings: f.Landings}
	return &way{f, t, &assignment.Store{DB: f.DB, Trees: f.Worktrees, Spawns: f.Spawns, Removals: f.Removals, Tasks: tasks, Landings: f.Landings, Reviews: reviews}}
}

func (w *way) begin(agent, id string) brief.Brief {
	w.t.Helper()
	b, err := w.store.Begin(w.t.Context(), assignment.BeginRequest{Repo: "app", Agent: agent, Task: id})
	worktreetest.Must(w.t, err)
	return b
}

func (w *way) commit(b brief.Brief, name string) {
	w.t.Helper()
	w.Main.At(b.Worktree.Path).Commit("Add "+name, name, "package x\n")
}

func (w *way) finish(agent string, change func(*assignment.FinishRequest)) (assignment.Finished, error) {
	q := assignment.FinishRequest{Caller: task.Caller{Agent: agent}}
	if change != nil {
		change(&q)
	}
	return w.store.Finish(w.t.Context(), q)
}

func (w *way) status(id string) string {
	w.t.Helper()
	d, err := w.store.Tasks.Get(w.t.Context(), id)
	worktreetest.Must(w.t, err)
	return d.Status
}

// A repeated call returns the task and the worktree of the first one. Another agent that continues gets the worktree as it was left, with a
// description of its content and its former agent.
func TestBegin(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	if _, err := w.store.Begin(t.Context(), assignment.BeginRequest{Repo: "app"}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("without an agent: %v", err)
	}
	first := w.begin("ann", "")
	again := w.begin("ann", "")
	if first.Task.ID != "T-1" || first.Task.Again || again.Task.ID != "T-1" || !again.Task.Again || again.Worktree.ID != first.Worktree.ID || again.Worktree.Found == "" {
		t.Errorf("%+v\n%+v", first, again)
	}
	if next := w.begin("bob", ""); next.Task.ID != "T-3" {
		t.Errorf("the next is %s", next.Task.ID)
	}
	if none := w.begin("cy", ""); none.Task != nil || none.Action == "" {
		t.Errorf("what waits was begun: %+v", none)
	}
	w.commit(first, "login.go")
	w.Main.At(first.Worktree.Path).Write("draft.go", "package x\n")
	_, err := w.finish("ann", func(q *assignment.FinishRequest) { q.Outcome, q.Summary = assignment.Released, "too large" })
	worktreetest.Must(t, err)
	taken := w.begin("cy", "T-1")
	if taken.Worktree.ID != first.Worktree.ID {
		t.Fatalf("%+v", taken.Worktree)
	}
	if rows := w.Rows(); rows[0].Ref != first.Worktree.ID || rows[0].Agent != "cy" {
		t.Errorf("its worktree is still of %s", rows[0].Agent)
	}
	for _, part := range []string{"1 commit", "1 uncommitted file: draft.go", "ann worked in it"} {
		if !strings.Contains(taken.Worktree.Found, part) {
			t.Errorf("%q lacks %q", taken.Worktree.Found, part)
		}
	}
}

// Words begin the open task of that name, else a new one; an id without a task creates none.
func TestBeginOfWords(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	begin := func(what string, make bool) (brief.Brief, error) {
		return w.store.Begin(t.Context(), assignment.BeginRequest{Repo: "app", Agent: "ann", Task: what, Make: make})
	}
	named, err := begin("menu", true)
	worktreetest.Must(t, err)
	if named.Task.ID != "T-3" || named.Task.Made {
		t.Errorf("a name: %+v", named.Task)
	}
	made, err := begin("Add a footer", true)
	worktreetest.Must(t, err)
	again, err := begin("Add a footer", true)
	worktreetest.Must(t, err)
	if !made.Task.Made || made.Task.Name != "Add a footer" || made.Task.Agent != "ann" || again.Task.ID != made.Task.ID || again.Task.Made {
		t.Errorf("words: %+v, then %+v", made.Task, again.Task)
	}
	for what, make := range map[string]bool{"T-99": true, "t-06q8v1k2m4": true, "t-12": true, "status": true, "Add a header": false} {
		if b, err := begin(what, make); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("%s: %+v, %v", what, b.Task, err)
		}
	}
}

// A task whose worktree cannot be made goes back into the queue.
func TestBeginThatFails(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	w.FailAt("spawn:added")
	if _, err := w.store.Begin(t.Context(), assignment.BeginRequest{Repo: "app", Agent: "ann", Task: "T-1"}); err == nil {
		t.Fatal("it was begun")
	}
	if got := w.status("T-1"); got != task.Pending {
		t.Errorf("the task is %s", got)
	}
	w.Step = nil
	if b := w.begin("bob", ""); b.Task.ID != "T-1" {
		t.Errorf("the next is %s", b.Task.ID)
	}
}

// Work that has no commit in common with main is refused with both branches named, not in words of git.
func TestFinishWithoutACommonCommit(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	tree := w.Main.At(w.begin("ann", "T-1").Worktree.Path)
	tree.Git("reset", "-q", "--hard", tree.Git("commit-tree", "-m", "alone", "HEAD^{tree}"))
	_, err := w.finish("ann", func(q *assignment.FinishRequest) { q.Land, q.Summary = worktree.LandReview, "Done." })
	worktreetest.Contains(t, err, "and main have no commit in common")
}

// Finished work ends as requested, and in the same way when the call is repeated.
func TestFinish(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		q      assignment.FinishRequest
		work   bool // there is a commit
		state  assignment.State
		status string
		lands  bool
		gone   bool // the worktree
		freed  string
	}{
		"landed":                         {assignment.FinishRequest{Land: worktree.LandGate, Summary: "Done."}, true, assignment.Landed, task.Completed, true, true, "T-2"},
		"for review":                     {assignment.FinishRequest{Land: worktree.LandReview, Summary: "Done."}, true, assignment.InReview, task.InProgress, false, false, ""},
		"kept":                           {assignment.FinishRequest{Land: worktree.LandNever}, true, assignment.Kept, task.InProgress, false, false, ""},
		"without a commit, as it should": {assignment.FinishRequest{Outcome: assignment.NoChanges, Summary: "It works already."}, false, assignment.Removed, task.Completed, false, true, "T-2"},
		"failed":                         {assignment.FinishRequest{Outcome: assignment.Failed, Summary: "no access"}, true, assignment.Kept, task.Failed, false, false, ""},
		"given back":                     {assignment.FinishRequest{Outcome: assignment.Released, Summary: "too large"}, true, assignment.Kept, task.Pending, false, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWay(t)
			b := w.begin("ann", "T-1")
			if c.work {
				w.commit(b, "login.go")
			}
			c.q.Agent, c.q.Worktree = "ann", b.Worktree.ID
			out, err := w.store.Finish(t.Context(), c.q)
			worktreetest.Must(t, err)
			if c.work != (out.Changes.Files == 1) {
				t.Errorf("%+v", out.Changes)
			}
			if out.State != c.state || out.Task.Status != c.status || w.status("T-1") != c.status || strings.Join(out.Task.Unblocked, " ") != c.freed || out.Repeated {
				t.Errorf("%+v %+v", out, out.Task)
			}
			if _, err := os.Lstat(w.Main.Path("login.go")); (err == nil) != c.lands {
				t.Errorf("the work is in the default branch: %v", err)
			}
			if _, err := os.Lstat(b.Worktree.Path); (err != nil) != c.gone {
				t.Errorf("the worktree: %v", err)
			}
			again, err := w.store.Finish(t.Context(), c.q)
			if err != nil || again.State != out.State || !again.Repeated || again.Commit != out.Commit || again.Changes != out.Changes || strings.Join(again.Task.Unblocked, " ") != c.freed {
				t.Errorf("repeated: %+v, %v", again, err)
			}
		})
	}
}

// The open session on a task ends with it, however its worktree was found; another agent's session does not.
func TestFinishEndsTheSession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		named bool   // the worktree is named
		agent string // of the session
		want  string
	}{
		"the worktree that is under way":  {false, "ann", "s-1"},
		"a worktree that is named":        {true, "ann", "s-1"},
		"the session of another, named":   {true, "bob", ""},
		"the session of another, unnamed": {false, "bob", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWay(t)
			b := w.begin("ann", "T-1")
			w.begin("bob", "T-3")
			w.commit(b, "login.go")
			w.Exec(`INSERT INTO sessions (uid, ref, project_id, agent_id, lane, item_id, status, started_at, last_event_at)
				SELECT 'u', 's-1', i.project_id, a.id, 'x', i.id, 'active', ?, ? FROM items i, agents a WHERE i.ref = 'T-1' AND a.name = ?`, worktreetest.Stamp(0), worktreetest.Stamp(0), c.agent)
			out, err := w.finish("ann", func(q *assignment.FinishRequest) {
				if q.Land = worktree.LandNever; c.named {
					q.Worktree = b.Worktree.ID
				}
			})
			if err != nil || out.Session != c.want || (len(out.Notes) > 0) != (c.want != "") {
				t.Errorf("%q, %q, %v", out.Session, out.Notes, err)
			}
		})
	}
}

// A client without a name of its own finishes what its session claimed, and nothing else.
func TestFinishOfASession(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	b := w.begin("ann", "T-1")
	w.commit(b, "login.go")
	asked := ""
	finish := func(token int64) (assignment.Finished, error) {
		return w.store.Finish(t.Context(), assignment.FinishRequest{Caller: task.Caller{Client: "some-client"}, Worktree: b.Worktree.ID, Land: worktree.LandNever,
			TokenOf: func(id string) int64 { asked = id; return token }})
	}
	if out, err := finish(b.Task.ClaimToken + 1); err == nil {
		t.Errorf("another session finishes it: %+v", out)
	}
	if out, err := finish(b.Task.ClaimToken); err != nil || out.State != assignment.Kept || asked != "T-1" {
		t.Errorf("its session, asked about %q: %+v, %v", asked, out, err)
	}
}

// Uncommitted work stands in the way, or is committed on request; work without a commit is not done.
func TestFinishRefuses(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	b := w.begin("ann", "T-1")
	_, err := w.finish("ann", nil)
	worktreetest.Contains(t, err, "commit")
	w.Main.At(b.Worktree.Path).Write("login.go", "package x\n")
	_, err = w.finish("ann", nil)
	worktreetest.Contains(t, err, "login.go", "--commit")
	if w.status("T-1") != task.InProgress {
		t.Errorf("the task is %s", w.status("T-1"))
	}
	out, err := w.finish("ann", func(q *assignment.FinishRequest) { q.Commit, q.Land = true, worktree.LandGate })
	worktreetest.Must(t, err)
	if out.Committed == "" || out.Changes != (assignment.Changes{Files: 1, Insertions: 1}) || out.Commit == "" {
		t.Errorf("%+v", out)
	}
	if got := w.Main.Git("log", "-1", "--format=%s", "HEAD^2"); got != "Log in" {
		t.Errorf("the commit is called %q", got)
	}
}

// A task that needed no commit is not completed while its worktree holds work, which is named and does not land.
func TestFinishWithoutChangesRefusesWork(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	b := w.begin("ann", "T-1")
	draft := func(name string) { w.Main.At(b.Worktree.Path).Write(name, "package x\n") }
	none := func() error {
		_, err := w.finish("ann", func(q *assignment.FinishRequest) {
			q.Outcome, q.Summary, q.Land, q.Commit = assignment.NoChanges, "It works already.", worktree.LandGate, true
		})
		return err
	}
	draft("a.go")
	worktreetest.Contains(t, none(), "no change: a.go", "leave out --no-changes")
	w.commit(b, "login.go")
	draft("draft.go")
	worktreetest.Contains(t, none(), "Add login.go, draft.go")
	w.Main.Git("merge", "-q", "--no-ff", b.Worktree.Branch)
	worktreetest.Contains(t, none(), "no change: draft.go")
	if got := w.status("T-1"); got != task.InProgress {
		t.Errorf("the task is %s", got)
	}
	worktreetest.Must(t, os.Remove(b.Worktree.Path+"/draft.go"))
	worktreetest.Must(t, none())
	if got := w.status("T-1"); got != task.Completed {
		t.Errorf("the task whose work a person merged by hand is %s", got)
	}
}

// A gate that fails changes nothing; returned work that has not changed since is refused with the person's words.
func TestFinishAgain(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	b := w.begin("ann", "T-1")
	w.commit(b, "login.go")
	w.Set.Gate = []string{"test -e test.go"}
	shown := func(q *assignment.FinishRequest) { q.Land = worktree.LandReview }
	if _, err := w.finish("ann", shown); !fault.Is(err, fault.KindOperation) {
		t.Fatalf("a red gate: %v", err)
	}
	w.commit(b, "test.go")
	out, err := w.finish("ann", shown)
	worktreetest.Must(t, err)
	if out.Gate != land.GatePassed || out.State != assignment.InReview {
		t.Errorf("%+v", out)
	}
	_, err = w.store.Reviews.Return(t.Context(), review.Decision{Worktree: b.Worktree.ID, Why: "the retry needs a test"}, 0)
	worktreetest.Must(t, err)
	again := w.begin("ann", "T-1")
	_, err = w.finish("ann", shown)
	worktreetest.Contains(t, err, "the retry needs a test")
	w.commit(again, "retry_test.go")
	out, err = w.finish("ann", shown)
	worktreetest.Must(t, err)
	if out.Repeated {
		t.Errorf("new work was taken for the old: %+v", out)
	}
}

// A call that failed a task, or gave it back, is repeated without a change, whatever else the agent finished. With another reason it is a
// new call, which needs a task under way; the reason of the failed task is named.
func TestStopAgain(t *testing.T) {
	t.Parallel()
	for outcome, status := range map[string]string{assignment.Failed: task.Failed, assignment.Released: task.Pending} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			w := newWay(t)
			shown := w.begin("ann", "T-1")
			w.commit(shown, "login.go")
			_, err := w.finish("ann", func(q *assignment.FinishRequest) { q.Land = worktree.LandReview })
			worktreetest.Must(t, err)
			stop := func(why string) (assignment.Finished, error) {
				return w.finish("ann", func(q *assignment.FinishRequest) { q.Outcome, q.Summary = outcome, why })
			}
			if out, err := stop("no access"); !fault.Is(err, fault.KindNotFound) {
				t.Errorf("what waits for review: %+v, %v", out, err)
			}
			b := w.begin("ann", "T-3")
			_, err = stop("no access")
			worktreetest.Must(t, err)
			before, err := w.store.Tasks.Get(t.Context(), "T-3")
			worktreetest.Must(t, err)
			out, err := stop("no access")
			if err != nil || out.Worktree.ID != b.Worktree.ID || out.Task.Status != status || out.State != assignment.Kept || !out.Repeated {
				t.Errorf("the same call: %+v, %v", out, err)
			}
			after, err := w.store.Tasks.Get(t.Context(), "T-3")
			if err != nil || len(after.History) != len(before.History) {
				t.Errorf("it is in the history again: %+v, %v", after.History, err)
			}
			want := map[string]string{assignment.Failed: `is already failed by "ann", with another result: "no access"`, assignment.Released: "has no task under way"}[outcome]
			if out, err := stop("no time"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("another reason: %+v, %v", out, err)
			}
			_, err = w.store.Tasks.Create(t.Context(), []task.New{{ID: "T-9", Repo: "app", Text: "Footer"}})
			worktreetest.Must(t, err)
			w.begin("ann", "T-9")
			_, err = stop("no time")
			worktreetest.Must(t, err)
			if out, err := stop("no access"); err != nil || out.Worktree.ID != b.Worktree.ID || !out.Repeated {
				t.Errorf("the call before: %+v, %v", out, err)
			}
			_, err = w.finish("ann", func(q *assignment.FinishRequest) {
				q.Outcome, q.Summary, q.Worktree = assignment.Released, "other", shown.Worktree.ID
			})
			worktreetest.Must(t, err)
			if got := w.status("T-1"); got != task.Pending {
				t.Errorf("a worktree that is named: %s", got)
			}
		})
	}
}

// A call is repeated from the folder in which it was made, which is in the trash since. A worktree in which the agent works elsewhere comes first. Finished
// work is neither failed nor given back.
func TestFinishFromTheTrash(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	b := w.begin("ann", "T-1")
	w.commit(b, "login.go")
	finish := func(agent, outcome string) (assignment.Finished, error) {
		return w.finish(agent, func(q *assignment.FinishRequest) {
			q.Outcome, q.Summary, q.Land, q.Here = outcome, "Done.", worktree.LandGate, true
		})
	}
	w.Worktrees.Options.Dir = b.Worktree.Path
	_, err := finish("", assignment.Done)
	worktreetest.Must(t, err)
	w.Write(func(tx *registry.Tx) error {
		kept, err := remove.Kept(tx, 0)
		if err == nil {
			w.Worktrees.Options.Dir = filepath.Join(kept[0].Path, "tree")
		}
		return err
	})
	if out, err := finish("", assignment.Done); err != nil || out.State != assignment.Landed || !out.Repeated || out.Worktree.ID != b.Worktree.ID {
		t.Errorf("%+v, %v", out, err)
	}
	for _, outcome := range []string{assignment.Failed, assignment.Released} {
		_, err := finish("", outcome)
		worktreetest.Contains(t, err, "already completed")
	}
	next := w.begin("ann", "T-3")
	if out, err := finish("ann", assignment.NoChanges); err != nil || out.Worktree.ID != next.Worktree.ID {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err := finish("ann", assignment.Done); err != nil || out.Worktree.ID != next.Worktree.ID || !out.Repeated {
		t.Errorf("%+v, %v", out, err)
	}
}

// Work without a task that landed, or was removed, is neither failed nor given back.
func TestStopWithoutATask(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	tree := w.Get(w.Spawn(spawn.Request{Branch: "agit/alone"}))
	w.Tree(tree).Commit("Alone", "alone.go", "package x\n")
	w.Merge(tree)
	for _, outcome := range []string{assignment.Failed, assignment.Released} {
		_, err := w.finish("", func(q *assignment.FinishRequest) { q.Outcome, q.Summary, q.Worktree = outcome, "why", tree.Ref })
		worktreetest.Contains(t, err, "was completed already")
	}
}

// Work that is not done is committed on request before its task fails or is given back; without the request it stays as it is, and another
// agent commits nothing.
func TestStopCommits(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	b := w.begin("ann", "T-1")
	tree := w.Main.At(b.Worktree.Path)
	stop := func(agent, outcome string, commit bool) (assignment.Finished, error) {
		return w.finish(agent, func(q *assignment.FinishRequest) {
			q.Outcome, q.Summary, q.Commit, q.Worktree = outcome, "half done", commit, b.Worktree.ID
		})
	}
	base := tree.Head()
	tree.Write("half.go", "package x\n")
	if out, err := stop("ann", assignment.Released, false); err != nil || out.Committed != "" || tree.Head() != base {
		t.Errorf("without the request: %+v, %v", out, err)
	}
	w.begin("ann", "T-1")
	if out, err := stop("bob", assignment.Released, true); !fault.Is(err, fault.KindConflict) || tree.Head() != base {
		t.Errorf("another agent: %+v, %v", out, err)
	}
	out, err := stop("ann", assignment.Released, true)
	worktreetest.Must(t, err)
	half := tree.Head()
	if half == base || out.Committed != half || w.status("T-1") != task.Pending {
		t.Errorf("%+v", out)
	}
	if got := tree.Git("log", "-1", "--format=%B"); !strings.Contains(got, "half done") {
		t.Errorf("the message is %q", got)
	}
	w.begin("ann", "T-1")
	tree.Write("more.go", "package x\n")
	if out, err := stop("ann", assignment.Failed, true); err != nil || out.Committed == "" || w.status("T-1") != task.Failed {
		t.Errorf("failed: %+v, %v", out, err)
	}
	if out, err := stop("ann", assignment.Failed, true); err != nil || out.Committed != "" || !out.Repeated {
		t.Errorf("again: %+v, %v", out, err)
	}
}

// A finish of an agent that holds a task without a worktree is not about the work that it finished before.
func TestFinishOfATaskWithoutAWorktree(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	b := w.begin("ann", "T-1")
	w.commit(b, "login.go")
	_, err := w.finish("ann", func(q *assignment.FinishRequest) { q.Land = worktree.LandReview })
	worktreetest.Must(t, err)
	_, err = w.store.Tasks.Claim(t.Context(), "T-3", "ann")
	worktreetest.Must(t, err)
	for _, outcome := range assignment.Outcomes {
		_, err := w.finish("ann", func(q *assignment.FinishRequest) { q.Outcome, q.Summary = outcome, "why" })
		worktreetest.Contains(t, err, `"T-3"`, "no worktree")
	}
	if got := w.status("T-1"); got != task.InProgress {
		t.Errorf("the task in review is %s", got)
	}
}

// Without a name, the agent's worktree is the only one of its held tasks, else the one that it finished last; of several it does not
// choose.
func TestWhichIsFinished(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	if _, err := w.finish("", nil); !fault.Is(err, fault.KindValidation) {
		t.Errorf("no one's: %v", err)
	}
	one := w.begin("ann", "T-1")
	two := w.begin("ann", "T-3")
	_, err := w.finish("ann", nil)
	worktreetest.Contains(t, err, "2 worktrees under way", one.Worktree.ID, two.Worktree.ID)
	w.commit(one, "login.go")
	_, err = w.finish("ann", func(q *assignment.FinishRequest) { q.Worktree, q.Land = one.Worktree.ID, worktree.LandGate })
	worktreetest.Must(t, err)
	w.commit(two, "menu.go")
	out, err := w.finish("ann", func(q *assignment.FinishRequest) { q.Land = worktree.LandGate })
	if err != nil || out.Worktree.ID != two.Worktree.ID {
		t.Errorf("%+v, %v", out, err)
	}
	again, err := w.finish("ann", nil)
	if err != nil || again.Worktree.ID != two.Worktree.ID || !again.Repeated {
		t.Errorf("%+v, %v", again, err)
	}
	w.Write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE worktrees SET agent_id = NULL`)
		return err
	})
	if _, err := w.finish("ann", nil); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("none: %v", err)
	}
}
