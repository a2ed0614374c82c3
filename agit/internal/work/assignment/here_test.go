package assignment_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

func (w *way) here(agent, id, folder string) (brief.Brief, error) {
	return w.store.Begin(w.t.Context(), assignment.BeginRequest{Agent: agent, Task: id, Here: folder})
}

// An agent that stands in a worktree of its client's begins, finishes and lands a task there as in one of agit's, and the folder stays.
func TestBeginHere(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	dir := filepath.Join(gittest.TempDir(t), ".codex", "worktrees", "1f3c", "app")
	w.Main.Git("worktree", "add", "-q", "--detach", dir)
	deep := filepath.Join(dir, "deep")
	worktreetest.Must(t, os.Mkdir(deep, 0o755))
	if none, err := w.here("", "T-9", dir); !fault.Is(err, fault.KindNotFound) {
		t.Fatalf("%+v %v", none, err)
	}
	if rows := w.Rows(); len(rows) != 0 {
		t.Errorf("a begin that failed left %+v", rows)
	}
	first, err := w.here("", "", deep)
	worktreetest.Must(t, err)
	if first.Task.ID != "T-1" || first.Task.Agent != "codex-app" || first.Worktree.Path != dir || !strings.HasPrefix(first.Worktree.Branch, "agit/codex-") {
		t.Fatalf("%+v", first.Worktree)
	}
	again, err := w.here("codex-app", "", dir)
	worktreetest.Must(t, err)
	if again.Task.ID != "T-1" || !again.Task.Again || again.Worktree.ID != first.Worktree.ID {
		t.Errorf("%+v", again)
	}
	if usual := w.begin("codex-app", ""); usual.Worktree.ID != first.Worktree.ID {
		t.Errorf("begun without --here in %+v", usual.Worktree)
	}
	for name, c := range map[string]struct{ agent, id, folder, want string }{
		"another task":       {"codex-app", "T-3", dir, "is that of task"},
		"another agent":      {"bob", "", dir, "claimed"},
		"the main checkout":  {"bob", "T-3", w.Main.Dir, "main checkout"},
		"no repository":      {"bob", "T-3", t.TempDir(), "does not exist"},
		"the default branch": {"bob", "T-3", onDefault(t, w), "default branch"},
	} {
		if _, err := w.here(c.agent, c.id, c.folder); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := w.status("T-3"); got != task.Pending {
		t.Errorf("a begin that was refused left T-3 %s", got)
	}
	w.Main.At(dir).Commit("Log in", "login.go", "package x\n")
	for _, repeated := range []bool{false, true} {
		out, err := w.finish("codex-app", func(q *assignment.FinishRequest) { q.Worktree, q.Land = dir, worktree.LandGate })
		if err != nil || out.State != assignment.Landed || out.Repeated != repeated {
			t.Fatalf("repeated %t: %+v %v", repeated, out, err)
		}
	}
	if got := w.status("T-1"); got != task.Completed {
		t.Errorf("T-1 is %s", got)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	next, err := w.here("codex-app", "", dir)
	worktreetest.Must(t, err)
	if next.Task.ID != "T-2" || next.Worktree.ID == first.Worktree.ID || next.Worktree.Path != dir {
		t.Errorf("the next task of the same folder: %+v", next.Worktree)
	}
	w.Sound()
}

// A worktree in which another agent began a task since it was looked at stays that agent's, and the task goes back.
func TestBeginHereAtOnce(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	dir := filepath.Join(gittest.TempDir(t), "fix")
	w.Main.Git("worktree", "add", "-q", "-b", "fix", dir)
	meanwhile := func(tx *registry.Tx) (repo.Repo, error) {
		r, err := repo.Find(tx, w.Repo.UID)
		if err != nil {
			return r, err
		}
		ann, err := agent.Caller(tx, "ann")
		if err == nil {
			err = tx.In(r.ProjectID)
		}
		if err == nil {
			err = tx.Do(`UPDATE worktrees SET agent_id = ?, item_id = (SELECT id FROM items WHERE ref = 'T-1')`, ann.ID)
		}
		return r, err
	}
	_, err := w.store.Begin(t.Context(), assignment.BeginRequest{Agent: "bob", Task: "T-3", Here: dir, Find: meanwhile})
	worktreetest.Contains(t, err, `is that of task "T-1"`, "`agit begin T-3`")
	rows := w.Rows()
	if !fault.Is(err, fault.KindConflict) || w.status("T-3") != task.Pending || len(rows) != 1 || rows[0].TaskID != "T-1" || rows[0].Agent != "ann" {
		t.Errorf("%v; T-3 is %s, the worktree %+v", err, w.status("T-3"), rows)
	}
	w.begin("bob", "T-3") // as the refusal proposes
}

// onDefault is a worktree that has the default branch checked out, which the main checkout has left.
func onDefault(t *testing.T, w *way) string {
	dir := filepath.Join(gittest.TempDir(t), "main")
	w.Main.Git("switch", "-q", "-c", "elsewhere")
	w.Main.Git("worktree", "add", "-q", dir, "main")
	return dir
}

// A task that has a worktree is not begun in a second one.
func TestBeginHereOfATaskElsewhere(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	first := w.begin("ann", "T-1")
	dir := filepath.Join(gittest.TempDir(t), "fix")
	w.Main.Git("worktree", "add", "-q", "-b", "fix", dir)
	if _, err := w.here("ann", "T-1", dir); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), first.Worktree.ID) {
		t.Error(err)
	}
	if rows := w.Rows(); len(rows) != 1 {
		t.Errorf("%+v", rows)
	}
	if got := w.status("T-1"); got != task.InProgress {
		t.Errorf("T-1 is %s", got)
	}
	// When agit made the worktree that an agent stands in for no particular task, the agent takes that as well.
	w.Main.At(dir).Commit("work", "x.go", "package x\n")
	if b, err := w.here("bob", "T-3", dir); err != nil || b.Worktree.Path != dir || !strings.Contains(b.Worktree.Found, "1 commit") {
		t.Errorf("%+v %v", b.Worktree, err)
	}
}

