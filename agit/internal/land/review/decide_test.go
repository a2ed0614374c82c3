package review_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// fixture is a repository with a task T-1, on which ann works in a worktree.
type fixture struct {
	*worktreetest.Fixture
	t     *testing.T
	store *review.Store
	tasks *task.Store
	w     worktree.Worktree
}

func setUp(t *testing.T) *fixture {
	t.Helper()
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB}
	f.Reopen(tasks)
	_, err := tasks.Create(t.Context(), []task.New{{ID: "T-1", Repo: "app", Text: "Log in"}})
	worktreetest.Must(t, err)
	w := f.Spawn(spawn.Request{Task: "T-1", Agent: "ann"})
	f.Tree(w).Commit("Log in", "login.go", "package login\n")
	return &fixture{f, t, &review.Store{DB: f.DB, Trees: f.Worktrees, Tasks: tasks, Landings: f.Landings}, tasks, f.Get(w)}
}

// show asks for a review of the worktree's present commit.
func (f *fixture) show(summary string) review.Review {
	f.t.Helper()
	v, err := f.store.Ask(f.t.Context(), review.Asked{Worktree: f.w, Tip: f.Tree(f.w).Head(), Summary: summary, Gate: "passed", Files: 1, Insertions: 1})
	worktreetest.Must(f.t, err)
	return v
}

func (f *fixture) decide(why string) review.Decision {
	return review.Decision{Worktree: f.w.Ref, Why: why}
}

// last is the newest review.
func (f *fixture) last() review.Review {
	f.t.Helper()
	v, err := f.store.Get(f.t.Context(), "", f.w.Ref)
	worktreetest.Must(f.t, err)
	return v
}

func (f *fixture) status() (status, holder string) {
	f.t.Helper()
	d, err := f.tasks.Get(f.t.Context(), "T-1")
	worktreetest.Must(f.t, err)
	return d.Status, d.Agent
}

// The work lands as it was shown: later commits stay in the worktree.
func TestAcceptedIsWhatWasShown(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	shown := f.show("The form is there.")
	f.Tree(f.w).Commit("Late", "late.txt", "not shown\n")
	v, merged, err := f.store.Accept(t.Context(), f.decide(""))
	worktreetest.Must(t, err)
	if v.State != review.Accepted || v.Merged != merged.Commit || v.By != "person" || merged.Removed {
		t.Errorf("%+v %+v", v, merged)
	}
	if tip := f.Main.Git("rev-parse", "HEAD^2"); tip != shown.Tip {
		t.Errorf("%s landed, and %s was shown", tip, shown.Tip)
	}
	for file, want := range map[string]bool{"login.go": true, "late.txt": false} {
		if _, err := os.Lstat(filepath.Join(f.Main.Dir, file)); (err == nil) != want {
			t.Errorf("%s: %v", file, err)
		}
	}
	if now := f.Get(f.w); !now.Status.Live() || f.Tree(now).Read("late.txt") != "not shown\n" {
		t.Errorf("the worktree is %s", now.Status)
	}
	again, repeated, err := f.store.Accept(t.Context(), f.decide(""))
	if err != nil || again.State != review.Accepted || repeated.Commit != merged.Commit {
		t.Errorf("repeated: %+v %+v, %v", again, repeated, err)
	}
}

