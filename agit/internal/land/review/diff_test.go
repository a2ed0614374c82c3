package review_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
)

// A difference has the committed, staged, edited and new files since the worktree left the default branch, and touches neither the
// repository nor its index. For work that landed it is what landed.
func TestDiff(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.Main.Commit("Meanwhile", "b.txt", "another's\n")
	tree := f.Tree(f.w)
	tree.Write("a.txt", "1\n2\n3\n")
	tree.Write("staged.go", "package login\n")
	tree.Git("add", "staged.go")
	tree.Write("new.go", "package login\n\n")
	tree.Write("x.log", "ignored\n")
	before := tree.Git("status", "--porcelain")
	stat := func(paths ...string) review.Stat {
		t.Helper()
		d, err := f.store.Diff(t.Context(), "", f.w.Ref, review.Whole)
		worktreetest.Must(t, err)
		defer d.Close()
		s, err := d.Stat(t.Context(), paths)
		worktreetest.Must(t, err)
		var shown strings.Builder
		worktreetest.Must(t, d.Show(strings.NewReader(""), &shown, &shown, []string{"--name-only", "--no-color"}, paths))
		if none, err := d.Empty(t.Context(), paths); err != nil || none != (len(s.Files) == 0) {
			t.Errorf("empty: %v, %v, of %+v", none, err, s.Files)
		}
		for _, file := range s.Files {
			if !strings.Contains(shown.String(), file.Path+"\n") {
				t.Errorf("%s is counted, and not shown in %q", file.Path, shown.String())
			}
		}
		return s
	}
	want := []review.FileChange{{Path: "a.txt", Deletions: 6}, {Path: "login.go", Insertions: 1}, {Path: "new.go", Insertions: 2}, {Path: "staged.go", Insertions: 1}}
	s := stat()
	if diff := cmp.Diff(want, s.Files); diff != "" || s.Insertions != 4 || s.Deletions != 6 || s.Landed != "" {
		t.Errorf("%s %+v", diff, s)
	}
	if s := stat("login.go"); len(s.Files) != 1 {
		t.Errorf("of one path: %+v", s.Files)
	}
	if s := stat("b.txt"); len(s.Files) != 0 {
		t.Errorf("of a path that is not changed: %+v", s.Files)
	}
	if after := tree.Git("status", "--porcelain"); after != before {
		t.Errorf("the worktree was %q, and is %q", before, after)
	}
	tree.Git("checkout", "-q", "--", "a.txt")
	tree.Git("rm", "-q", "-f", "staged.go")
	tree.Remove("new.go")
	merged := f.Merge(f.Get(f.w))
	if s := stat(); len(s.Files) != 1 || s.Files[0].Path != "login.go" || s.Landed != merged.Commit {
		t.Errorf("what landed: %+v", s)
	}
	f.Exec(`DELETE FROM landings`)
	if _, err := f.store.Diff(t.Context(), "", f.w.Ref, review.Whole); !fault.Is(err, fault.KindConflict) {
		t.Errorf("what was removed: %v", err)
	}
}
