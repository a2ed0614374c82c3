package obstacle

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// A refusal names every obstacle, and its hint begins with what has to be settled first.
func TestRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		kinds []Kind
		hint  string
		retry bool
	}{
		"unmerged":                   {[]Kind{Unmerged}, "`agit merge`", false},
		"uncommitted before merging": {[]Kind{Unmerged, Untracked, Uncommitted}, "commit what is to be kept", false},
		"inside a submodule first":   {[]Kind{Uncommitted, Submodule}, "commit and push inside the submodule first", false},
		"new files":                  {[]Kind{Untracked, Unmerged}, "if they belong to the work", false},
		"precious":                   {[]Kind{Precious, Unmerged}, "copy what is to be kept", false},
		"a rebase before its branch": {[]Kind{OtherBranch, InProgress}, "finish that first", false},
		"a rebase before its files":  {[]Kind{Uncommitted, InProgress}, "finish that first", false},
		"doctor before all":          {[]Kind{Locked, Disagreement, Uncommitted}, "agit doctor", false},
		"on another branch":          {[]Kind{OtherBranch, Uncommitted}, "`git switch`", false},
		"its branch is gone":         {[]Kind{OtherBranch, NoBranch, Uncommitted}, "`agit doctor` names the command that makes the branch again", false},
		"at work":                    {[]Kind{AtWork}, "wait until it is idle", true},
		"at work, and unmerged":      {[]Kind{AtWork, Unmerged}, "`agit merge`", false},
	} {
		var p Proof
		for _, kind := range c.kinds {
			p.Add(kind, nil, "it is %s", kind)
		}
		err := Refuse(worktree.Worktree{Ref: "w-1"}, "removed", p.Obstacles)
		var refusal *Refusal
		if !errors.As(err, &refusal) || !fault.Is(err, fault.KindConflict) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f := fault.From(err)
		if !strings.Contains(f.Hint, c.hint) || f.Retryable != c.retry {
			t.Errorf("%s: the hint is %q, try again: %t", name, f.Hint, f.Retryable)
		}
		for _, kind := range c.kinds {
			if !strings.Contains(f.Message, string(kind)) || !p.Has(kind) {
				t.Errorf("%s: %s is not in %q", name, kind, f.Message)
			}
		}
	}
	if err := Refuse(worktree.Worktree{}, "removed", nil); err != nil {
		t.Errorf("nothing stands in the way: %v", err)
	}
}

// A worktree must have its own branch checked out, which exists.
func TestCheckBranch(t *testing.T) {
	for name, c := range map[string]struct {
		head      git.Head
		branch    string
		branchOID string
		kind      Kind
		want      string
	}{
		"its own":           {git.Head{OID: "abc", Ref: "refs/heads/x/y"}, "x/y", "abc", "", ""},
		"on none, as it is": {git.Head{OID: "abc"}, "", "", "", ""},
		"another":           {git.Head{OID: "abc", Ref: "refs/heads/z"}, "x/y", "abc", OtherBranch, "it has branch z checked out, not its branch x/y"},
		"detached":          {git.Head{OID: "abc"}, "x/y", "abc", OtherBranch, "it has commit abc checked out, not its branch x/y"},
		"renamed":           {git.Head{OID: "abc", Ref: "refs/heads/z"}, "x/y", "", NoBranch, "its branch x/y does not exist, and it has branch z checked out"},
		"deleted under it":  {git.Head{Ref: "refs/heads/x/y"}, "x/y", "", NoBranch, "its branch x/y does not exist"},
	} {
		p := Proof{Subject: Subject{Worktree: worktree.Worktree{Branch: c.branch}}, Head: c.head, BranchOID: c.branchOID}
		p.checkBranch()
		var want []Obstacle
		if c.kind != "" {
			want = []Obstacle{{c.kind, c.want, nil}}
		}
		if diff := cmp.Diff(want, p.Obstacles); diff != "" || c.kind != "" && !c.kind.Absolute() {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