// Work that conflicts by now lands once it is shown anew, and until then it conflicts, whatever its branch holds.
func TestConflictOfWhatWasShown(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.store.Conflicts = &conflict.Store{DB: f.DB, CacheDir: t.TempDir()}
	f.show("The form is there.")
	f.Main.Commit("theirs", "login.go", "package theirs\n")
	refused := func(when string) {
		t.Helper()
		out, err := f.store.Outcome(t.Context(), "app", time.Hour)
		if err != nil || len(out.Waiting) != 1 || !slices.Equal(out.Waiting[0].Conflicts, []string{"login.go"}) {
			t.Errorf("%s: %+v, %v", when, out.Waiting, err)
		}
		_, _, err = f.store.Accept(t.Context(), f.decide(""))
		worktreetest.Contains(t, err, "conflicts with main", "commit there, then `agit finish "+f.w.Ref+"`")
	}
	refused("shown")
	tree := f.Tree(f.w)
	tree.Write("login.go", "package theirs\n")
	refused("resolved, and not committed")
	tree.Git("checkout", "-q", "login.go")
	if _, err := tree.TryGit("merge", "main"); err == nil {
		t.Fatal("no conflict")
	}
	tree.Commit("resolved", "login.go", "package both\n")
	refused("resolved")
	f.show("It is resolved.")
	_, merged, err := f.store.Accept(t.Context(), f.decide(""))
	if err != nil || !merged.Removed {
		t.Errorf("%+v, %v", merged, err)
	}
}

// A branch that got the default branch since its work was shown holds nothing beside that.
func TestAcceptedAfterAnUpdate(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("The form is there.")
	f.Main.Commit("theirs", "b.txt", "theirs\n")
	_, err := f.Landings.Update(t.Context(), land.UpdateRequest{Worktree: f.w.Ref})
	worktreetest.Must(t, err)
	_, merged, err := f.store.Accept(t.Context(), f.decide(""))
	if status, _ := f.status(); err != nil || !merged.Removed || status != task.Completed {
		t.Errorf("%+v, %v: T-1 is %s", merged, err, status)
	}
}

// Work that was amended since it was shown does not land, is marked, and the refusal leads to what does. Later commits amend nothing.
func TestAmendedSinceShown(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("The form is there.")
	f.Tree(f.w).Commit("Late", "late.txt", "not shown\n")
	if f.last().Amended {
		t.Error("a later commit amends what was shown")
	}
	f.Tree(f.w).Git("reset", "-q", "--soft", "HEAD^")
	for _, other := range [][]string{{"commit", "-q", "--amend", "-m", "other"}, {"reset", "-q", "--soft", "HEAD^"}} {
		f.Tree(f.w).Git(other...)
		if out, err := f.store.Outcome(t.Context(), "app", time.Hour); err != nil || len(out.Waiting) != 1 || !out.Waiting[0].Amended {
			t.Errorf("%+v, %v", out.Waiting, err)
		}
		_, _, err := f.store.Accept(t.Context(), f.decide(""))
		worktreetest.Contains(t, err, "no longer has commit")
		if hint := fault.From(err).Hint; !strings.Contains(hint, "agit finish "+f.w.Ref) || !strings.Contains(hint, "--return") || strings.Contains(hint, "ask again") {
			t.Errorf("hint %q", hint)
		}
	}
}

// A doubt is kept beside the agent's summary as long as it is about the same commit, and does not land with it.
func TestDoubt(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	for _, summary := range []string{"", "Waits for nothing.\n\nIt is done."} {
		v, err := f.store.Ask(t.Context(), review.Asked{Worktree: f.w, Tip: f.Tree(f.w).Head(), Summary: summary, Doubt: "a.txt is in the way"})
		worktreetest.Must(t, err)
		if v.Doubt != "a.txt is in the way" || v.Summary != summary {
			t.Errorf("%q: %q, %q", summary, v.Doubt, v.Summary)
		}
	}
	for _, c := range []struct{ tip, doubt string }{{f.Tree(f.w).Head(), "a.txt is in the way"}, {f.Tree(f.w).Commit("mended"), ""}} {
		v, err := f.store.Ask(t.Context(), review.Asked{Worktree: f.w, Tip: c.tip})
		worktreetest.Must(t, err)
		if v.Doubt != c.doubt || v.Summary != "Waits for nothing.\n\nIt is done." {
			t.Errorf("asked again: %q, %q", v.Doubt, v.Summary)
		}
	}
	_, merged, err := f.store.Accept(t.Context(), f.decide(""))
	worktreetest.Must(t, err)
	if said := f.Main.Git("log", "-1", "--format=%B", merged.Commit); strings.Contains(said, "a.txt") || !strings.Contains(said, "Waits for nothing.") {
		t.Error(said)
	}
}

