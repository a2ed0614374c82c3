package review_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// raced is a fixture whose task has two tries: the first in ann's worktree, the other beside it.
type raced struct {
	*fixture
	other worktree.Worktree
	list  []tries.Try
}

func setUpRace(t *testing.T) *raced {
	t.Helper()
	f := &raced{fixture: setUp(t)}
	f.other = f.Get(f.Spawn(spawn.Request{Branch: "agit/other", Agent: "ann-try2"}))
	f.Tree(f.other).Commit("Log in otherwise", "login.go", "package login\n\nvar other int\n")
	f.other = f.Get(f.other)
	f.write(func(tx *registry.Tx) (err error) {
		if f.list, err = tries.Begin(tx, f.w, []string{"claude", "codex"}); err == nil {
			err = tries.SetWorktree(tx, f.list[1], f.other.ID)
		}
		return err
	})
	return f
}

func (f *fixture) write(do func(tx *registry.Tx) error) {
	f.t.Helper()
	worktreetest.Must(f.t, f.DB.Write(f.t.Context(), registry.Scope{Project: f.w.ProjectID}, do))
}

// shown asks for a review of each try, and ends it.
func (f *raced) shown() {
	f.t.Helper()
	for i, w := range []worktree.Worktree{f.w, f.other} {
		_, err := f.store.Ask(f.t.Context(), review.Asked{Worktree: w, Tip: f.Tree(w).Head(), Summary: "Try.", Gate: "passed", Files: 1, Insertions: 1})
		worktreetest.Must(f.t, err)
		f.write(func(tx *registry.Tx) error { return tries.End(tx, f.list[i], tries.Shown, "passed", "") })
	}
}

// Tasks of the two worktrees, and of their reviews.
func (f *raced) tasksOf() (list []string) {
	f.t.Helper()
	for _, w := range []worktree.Worktree{f.w, f.other} {
		v, err := f.store.Get(f.t.Context(), "", w.Ref)
		worktreetest.Must(f.t, err)
		var item int64
		f.write(func(tx *registry.Tx) (err error) {
			item, err = registry.One[int64](tx.QueryRow(`SELECT COALESCE(item_id, 0) FROM reviews WHERE worktree_id = ? AND state = 'waiting'`, w.ID))
			return err
		})
		words := f.Get(w).TaskID
		if item != 0 {
			words += " reviewed"
		}
		list = append(list, strings.TrimSpace(words+" "+string(v.State)))
	}
	return list
}

// While a try runs none is accepted, and the task has no review. Then the first that is shown leads. The one that is accepted lands with
// the task, and the others go to the trash.
func TestAcceptOneOfTries(t *testing.T) {
	t.Parallel()
	f := setUpRace(t)
	f.show("Try.")
	if _, _, err := f.store.Accept(t.Context(), f.decide("")); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "has not ended") || f.last().State != review.Waiting {
		t.Errorf("while another one goes on: %v, %+v", err, f.last())
	}
	worktreetest.Must(t, f.store.Lead(t.Context(), f.w.ProjectID, f.w.ItemID)) // no try leads yet
	f.shown()
	if diff := cmp.Diff([]string{"T-1 waiting", "waiting"}, f.tasksOf()); diff != "" {
		t.Errorf("before one leads:\n%s", diff)
	}
	worktreetest.Must(t, f.store.Lead(t.Context(), f.w.ProjectID, f.w.ItemID))
	if diff := cmp.Diff([]string{"T-1 reviewed waiting", "waiting"}, f.tasksOf()); diff != "" {
		t.Errorf("one leads:\n%s", diff)
	}

	f.Set.Gate = []string{`test "$AGIT_TASK" = T-1`}
	v, merged, err := f.store.Accept(t.Context(), review.Decision{Worktree: f.other.Ref})
	worktreetest.Must(t, err)
	if diff := cmp.Diff([]review.Discarded{{Worktree: f.w.Ref}}, v.Discarded); diff != "" || merged.Commit == "" {
		t.Errorf("%s %+v", diff, merged)
	}
	if status, _ := f.status(); status != "completed" {
		t.Errorf("the task is %s", status)
	}
	if d, err := f.tasks.Get(t.Context(), "T-1"); err != nil || d.Result != "Try." {
		t.Errorf("its result is %q, %v", d.Result, err)
	}
	if got := f.Main.Read("login.go"); !strings.Contains(got, "other") {
		t.Errorf("%q landed", got)
	}
	if first := f.Get(f.w); first.Status.Live() || first.ItemID != 0 {
		t.Errorf("the other try is %+v", first)
	}
}

