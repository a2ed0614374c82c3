package land_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

// A checkout that is used again is as a new one, whatever the gate before did to it.
func TestGateStartsAnew(t *testing.T) {
	f := worktreetest.New(t)
	pristine := `test -z "$(git status --porcelain --ignored)" && test "$(git rev-parse HEAD)" = "$AGIT_COMMIT" && test "$(cat b.txt)" = b && test "$(head -n1 a.txt)" = 1 && ! git symbolic-ref -q HEAD && test ! -e "$(git rev-parse --git-path MERGE_HEAD)"`
	for i, harm := range []string{
		`true`,
		`echo changed >b.txt; git add -A; git commit -qm harm`,
		`echo more >b.txt; rm a.txt; mkdir -p node_modules/x made/y; echo x >made/y/z; echo secret >.env; chmod a-w made/y`,
		`touch -r b.txt ../stamp; printf 'B\n' >b.txt; touch -r ../stamp b.txt; rm ../stamp`, // as long, and of the same time
		`git update-index --assume-unchanged a.txt; echo y >a.txt`,
		`git checkout -q -b gone; git update-index --assume-unchanged a.txt; echo y >a.txt`,
		`cd "$(git rev-parse --git-dir)"; echo ref: refs/heads/main >HEAD; touch index.lock`,
		`rm -rf "$PWD"/* "$PWD/.git"`,
		`true`,
	} {
		name := string(rune('a' + i))
		w := f.Spawn(spawn.Request{Task: name})
		f.Tree(w).Commit(name, "new/"+name, name)
		out, err := landing(f, w.Ref, func(o *land.Request) { o.Gate = []string{pristine, harm} })
		if err != nil {
			last, _ := os.ReadFile(lastOf(f, w.Ref).Log)
			t.Fatalf("after %d: %v\n%s", i-1, err, last)
		}
		if f.Main.Head() != out.Commit || f.Main.Git("status", "--porcelain") != "" {
			t.Fatalf("%d: %s", i, f.Main.Git("status", "--porcelain"))
		}
	}
	if list := f.Main.Git("worktree", "list", "--porcelain"); strings.Count(list, "worktree ") != 2 {
		t.Error(list)
	}
	if _, err := os.Stat(filepath.Join(f.Main.Dir, ".worktrees", ".gate")); err != nil {
		t.Error(err)
	}
	f.Sound()
}

// Repositories that share a folder for their worktrees do not share the checkout.
func TestGatesInOneFolder(t *testing.T) {
	shared := t.TempDir()
	for range 2 {
		f := worktreetest.New(t)
		f.Set.Dir, f.Set.Gate = shared, []string{`test -e x`}
		w := f.Spawn(spawn.Request{Task: "x"})
		f.Tree(w).Commit("x", "x", "x")
		f.Merge(w)
		f.Sound()
	}
	kept, err := filepath.Glob(filepath.Join(shared, ".gate-*"))
	if err != nil || len(kept) != 2 {
		t.Errorf("%v %q", err, kept)
	}
}