// Uncommitted files that came after the work was shown stay in the worktree, and so does the worktree. Other obstacles refuse it.
func TestAcceptedWithLaterFiles(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("The form is there.")
	tree := f.Tree(f.w)
	worktreetest.Must(t, os.WriteFile(filepath.Join(tree.Dir, "later.txt"), []byte("later\n"), 0o600))
	worktreetest.Must(t, os.WriteFile(filepath.Join(tree.Dir, "login.go"), []byte("package later\n"), 0o600))
	_, err := f.Landings.Land(t.Context(), land.Request{Worktree: f.w.Ref}) // of what was not shown
	worktreetest.Contains(t, err, "login.go", "later.txt")
	f.Main.Git("worktree", "lock", f.w.Path)
	_, _, err = f.store.Accept(t.Context(), f.decide(""))
	worktreetest.Contains(t, err, "has it locked")
	f.Main.Git("worktree", "unlock", f.w.Path)
	v, merged, err := f.store.Accept(t.Context(), f.decide(""))
	if err != nil || v.State != review.Accepted || merged.Removed || len(merged.Kept) != 2 || !strings.HasPrefix(merged.TaskOpen, "task T-1 stays open") {
		t.Errorf("%+v %+v, %v", v, merged, err)
	}
	if landed := f.Main.Read("login.go"); landed != "package login\n" || tree.Read("login.go") != "package later\n" || tree.Read("later.txt") != "later\n" {
		t.Errorf("%q landed; %q and %q stay", landed, tree.Read("login.go"), tree.Read("later.txt"))
	}
	_, err = f.tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "ann"}, ID: "T-1", Status: task.Completed, Result: "Done."})
	worktreetest.Must(t, err)
	tree.Git("checkout", "-q", "login.go")
	worktreetest.Must(t, os.Remove(filepath.Join(tree.Dir, "later.txt")))
	tree.Commit("More", "more.go", "package login\n")
	f.At("merge:asked", func() {
		worktreetest.Must(t, os.WriteFile(filepath.Join(tree.Dir, "later.txt"), []byte("later\n"), 0o600))
	})
	if again := f.Merge(f.Get(f.w)); len(again.Kept) != 1 || again.TaskOpen != "" {
		t.Errorf("of a task that is done: %+v", again)
	}
}

// A task's result is its agent's summary, and a landing that fails leaves the review as it was.
func TestAcceptKeepsTheSummary(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("The form is there.")
	f.Set.Gate = []string{"false"}
	if _, _, err := f.store.Accept(t.Context(), f.decide("")); err == nil {
		t.Fatal("it landed although the gate failed")
	}
	if v := f.last(); v.State != review.Waiting || v.By != "" {
		t.Errorf("after a failure: %+v", v)
	}
	f.Set.Gate = nil
	_, merged, err := f.store.Accept(t.Context(), review.Decision{Worktree: f.w.Ref, By: "ann", Seen: f.Tree(f.w).Head()})
	worktreetest.Must(t, err)
	d, err := f.tasks.Get(t.Context(), "T-1")
	worktreetest.Must(t, err)
	if d.Status != task.Completed || d.Result != "The form is there." || !merged.Removed || f.last().By != "ann" {
		t.Errorf("%+v %+v", d, merged)
	}
	if message := f.Main.Git("log", "-1", "--format=%B"); message != "Merge branch '"+f.w.Branch+"'\n\nLog in\n\nThe form is there." {
		t.Errorf("%q", message)
	}
}

