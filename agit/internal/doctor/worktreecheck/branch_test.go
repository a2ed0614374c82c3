package worktreecheck_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/doctor/worktreecheck"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

// A worktree that has another branch checked out is named with the way back; one with
// its own branch, or with a commit alone as in a rebase, is not.
func TestOtherBranch(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "one"})
	check := func() (found []worktreecheck.Finding) {
		t.Helper()
		all, err := f.Audits.Check(t.Context(), "app")
		worktreetest.Must(t, err)
		for _, one := range all {
			if one.Kind == worktreecheck.BranchOther {
				found = append(found, one)
			}
		}
		return found
	}
	if found := check(); len(found) != 0 {
		t.Errorf("on its own branch: %+v", found)
	}
	f.Tree(w).Git("checkout", "-q", "-b", "elsewhere")
	found := check()
	if len(found) != 1 || found[0].Fixable() || !strings.Contains(found[0].Text, "has branch elsewhere checked out, not its own, "+w.Branch) || !strings.Contains(found[0].Remedy, "switch "+w.Branch) {
		t.Errorf("on another branch: %+v", found)
	}
	f.Tree(w).Git("checkout", "-q", "--detach")
	if found := check(); len(found) != 0 {
		t.Errorf("on none: %+v", found)
	}
}

// A default branch that was renamed is named with the way to the one that there is now; one without a commit yet is not.
func TestDefaultBranchIsGone(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	check := func() (found []string) {
		t.Helper()
		all, err := f.Audits.Check(t.Context(), "app")
		worktreetest.Must(t, err)
		for _, one := range all {
			found = append(found, one.Text+"; "+one.Remedy)
		}
		return found
	}
	f.Main.Git("checkout", "-q", "-b", "topic")
	if found := check(); len(found) != 0 {
		t.Errorf("not checked out: %q", found)
	}
	f.Main.Git("branch", "-m", "main", "trunk")
	if found := check(); len(found) != 1 || !strings.Contains(found[0], `has no branch "main", the default branch`) || !strings.Contains(found[0], "`agit add ") {
		t.Errorf("renamed: %q", found)
	}
	f.Main.Git("checkout", "-q", "--orphan", "main")
	if found := check(); len(found) != 0 {
		t.Errorf("before its first commit: %q", found)
	}
}

// A damaged default branch hides none of the other findings.
func TestDamagedDefaultBranch(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	worktreetest.Must(t, os.RemoveAll(w.Path))
	worktreetest.Must(t, os.WriteFile(filepath.Join(f.Repo.CommonDir, "refs", "heads", "main"), nil, 0o644))
	found, err := f.Audits.Check(t.Context(), "app")
	worktreetest.Must(t, err)
	kinds := map[worktreecheck.FindingKind]int{}
	for _, one := range found {
		kinds[one.Kind]++
	}
	if kinds[worktreecheck.Damaged] == 0 || kinds[worktreecheck.FolderMissing] != 1 || kinds[worktreecheck.Unreadable] != 0 {
		t.Errorf("%+v", found)
	}
}
