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

// A checkout that is used again is like a new one, whatever the gate before did to it.
func TestGateStartsAnew(t *testing.T) {
	f := worktreetest.New(t)
	pristine := `test -z "$(git status --porcelain --ignored)" && test "$(git rev-parse HEAD)" = "$AGIT_COMMIT" && test "$(cat b.txt)" = b && test "$(head -n1 a.txt)" = 1 && ! git symbolic-ref -q HEAD && test ! -e "$(git rev-parse --git-path MERGE_HEAD)"`
	for i, harm := range []string{
		`true`,
		`echo changed >b.txt; git add -A; git commit -qm harm`,
		`echo more >b.txt; rm a.txt; mkdir -p node_modules/x made/y; echo x >made/y/z; echo secret >.env; chmod a-w made/y`,
		`touch -r b.txt ../stamp; printf 'B\n' >b.txt; touch -r ../stamp b.txt; rm ../stamp`, // of the same length and time
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

// A gate judges all of what lands, also where the main checkout holds a part of it, and a later gate as the first.
func TestGateOfSparseCheckout(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]string{
		"a cone":               {"sparse-checkout", "set", "--cone", "new"},
		"a cone, sparse index": {"sparse-checkout", "set", "--cone", "--sparse-index", "new"},
		"patterns":             {"sparse-checkout", "set", "--no-cone", "/new/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			f.Main.Commit("outside", "far/check", "whole\n")
			f.Main.Git(set...)
			w := f.Spawn(spawn.Request{Task: "x"})
			f.Tree(w).Commit("x", "new/x", "x\n")
			gate := []string{`test "$(cat far/check)" = whole && test -z "$(git status --porcelain)"`}
			for _, c := range []struct {
				gate  []string
				lands bool
			}{{[]string{"grep -q other far/check"}, false}, {gate, true}} {
				out, err := landing(f, w.Ref, func(o *land.Request) { o.Gate = c.gate })
				if (err == nil) != c.lands {
					t.Errorf("%v: %v", c.gate, err)
				}
				if c.lands && (out.FilesChanged != 1 || f.Main.Git("status", "--porcelain") != "" || f.Main.Read("new/x") != "x\n") {
					t.Errorf("%+v, %q, %q", out, f.Main.Git("status", "--porcelain"), f.Main.Read("new/x"))
				}
				if err != nil {
					worktreetest.Contains(t, err, "grep -q other")
				}
			}
			if _, err := os.Stat(f.Main.Path("far/check")); err == nil {
				t.Error("the main checkout is not sparse any more")
			}
			f.Sound()
		})
	}
}