// Accepting work that a person merged meanwhile returns that landing, and lands nothing twice.
func TestAcceptWhatLandedElsewhere(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("The form is there.")
	landed := f.Merge(f.w)
	head := f.Main.Head()
	v, merged, err := f.store.Accept(t.Context(), f.decide(""))
	if err != nil || v.State != review.Accepted || merged.Commit != landed.Commit || !merged.Removed || merged.Worktree.Ref != f.w.Ref || f.Main.Head() != head {
		t.Errorf("%+v %+v, %v", v, merged, err)
	}
	if d, err := f.tasks.Get(t.Context(), "T-1"); err != nil || d.Result != "The form is there." {
		t.Errorf("%+v, %v", d, err)
	}
}

// A repeated call asks once. Its agent is idle from then on, unless it holds another task.
func TestAsk(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	first := f.show("Done.")
	f.Tree(f.w).Commit("More", "more.go", "package login\n")
	second := f.show("")
	if second.ID != first.ID || second.Tip == first.Tip || second.Tip != f.Tree(f.w).Head() || second.Summary != "Done." || second.AskedAt != first.AskedAt {
		t.Errorf("%+v, then %+v", first, second)
	}
	if third := f.show("Really done."); third.Summary != "Really done." {
		t.Errorf("%+v", third)
	}
	idle := func() bool {
		var a agent.Agent
		worktreetest.Must(t, f.DB.Read(t.Context(), func(tx *registry.Tx) (err error) {
			a, err = agent.Get(tx, "ann")
			return err
		}))
		return a.Status == "idle"
	}
	if !idle() {
		t.Error("an agent that only waits for a review is not idle")
	}
	_, err := f.tasks.Create(t.Context(), []task.New{{ID: "T-2", Repo: "app", Text: "Log out"}})
	worktreetest.Must(t, err)
	_, err = f.tasks.Claim(t.Context(), "T-2", "ann")
	worktreetest.Must(t, err)
	f.show("")
	if idle() {
		t.Error("an agent that holds another task is idle")
	}
}

// The agent gets the words of a return once; other words on work that was returned already are refused, not swallowed.
func TestReturn(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("Done.")
	v, err := f.store.Return(t.Context(), f.decide("the retry needs a test"), time.Hour)
	worktreetest.Must(t, err)
	if v.State != review.Returned || v.Why != "the retry needs a test" || v.By != "person" || v.DecidedAt == nil {
		t.Errorf("%+v", v)
	}
	if again, err := f.store.Return(t.Context(), f.decide("the retry needs a test"), time.Hour); err != nil || again.ID != v.ID {
		t.Errorf("repeated: %+v, %v", again, err)
	}
	if _, err := f.store.Return(t.Context(), f.decide("and a changelog line"), time.Hour); !fault.Is(err, fault.KindConflict) {
		t.Errorf("other words: %v", err)
	}
	f.write(func(tx *registry.Tx) error { // it is of this item alone, also when its worktree gets another one
		_, own, err := review.LastFor(tx, f.w.ID, f.w.ItemID)
		_, other, failed := review.LastFor(tx, f.w.ID, f.w.ItemID+1)
		if !own || other {
			t.Errorf("the last review of the item: %t, of another one: %t", own, other)
		}
		return errors.Join(err, failed)
	})
	if now := f.last(); now.Why != "the retry needs a test" {
		t.Errorf("%+v", now)
	}
	if _, err := f.store.Return(t.Context(), f.decide(""), time.Hour); !fault.Is(err, fault.KindValidation) {
		t.Errorf("no words: %v", err)
	}
	if _, _, err := f.store.Accept(t.Context(), f.decide("")); !fault.Is(err, fault.KindConflict) {
		t.Errorf("accepting what was returned: %v", err)
	}
	var noted []string
	worktreetest.Must(t, f.DB.Read(t.Context(), func(tx *registry.Tx) (err error) {
		noted, err = registry.Collect(tx, registry.One[string], `SELECT why FROM item_history WHERE item_id = ? AND field = 'review'`, f.w.ItemID)
		return err
	}))
	if len(noted) != 1 || noted[0] != "the retry needs a test" {
		t.Errorf("the history has %q", noted)
	}
}