// One of several tries lands: another one is refused while it lands and after it, also where nothing could be moved to the trash. The
// refused one lands beside it when a person merges it, and is then not reported as in the trash.
func TestOneTryLands(t *testing.T) {
	t.Parallel()
	f := setUpRace(t)
	f.shown()
	refused := func(want string) {
		t.Helper()
		_, _, err := f.store.Accept(t.Context(), review.Decision{Worktree: f.other.Ref})
		worktreetest.Contains(t, err, want, f.w.Ref)
		if v, failed := f.store.Get(t.Context(), "", f.other.Ref); !fault.Is(err, fault.KindConflict) || failed != nil || v.State != review.Waiting {
			t.Errorf("%v; it is %s, %v", err, v.State, failed)
		}
	}
	f.Step = func(step string) error {
		switch step {
		case "merge:asked":
			refused("is being landed")
			f.Tree(f.w).Commit("Late", "late.go", "package login\n") // so that its worktree stays too
		case "remove:planned":
			return errors.New("it cannot be moved")
		}
		return nil
	}
	first, _, err := f.store.Accept(t.Context(), f.decide(""))
	if err != nil || len(first.Discarded) != 1 || first.Discarded[0].Kept == "" {
		t.Fatalf("%+v, %v", first.Discarded, err)
	}
	f.Step = nil
	refused("has landed")
	if groups := f.outcome().Tries; len(groups) != 0 {
		t.Errorf("there is still a choice: %+v", groups)
	}
	f.Exec(`UPDATE worktrees SET status = 'completed' WHERE id = ?`, f.w.ID)
	f.Exec(`UPDATE landings SET worktree_id = ? WHERE worktree_id = ?`, f.other.ID, f.w.ID) // as where its forge merged it
	refused("has landed")
	v, _, err := f.store.Accept(t.Context(), f.decide(""))
	f.Exec(`UPDATE worktrees SET status = 'completed' WHERE id = ?`, f.other.ID)
	again, _, failed := f.store.Accept(t.Context(), f.decide(""))
	if err != nil || failed != nil || len(v.Discarded) != 1 || len(again.Discarded) != 0 {
		t.Errorf("%+v, %v; once both had landed %+v, %v", v.Discarded, err, again.Discarded, failed)
	}
}

// A try lands by its review and not by a merge, until no other one is left.
func TestMergeOfATry(t *testing.T) {
	t.Parallel()
	f := setUpRace(t)
	for _, c := range []struct {
		shown bool
		want  string
	}{{false, "`agit review` shows"}, {true, "--accept` lands it"}} {
		if c.shown {
			f.shown()
		}
		for _, w := range []worktree.Worktree{f.w, f.other} {
			q := land.Request{Worktree: w.Ref}
			_, err := f.Landings.Land(t.Context(), q)
			worktreetest.Contains(t, err, `one of several tries of task "T-1"`, c.want)
			if _, failed := f.Landings.Preview(t.Context(), q); failed == nil || failed.Error() != err.Error() {
				t.Errorf("its preview: %v", failed)
			}
		}
	}
	f.Exec(`UPDATE worktrees SET status = 'trashed' WHERE id = ?`, f.w.ID)
	_, err := f.Landings.Land(t.Context(), land.Request{Worktree: f.other.Ref})
	worktreetest.Contains(t, err, "one of several") // the task is not its own
	f.Exec(`UPDATE worktrees SET status = 'active' WHERE id = ?`, f.w.ID)
	f.Exec(`UPDATE worktrees SET status = 'trashed' WHERE id = ?`, f.other.ID)
	f.Merge(f.w)
	if status, _ := f.status(); status != "completed" {
		t.Errorf("the task is %s", status)
	}
	f.Exec(`UPDATE worktrees SET status = 'active' WHERE id = ?`, f.other.ID)
	_, err = f.Landings.Land(t.Context(), land.Request{Worktree: f.other.Ref}) // restored, to be merged beside it
	worktreetest.Contains(t, err, "conflicts with main")
}