// A worktree on no branch stays on none until its work is to be committed or to land, and gets no row from a refusal.
func TestFinishOnNoBranch(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	dir := filepath.Join(gittest.TempDir(t), "det")
	w.Main.Git("worktree", "add", "-q", "--detach", dir)
	tree, branches := w.Main.At(dir), w.Branches()
	finish := func(with func(q *assignment.FinishRequest)) (assignment.Finished, error) {
		return w.finish("", func(q *assignment.FinishRequest) { q.Worktree, q.Summary = dir, "x"; with(q) })
	}
	refused := func(why string, with func(q *assignment.FinishRequest)) {
		t.Helper()
		_, err := finish(with)
		worktreetest.Contains(t, err, why)
		if got := w.Branches(); got != branches || len(w.Rows()) != 0 {
			t.Errorf("%s left branches %s, %+v", why, got, w.Rows())
		}
	}
	refused("has no commits", func(*assignment.FinishRequest) {})
	tree.Write("x.go", "package x\n")
	refused("not committed", func(*assignment.FinishRequest) {})
	refused("holds work", func(q *assignment.FinishRequest) { q.Outcome = assignment.NoChanges })
	tree.Commit("Work", "x.go", "package x\n")
	w.store.Forges = &forge.Store{Trees: w.Worktrees, Notice: func(string) {}}
	out, err := finish(func(q *assignment.FinishRequest) { q.Land = worktree.LandPR })
	on := tree.Git("rev-parse", "--abbrev-ref", "HEAD") // it may have been pushed, and is proposed again
	if rows := w.Rows(); err == nil || len(rows) != 1 || rows[0].Branch != on {
		t.Errorf("%+v %v: on %s, %+v", out, err, on, rows)
	}
	other := filepath.Join(gittest.TempDir(t), "other")
	w.Main.Git("worktree", "add", "-q", "--detach", other)
	w.Main.At(other).Write("y.go", "package y\n")
	out, err = finish(func(q *assignment.FinishRequest) {
		q.Worktree, q.Land, q.Commit, q.Summary = other, worktree.LandGate, true, ""
	})
	if said := w.Main.Git("log", "-1", "--format=%s", "main^2"); err != nil || out.State != assignment.Landed || out.Worktree.Branch == "" || said != "Work on "+out.Worktree.Branch {
		t.Errorf("%+v %v: %q", out, err, said)
	}
}

// A task that needed no commit is completed in a folder that others made, which stays; the next one begins there.
func TestFinishHereWithoutChanges(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	dir := filepath.Join(gittest.TempDir(t), "fix")
	w.Main.Git("worktree", "add", "-q", "-b", "fix", dir)
	first, err := w.here("ann", "", dir)
	worktreetest.Must(t, err)
	for _, named := range []string{first.Worktree.ID, first.Worktree.ID, ""} {
		out, err := w.finish("ann", func(q *assignment.FinishRequest) {
			q.Outcome, q.Summary, q.Worktree = assignment.NoChanges, "It works already.", named
		})
		if err != nil || out.State != assignment.Kept || out.Task.Status != task.Completed || len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "made with git") {
			t.Errorf("%q: %+v %v", named, out, err)
		}
	}
	if _, err := os.Stat(dir); err != nil || w.Main.Git("branch", "--list", "fix") == "" {
		t.Errorf("the folder or its branch is gone: %v", err)
	}
	if next, err := w.here("ann", "", dir); err != nil || next.Task.ID != "T-2" || next.Worktree.ID != first.Worktree.ID {
		t.Errorf("the next: %+v %v", next, err)
	}
	w.Sound()
}
