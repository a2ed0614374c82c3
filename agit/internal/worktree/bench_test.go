package worktree_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// setUpMany is a repository of n files.
func setUpMany(b *testing.B, n int) many {
	g := gittest.New(b)
	for i := range n {
		g.Write(fmt.Sprintf("d%d/f%d.txt", i%50, i), fmt.Sprintf("file %d\n", i))
	}
	g.Commit("many")
	return many{worktreetest.Of(b, g, registrytest.OpenPlain(b)), new(int)}
}

type many struct {
	*worktreetest.Fixture
	made *int
}

// committed makes a worktree with one commit, which adds a file.
func (m many) committed() worktree.Worktree {
	*m.made++
	w := m.Spawn(spawn.Request{Task: "x"})
	m.Tree(w).Commit("c", fmt.Sprint("ours/", *m.made), "x")
	return w
}

// plain makes a worktree with git alone and returns its folder, which is named as
// its branch is.
func (m many) plain() string {
	*m.made++
	branch := fmt.Sprint("plain-", *m.made)
	dir := filepath.Join(m.Main.Dir, ".worktrees", branch)
	m.Main.Git("worktree", "add", "--quiet", "-b", branch, dir)
	return dir
}

const manyFiles = 2000

// BenchmarkSpawn: a worktree of 2,000 files with its row and its log of intents,
// beside `git worktree add`.
func BenchmarkSpawn(b *testing.B) {
	f := setUpMany(b, manyFiles)
	benchtest.Beside(b, "git",
		benchtest.Of(func() error { f.Spawn(spawn.Request{Task: "x"}); return nil }),
		benchtest.Of(func() error { f.plain(); return nil }))
}

// BenchmarkRemove: removing a merged worktree of 2,000 files, with the proof that
// nothing is lost, beside `git worktree remove`.
func BenchmarkRemove(b *testing.B) {
	f := setUpMany(b, manyFiles)
	var ours worktree.Worktree
	var plain string
	benchtest.Beside(b, "git", benchtest.Side{
		Prepare: func() error {
			ours = f.committed()
			f.Main.Git("merge", "--quiet", "--no-edit", ours.Branch)
			return nil
		},
		Run: func() error {
			_, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: ours.Ref})
			return err
		},
	}, benchtest.Side{
		Prepare: func() error { plain = f.plain(); return nil },
		Run:     func() error { f.Main.Git("worktree", "remove", plain); return nil },
	})
}

// BenchmarkMerge: landing a worktree of 2,000 files and one commit, beside
// `git merge --no-ff` and `git worktree remove`.
func BenchmarkMerge(b *testing.B) {
	f := setUpMany(b, manyFiles)
	var ours worktree.Worktree
	var plain string
	benchtest.Beside(b, "git", benchtest.Side{
		Prepare: func() error { ours = f.committed(); return nil },
		Run:     func() error { f.Merge(ours); return nil },
	}, benchtest.Side{
		Prepare: func() error {
			plain = f.plain()
			f.Main.At(plain).Commit("c", filepath.Base(plain), "x")
			return nil
		},
		Run: func() error {
			f.Main.Git("merge", "--quiet", "--no-ff", "--no-edit", filepath.Base(plain))
			f.Main.Git("worktree", "remove", plain)
			return nil
		},
	})
}