// A person reads and returns work on another machine, also where several machines have a repository of its name.
func TestReturnElsewhere(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	now := worktreetest.Stamp(0)
	for id, host := range map[int]string{8: "desktop", 9: "laptop"} {
		f.Exec(`INSERT INTO repos (id, uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at) VALUES (?, ?, ?, 'far', 'far', ?, '/far', '/far/.git', 'main', ?, ?)`,
			id, "r-"+host, f.Repo.ProjectID, host, now, now)
	}
	f.Exec(`INSERT INTO worktrees (id, uid, ref, repo_id, host, path, branch, status, created_at, updated_at) VALUES (9, 'w9', 'w-9', 9, 'laptop', '/w', 'b', 'active', ?, ?)`, now, now)
	f.Exec(`INSERT INTO reviews (uid, project_id, worktree_id, state, tip_oid, onto_oid, summary, gate, gate_log, files, insertions, deletions, asked_at) VALUES ('v9', ?, 9, 'waiting', 'abc', '', 'There.', '', '', 1, 1, 1, ?)`, f.Repo.ProjectID, now)
	if v, err := f.store.Get(t.Context(), "", "w-9"); err != nil || v.State != review.Waiting {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := f.store.Return(t.Context(), review.Decision{Worktree: "w-9", Why: "no"}, time.Hour); err != nil || v.State != review.Returned {
		t.Errorf("%+v, %v", v, err)
	}
}

// Work that is being landed, or has landed, is not returned, neither by a person nor by a forge.
func TestReturnWhatLands(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	shown := f.show("Done.")
	refused := func(want string) {
		t.Helper()
		_, err := f.store.Return(t.Context(), f.decide("no"), time.Hour)
		worktreetest.Contains(t, err, want)
		_, done, failed := f.store.HandBack(t.Context(), review.FromForge{Worktree: f.w, Tip: shown.Tip, Number: 7, Why: "no",
			Fresh: func(*registry.Tx) (bool, error) { return true, nil }}, time.Hour)
		if !fault.Is(err, fault.KindConflict) || done || failed != nil {
			t.Errorf("%v; by the forge %v, %v", err, done, failed)
		}
	}
	f.At("merge:asked", func() {
		refused("is being landed")
		f.Tree(f.w).Commit("Late", "late.go", "package login\n") // so that the worktree stays
	})
	f.Merge(f.w)
	f.Step = nil
	refused("landed already")
	v, _, err := f.store.Accept(t.Context(), f.decide("")) // as the refusal proposes
	if err != nil || v.State != review.Accepted {
		t.Errorf("%+v, %v", v, err)
	}
}

// A landing that was cut off before the branch moved keeps no work from being returned.
func TestReturnAfterACutOffLanding(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("Done.")
	f.Exec(`INSERT INTO landings (uid, project_id, repo_id, worktree_id, host, pid, process, state, strategy, target, tip_oid, asked_at)
		SELECT 'l', project_id, ?, worktree_id, ?, 0, 'gone', 'running', 'merge', 'main', tip_oid, asked_at FROM reviews`, f.Repo.ID, registry.Host())
	if v, err := f.store.Return(t.Context(), f.decide("no"), time.Hour); err != nil || v.State != review.Returned {
		t.Errorf("%+v, %v", v, err)
	}
}

// Work that was returned, or shown anew, between the decision to accept it and the landing does not land.
func TestAcceptIsDecidedWithTheLanding(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile, want string
	}{
		"returned":   {`UPDATE reviews SET state = 'returned'`, "was returned already"},
		"shown anew": {`UPDATE reviews SET tip_oid = onto_oid`, "was shown anew"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setUp(t)
			f.show("Done.")
			head := f.Main.Head()
			f.Worktrees.Options.Settings = func(repo.Repo) worktree.Settings { // which the landing reads before it asks
				f.Exec(c.meanwhile)
				return f.Set
			}
			_, _, err := f.store.Accept(t.Context(), f.decide(""))
			worktreetest.Contains(t, err, c.want)
			if !fault.Is(err, fault.KindConflict) || f.Main.Head() != head {
				t.Errorf("%v; main moved: %v", err, f.Main.Head() != head)
			}
		})
	}
}