// The task of a try that is returned stays in review while another try waits or runs. After the last one it is its agent's again, in the
// first try's worktree. Its history has the words for each.
func TestReturnTries(t *testing.T) {
	t.Parallel()
	f := setUpRace(t)
	_, err := f.tasks.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "ann"}, ID: "T-1", Status: task.InProgress})
	worktreetest.Must(t, err)
	f.Exec(`UPDATE agents SET last_seen_at = ?`, worktreetest.Stamp(-time.Hour))
	returned := func(w worktree.Worktree, why, want string) {
		t.Helper()
		if _, err := f.store.Return(t.Context(), review.Decision{Worktree: w.Ref, Why: why}, time.Minute); err != nil {
			t.Fatal(err)
		}
		var waits []string
		f.write(func(tx *registry.Tx) (err error) {
			waits, err = registry.Collect(tx, registry.One[string], `SELECT worktree FROM items_in_review`)
			return err
		})
		status, holder := f.status()
		if got := fmt.Sprintf("%s %q %v first %t", status, holder, waits, f.Get(f.w).ItemID != 0); got != want {
			t.Errorf("the task is %s, want %s", got, want)
		}
	}
	f.show("Early.")
	returned(f.w, "too early", `in_progress "ann" [] first true`) // the other runs
	f.Tree(f.w).Commit("More", "more.go", "package login\n")
	f.shown()
	worktreetest.Must(t, f.store.Lead(t.Context(), f.w.ProjectID, f.w.ItemID))
	returned(f.w, "needs a test", fmt.Sprintf(`in_progress "ann" [%s] first false`, f.other.Ref))
	returned(f.other, "is too long", `pending "" [] first true`)
	var noted []string
	f.write(func(tx *registry.Tx) (err error) {
		noted, err = registry.Collect(tx, registry.One[string], `SELECT why FROM item_history WHERE item_id = ? AND field = 'review' ORDER BY id`, f.w.ItemID)
		return err
	})
	if diff := cmp.Diff([]string{"try 1: too early", "try 1: needs a test", "try 2: is too long"}, noted); diff != "" {
		t.Error(diff)
	}
	for worktreeID, want := range map[int64]string{f.w.ID: "needs a test", f.other.ID: "is too long", 0: "is too long"} {
		f.write(func(tx *registry.Tx) error {
			last, ok, err := review.LastFor(tx, worktreeID, f.w.ItemID)
			if !ok || last.Why != want {
				t.Errorf("the last review for worktree %d: %q", worktreeID, last.Why)
			}
			return err
		})
	}
	if groups := f.outcome().Tries; len(groups) != 1 || groups[0].Tries[1].State != tries.Returned || groups[0].Tries[1].Why != "is too long" {
		t.Errorf("%+v", groups)
	}
}

// Where the first try's worktree is gone, the task stays with the try that was returned last.
func TestReturnWithoutTheFirst(t *testing.T) {
	t.Parallel()
	f := setUpRace(t)
	f.shown()
	f.Exec(`UPDATE worktrees SET status = 'trashed' WHERE id = ?`, f.w.ID)
	worktreetest.Must(t, f.store.Lead(t.Context(), f.w.ProjectID, f.w.ItemID))
	_, err := f.store.Return(t.Context(), review.Decision{Worktree: f.other.Ref, Why: "no"}, time.Hour)
	if err != nil || f.Get(f.other).ItemID != f.w.ItemID {
		t.Errorf("%v, the task of the other is %d", err, f.Get(f.other).ItemID)
	}
}

// A try whose folder cannot be moved to the trash stays, with the reason; so does one in a folder that others made.
func TestATryThatStays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keep func(f *raced)
		why  string
	}{
		"locked":         {func(f *raced) { f.Main.Git("worktree", "lock", "--reason", "a person looks", f.other.Path) }, "a person looks"},
		"made by others": {func(f *raced) { f.Exec(`UPDATE worktrees SET made_by = 'codex' WHERE id = ?`, f.other.ID) }, "codex made its folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setUpRace(t)
			f.shown()
			c.keep(f)
			v, _, err := f.store.Accept(t.Context(), f.decide(""))
			worktreetest.Must(t, err)
			if len(v.Discarded) != 1 || v.Discarded[0].Worktree != f.other.Ref || !strings.Contains(v.Discarded[0].Kept, c.why) || !f.Get(f.other).Status.Live() {
				t.Errorf("%+v", v.Discarded)
			}
		})
	}
}

// Two tries are compared by the commits that they show, a worktree without a review by its branch.
func TestBetween(t *testing.T) {
	t.Parallel()
	f := setUpRace(t)
	f.shown()
	f.Tree(f.other).Commit("Late", "late.go", "package late\n") // not shown
	third := f.Get(f.Spawn(spawn.Request{Branch: "agit/third", Agent: "bob"}))
	f.Tree(third).Commit("Third", "third.go", "package third\n")
	for _, c := range []struct {
		from, to worktree.Worktree
		want     []review.FileChange
	}{
		{f.w, f.other, []review.FileChange{{Path: "login.go", Insertions: 2}}},
		{f.other, f.w, []review.FileChange{{Path: "login.go", Deletions: 2}}},
		{f.w, third, []review.FileChange{{Path: "login.go", Deletions: 1}, {Path: "third.go", Insertions: 1}}},
	} {
		d, err := f.store.Between(t.Context(), "", c.from.Ref, c.to.Ref)
		worktreetest.Must(t, err)
		s, err := d.Stat(t.Context(), nil)
		worktreetest.Must(t, err)
		d.Close()
		if diff := cmp.Diff(c.want, s.Files); diff != "" || d.Worktree.Ref != c.to.Ref {
			t.Errorf("%s..%s: %s", c.from.Ref, c.to.Ref, diff)
		}
	}
	f.Exec(`UPDATE worktrees SET status = 'trashed' WHERE id = ?`, third.ID)
	if _, err := f.store.Between(t.Context(), "", f.w.Ref, third.Ref); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "was removed") {
		t.Errorf("one that is gone: %v", err)
	}
}
