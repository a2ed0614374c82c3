package overview

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/worktree"
)

// A worktree whose merge was refused becomes active again once a scan finds that it would merge; without a scan it stays as it is.
func TestSettle(t *testing.T) {
	const main = "main"
	with := func(ref string) conflict.Conflict {
		return conflict.Conflict{File: "a.go", Depth: conflict.DepthMerge, DefaultBranch: main, Worktrees: []conflict.Side{{ID: ref}}}
	}
	other := with("w-1")
	other.DefaultBranch, other.Worktrees = "", []conflict.Side{{ID: "w-1"}, {ID: "w-2"}}
	for name, c := range map[string]struct {
		report *conflict.Report
		want   worktree.Status
	}{
		"no scan":                        {nil, worktree.Conflict},
		"nothing found":                  {&conflict.Report{Depth: conflict.DepthMerge}, worktree.Active},
		"another's conflict with main":   {&conflict.Report{Depth: conflict.DepthMerge, Conflicts: []conflict.Conflict{with("w-2")}}, worktree.Active},
		"a conflict with another":        {&conflict.Report{Depth: conflict.DepthMerge, Conflicts: []conflict.Conflict{other}}, worktree.Active},
		"its own conflict with main":     {&conflict.Report{Depth: conflict.DepthMerge, Conflicts: []conflict.Conflict{with("w-1")}}, worktree.Conflict},
		"a scan that did not merge":      {&conflict.Report{Depth: conflict.DepthLines}, worktree.Conflict},
		"a git that cannot":              {&conflict.Report{Depth: conflict.DepthMerge, MergeUnavailable: "git is old"}, worktree.Conflict},
		"no default branch":              {&conflict.Report{Depth: conflict.DepthMerge, NoDefaultBranch: "it is gone"}, worktree.Conflict},
		"it could not be scanned":        {&conflict.Report{Depth: conflict.DepthMerge, Skipped: []conflict.Skipped{{ID: "w-1"}}}, worktree.Conflict},
		"its merge could not be tried":   {&conflict.Report{Depth: conflict.DepthMerge, Failures: []conflict.Failure{{A: main, B: "w-1"}}}, worktree.Conflict},
		"another's could not be tried":   {&conflict.Report{Depth: conflict.DepthMerge, Failures: []conflict.Failure{{A: main, B: "w-2"}}}, worktree.Active},
		"another could not be scanned":   {&conflict.Report{Depth: conflict.DepthMerge, Skipped: []conflict.Skipped{{ID: "w-2"}}}, worktree.Active},
		"the merge of two others failed": {&conflict.Report{Depth: conflict.DepthMerge, Failures: []conflict.Failure{{A: "w-2", B: "w-3"}}}, worktree.Active},
	} {
		r := RepoStatus{Conflicts: c.report, Worktrees: []WorktreeStatus{{Worktree: worktree.Worktree{Ref: "w-1", Status: worktree.Conflict}}}}
		r.settle()
		if got := r.Worktrees[0].Status; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Uncommitted files are counted where a scan looked, and unknown elsewhere.
func TestCountDirty(t *testing.T) {
	r := RepoStatus{Worktrees: []WorktreeStatus{{Worktree: worktree.Worktree{Ref: "w-1"}}, {Worktree: worktree.Worktree{Ref: "w-2"}}, {Worktree: worktree.Worktree{Ref: "w-3"}}},
		Conflicts: &conflict.Report{Touched: []conflict.Touched{
			{Worktree: conflict.Worktree{Ref: "w-1"}, Files: []conflict.Touch{{Path: "a", Committed: true}}, Uncommitted: 2},
			{Worktree: conflict.Worktree{Ref: "w-2"}, Files: []conflict.Touch{{Path: "a", Committed: true}}},
		}}}
	r.settle()
	two, none := 2, 0
	if diff := cmp.Diff([]*int{&two, &none, nil}, []*int{r.Worktrees[0].Dirty, r.Worktrees[1].Dirty, r.Worktrees[2].Dirty}); diff != "" {
		t.Error(diff)
	}
}