// Work that is shown anew while the earlier state lands goes on waiting.
func TestShownAnewWhileItLands(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("Done.")
	f.At("merge:asked", func() {
		f.Tree(f.w).Commit("More", "more.go", "package login\n")
		f.show("More.")
	})
	v, merged, err := f.store.Accept(t.Context(), f.decide(""))
	if err != nil || merged.Commit == "" || v.State != review.Waiting || v.Summary != "More." {
		t.Errorf("%+v %+v, %v", v, merged, err)
	}
}

// Work whose task is handed over waits as the work of the agent that has it by now, and is found by that name.
func TestWaitsForTheAgentThatHasIt(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("Done.")
	_, err := f.tasks.HandOver(t.Context(), "T-1", "ben", task.Caller{Force: true})
	worktreetest.Must(t, err)
	for _, name := range []string{f.w.Ref, "ben"} {
		if v, err := f.store.Get(t.Context(), "", name); err != nil || v.Agent != "ben" {
			t.Errorf("%s: of %q, %v", name, v.Agent, err)
		}
	}
	f.Exec(`UPDATE worktrees SET agent_id = NULL`) // its registration was removed
	if v := f.last(); v.Agent != "ann" || v.AgentID == 0 {
		t.Errorf("of %q", v.Agent)
	}
}

// The agent keeps a task that was returned, to correct it. The task of an agent that was silent for too long goes back into the queue.
func TestReturnToASilentAgent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seen   time.Duration // how long ago
		gone   bool          // its registration was removed
		status string
		holder string
	}{
		"lately":           {0, false, task.InProgress, "ann"},
		"before the limit": {59 * time.Minute, false, task.InProgress, "ann"},
		"too long ago":     {61 * time.Minute, false, task.Pending, ""},
		"it was removed":   {0, true, task.Pending, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setUp(t)
			_, err := f.tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "ann"}, ID: "T-1", Status: task.InProgress})
			worktreetest.Must(t, err)
			f.show("Done.")
			f.Exec(`UPDATE agents SET last_seen_at = ?`, worktreetest.Stamp(-c.seen))
			if c.gone {
				f.Exec(`UPDATE agents SET removed_at = ?`, worktreetest.Stamp(0))
			}
			_, err = f.store.Return(t.Context(), f.decide("the retry needs a test"), time.Hour)
			worktreetest.Must(t, err)
			if status, holder := f.status(); status != c.status || holder != c.holder {
				t.Errorf("the task is %s, of %q; want %s, of %q", status, holder, c.status, c.holder)
			}
		})
	}
}

// Accepted work completes the task of an agent that was removed since, unless another one holds it by then.
func TestAcceptedOfARemovedAgent(t *testing.T) {
	t.Parallel()
	for holder, want := range map[string]string{"ann": task.Completed, "bob": task.InProgress} {
		f := setUp(t)
		_, err := f.tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "ann"}, ID: "T-1", Status: task.Pending, Why: "later"})
		worktreetest.Must(t, err)
		_, err = f.tasks.Claim(t.Context(), "T-1", holder)
		worktreetest.Must(t, err)
		_, err = f.tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: holder}, ID: "T-1", Status: task.InProgress})
		worktreetest.Must(t, err)
		f.show("Done.")
		f.Exec(`UPDATE agents SET removed_at = ? WHERE name = 'ann'`, worktreetest.Stamp(0))
		f.Exec(`UPDATE worktrees SET agent_id = NULL`)
		_, merged, err := f.store.Accept(t.Context(), f.decide(""))
		if status, _ := f.status(); err != nil || status != want || (merged.TaskOpen == "") != (want == task.Completed) {
			t.Errorf("held by %s: %s, %+v, %v", holder, status, merged, err)
		}
	}
}

