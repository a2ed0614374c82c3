package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
)

// shown is work that waits for a review and was changed since: a commit removed the file it adds, and there are two more.
func shown(t *testing.T) (*worktreetest.Fixture, *review.Store, worktree.Worktree, string) {
	t.Helper()
	f := worktreetest.New(t)
	s := &review.Store{DB: f.DB, Trees: f.Worktrees, Tasks: &task.Store{DB: f.DB}, Landings: f.Landings}
	w := f.Worked("x")
	tip := f.Tree(w).Git("rev-parse", "HEAD")
	if _, err := s.Ask(t.Context(), review.Asked{Worktree: w, Tip: tip}); err != nil {
		t.Fatal(err)
	}
	tree := f.Tree(w)
	tree.Git("rm", "-q", "new/x")
	tree.Git("commit", "-qm", "take it away")
	tree.Commit("more", "later.txt", "1\n")
	tree.Write("loose.txt", "2\n")
	return f, s, w, tip
}

func names(files []review.FileChange) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Path)
	}
	return strings.Join(list, " ")
}

// The part shown of waiting work is what lands; later changes are separate.
func TestDiffOfWhatWaits(t *testing.T) {
	t.Parallel()
	_, s, w, tip := shown(t)
	d, err := s.Diff(t.Context(), "app", w.Ref, review.Whole)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	stat, err := d.Stat(t.Context(), nil)
	if err != nil || stat.Shown != tip || stat.Landed != "" || names(stat.Files) != "a.txt new/x" {
		t.Errorf("shown: %+v, %v", stat, err)
	}
	later, err := s.Since(t.Context(), d)
	if err != nil || names(later) != "later.txt loose.txt new/x" {
		t.Errorf("later: %+v, %v", later, err)
	}
}

// Without a waiting review there are no later changes.
func TestNothingIsLaterThanNothing(t *testing.T) {
	t.Parallel()
	f, s, _, _ := shown(t)
	w := f.Worked("y")
	if _, err := s.Diff(t.Context(), "app", w.Ref, review.Later); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("%v", err)
	}
	d, err := s.Diff(t.Context(), "app", w.Ref, review.Whole)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if later, err := s.Since(t.Context(), d); len(later) > 0 || err != nil || d.Shown != "" {
		t.Errorf("%+v, %v", later, err)
	}
}

// Accepting lands the commit that was shown, not the branch's newest.
func TestAcceptLandsWhatWasShown(t *testing.T) {
	t.Parallel()
	f, s, w, tip := shown(t)
	f.Tree(w).Git("add", "loose.txt")
	f.Tree(w).Git("commit", "-qm", "all")
	v, merged, err := s.Accept(t.Context(), review.Decision{Repo: "app", Worktree: w.Ref})
	if err != nil || v.State != review.Accepted {
		t.Fatalf("%+v, %v", v, err)
	}
	if got := f.Main.Git("rev-parse", "main^2"); got != tip {
		t.Errorf("landed %s, shown was %s", got, tip)
	}
	if files := f.Main.Git("ls-tree", "-r", "--name-only", "main"); !strings.Contains(files, "new/x") || strings.Contains(files, "later.txt") {
		t.Errorf("main has %q", files)
	}
	if len(merged.Kept) == 0 {
		t.Error("the worktree with what came later was not kept")
	}
}

// A review is decided by a person.
func TestAgentsDoNotDecide(t *testing.T) {
	t.Parallel()
	f, s, w, _ := shown(t)
	before := f.Main.Git("rev-parse", "main")
	for _, asker := range []land.Asker{{Agent: "ann"}, {Run: "run-1"}, {Tool: true}} {
		if _, _, err := s.Accept(t.Context(), review.Decision{Worktree: w.Ref, Asker: asker}); !fault.Is(err, fault.KindConflict) {
			t.Errorf("%s accepted: %v", asker, err)
		}
		if _, err := s.Return(t.Context(), review.Decision{Worktree: w.Ref, Asker: asker, Why: "no"}, time.Minute); !fault.Is(err, fault.KindConflict) {
			t.Errorf("%s returned: %v", asker, err)
		}
		if _, err := f.Landings.Preview(t.Context(), land.Request{Worktree: w.Ref, Asker: asker}); !fault.Is(err, fault.KindConflict) {
			t.Errorf("%+v previews the landing of what waits: %v", asker, err)
		}
		if _, err := f.Landings.Land(t.Context(), land.Request{Worktree: w.Ref, Asker: asker}); !fault.Is(err, fault.KindConflict) {
			t.Errorf("%s merged: %v", asker, err)
		}
	}
	if v, err := s.Get(t.Context(), "", w.Ref); err != nil || v.State != review.Waiting || f.Main.Git("rev-parse", "main") != before {
		t.Errorf("%+v, %v", v, err)
	}
	f.Set.ByAgents = true
	if v, err := s.Return(t.Context(), review.Decision{Worktree: w.Ref, Asker: land.Asker{Agent: "ann"}, Why: "no"}, time.Minute); err != nil || v.State != review.Returned {
		t.Errorf("left to agents: %+v, %v", v, err)
	}
}
