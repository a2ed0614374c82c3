package land_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// Every kind of conflict is refused with the files as people know them, and with the worktree that landed the other side, also where
// folders were renamed and neither side changed a file.
func TestKindsOfConflict(t *testing.T) {
	t.Parallel()
	move := func(r *gittest.Repo, from, to string) {
		if err := os.MkdirAll(filepath.Join(r.Dir, filepath.Dir(to)), 0o755); err != nil {
			t.Fatal(err)
		}
		r.Git("mv", from, to)
	}
	symlink := func(to string, r *gittest.Repo) {
		if err := os.Symlink(to, filepath.Join(r.Dir, "link")); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		landed, waits func(r *gittest.Repo)
		files, theirs string // in conflict, and what the other side changed
	}{
		"a folder renamed into two": {
			func(r *gittest.Repo) {
				move(r, "d/a", "x/a")
				move(r, "d/b", "x/b")
				move(r, "d/c", "y/c")
				move(r, "d/e", "y/e")
			},
			func(r *gittest.Repo) { r.Write("d/new", "n\n") },
			"d", "d/a",
		},
		"a folder renamed": {
			func(r *gittest.Repo) { move(r, "d", "f") },
			func(r *gittest.Repo) { r.Write("d/new", "n\n") },
			"d/new f/new", "f/a",
		},
		"a file against a folder": {
			func(r *gittest.Repo) { r.Write("new", "f\n") },
			func(r *gittest.Repo) { r.Write("new/x", "x\n") },
			"new", "new",
		},
		"a link against a file": {
			func(r *gittest.Repo) { r.Git("rm", "-q", "link"); r.Write("link", "x\n") },
			func(r *gittest.Repo) { r.Git("rm", "-q", "link"); symlink("d", r) },
			"link", "link",
		},
		"lines": {
			func(r *gittest.Repo) { r.Write("d/a", "theirs\n") },
			func(r *gittest.Repo) { r.Write("d/a", "mine\n") },
			"d/a", "d/a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			for i, file := range []string{"a", "b", "c", "e"} {
				f.Main.Write("d/"+file, strings.Repeat(strings.Repeat(file, i+2)+"\n", 20))
			}
			symlink("d/a", f.Main)
			f.Main.Git("add", "-A")
			f.Main.Git("commit", "-qm", "Files")
			ann, bob := f.Spawn(spawn.Request{Task: "ann"}), f.Spawn(spawn.Request{Task: "bob"})
			for w, work := range map[string]func(*gittest.Repo){ann.Path: c.landed, bob.Path: c.waits} {
				tree := f.Main.At(w)
				work(tree)
				tree.Git("add", "-A")
				tree.Git("commit", "-qm", "Work")
			}
			_, err := landing(f, ann.Ref, func(*land.Request) {})
			worktreetest.Must(t, err)
			_, err = landing(f, bob.Ref, func(*land.Request) {})
			var conflict *land.MergeConflict
			if !errors.As(err, &conflict) || !fault.Is(err, fault.KindConflict) {
				t.Fatalf("%v", err)
			}
			if got := strings.Join(conflict.Files, " "); got != c.files {
				t.Errorf("in conflict: %q, want %q", got, c.files)
			}
			if len(conflict.Others) != 1 || conflict.Others[0].Worktree != ann.Ref || !slices.Contains(conflict.Others[0].Files, c.theirs) {
				t.Errorf("the other side: %+v", conflict.Others)
			}
		})
	}
}