// A decision on work that was never shown is refused with the state of the work.
func TestNotShown(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	_, err := f.store.Get(t.Context(), "", f.w.Ref)
	worktreetest.Contains(t, err, "is not finished by ann")
	f.Exec(`UPDATE worktrees SET status = 'trashed' WHERE id = ?`, f.w.ID)
	_, err = f.store.Get(t.Context(), "", f.w.Ref)
	worktreetest.Contains(t, err, "was not shown for review", "trashed")
}

// A review of a worktree that was merged or removed meanwhile no longer waits.
func TestDecidedElsewhere(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("Done.")
	for _, c := range []struct {
		status worktree.Status
		want   review.State
		waits  int
	}{{worktree.Active, review.Waiting, 1}, {worktree.Completed, review.Accepted, 0}, {worktree.Trashed, review.Withdrawn, 0}} {
		f.Exec(`UPDATE worktrees SET status = ? WHERE id = ?`, c.status, f.w.ID)
		var waiting []review.Review
		var last review.Review
		worktreetest.Must(t, f.DB.Read(t.Context(), func(tx *registry.Tx) (err error) {
			if waiting, err = review.WaitingIn(tx, f.Repo.ID); err == nil {
				last, _, err = review.LastFor(tx, 0, f.w.ItemID)
			}
			return err
		}))
		if len(waiting) != c.waits || last.State != c.want {
			t.Errorf("%s: %d wait, the last is %s", c.status, len(waiting), last.State)
		}
	}
}

// Work whose pull request is open shows the state of that until it ends.
func TestPullOfWhatWaits(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.show("Done.")
	waits := func() string {
		t.Helper()
		var all []review.Review
		worktreetest.Must(t, f.DB.Read(t.Context(), func(tx *registry.Tx) (err error) {
			all, err = review.WaitingIn(tx, f.Repo.ID)
			return err
		}))
		if len(all) != 1 {
			t.Fatalf("%+v", all)
		}
		return all[0].Pull
	}
	if got := waits(); got != "" {
		t.Errorf("without a pull request: %q", got)
	}
	now := registry.FormatTime(time.Now())
	f.Exec(`INSERT INTO pull_requests (uid, worktree_id, forge, number, url, state, checks, opened_at, seen_at) VALUES ('u', ?, 'github', 7, 'x', 'open', 'failed', ?, ?)`, f.w.ID, now, now)
	if got := waits(); got != "pull request #7 has checks that failed" {
		t.Errorf("%q", got)
	}
	f.Exec(`UPDATE pull_requests SET state = 'closed'`)
	if got := waits(); got != "" {
		t.Errorf("closed: %q", got)
	}
}

// Work that changes the rules of later landings has a warning, in the list and alone, while it waits.
func TestSettingsThatWorkChanges(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.Main.Commit("Settings", ".agit.toml", "[agent]\n") // of main alone, after the work began
	tree := f.Tree(f.w)
	tree.Commit("Include", ".worktreeinclude", ".env\n", "sub/.agit.toml", "x\n")
	tree.Commit("Case", ".AGIT.TOML", "x\n")
	f.show("Done.")
	want := ".AGIT.TOML .worktreeinclude"
	if o := f.outcome(); len(o.Waiting) != 1 || strings.Join(o.Waiting[0].Settings, " ") != want {
		t.Errorf("%+v", o.Waiting)
	}
	v, err := f.store.Get(t.Context(), "", f.w.Ref)
	if err != nil || strings.Join(v.Settings, " ") != want {
		t.Errorf("%+v, %v", v, err)
	}
	f.Exec(`UPDATE reviews SET state = 'returned'`)
	if v, err := f.store.Get(t.Context(), "", f.w.Ref); err != nil || v.Settings != nil {
		t.Errorf("decided: %+v, %v", v, err)
	}
}
