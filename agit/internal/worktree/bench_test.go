package worktree_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/agit/internal/remove"
	"github.com/agit-suite/agit/agit/internal/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// setUpMany is a repository of n files.
func setUpMany(b *testing.B, n int) *worktreetest.Fixture {
	g := gittest.New(b)
	for i := range n {
		g.Write(fmt.Sprintf("d%d/f%d.txt", i%50, i), fmt.Sprintf("file %d\n", i))
	}
	g.Commit("many")
	return worktreetest.Of(b, g, registrytest.Open(b))
}

const manyFiles = 2000

func BenchmarkSpawn(b *testing.B) {
	f := setUpMany(b, manyFiles)
	for b.Loop() {
		w := f.Spawn(spawn.Request{Task: "x"})
		b.StopTimer()
		f.Main.Git("worktree", "remove", w.Path)
		f.Exec(`DELETE FROM worktrees`)
		b.StartTimer()
	}
}

func BenchmarkGitWorktreeAdd(b *testing.B) {
	f := setUpMany(b, manyFiles)
	i := 0
	for b.Loop() {
		i++
		dir := filepath.Join(f.Main.Dir, ".worktrees", fmt.Sprint(i))
		f.Main.Git("worktree", "add", "--quiet", "-b", fmt.Sprint(i), dir)
		b.StopTimer()
		f.Main.Git("worktree", "remove", dir)
		b.StartTimer()
	}
}

func BenchmarkRemove(b *testing.B) {
	f := setUpMany(b, manyFiles)
	for b.Loop() {
		b.StopTimer()
		w := f.Spawn(spawn.Request{Task: "x"})
		f.Tree(w).Commit("c", "d1/new", "x")
		f.Main.Git("merge", "--quiet", "--no-edit", w.Branch)
		b.StartTimer()
		if _, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGitWorktreeRemove(b *testing.B) {
	f := setUpMany(b, manyFiles)
	i := 0
	for b.Loop() {
		b.StopTimer()
		i++
		dir := filepath.Join(f.Main.Dir, ".worktrees", fmt.Sprint(i))
		f.Main.Git("worktree", "add", "--quiet", "-b", fmt.Sprint(i), dir)
		b.StartTimer()
		f.Main.Git("worktree", "remove", dir)
	}
}

func BenchmarkMerge(b *testing.B) {
	f := setUpMany(b, manyFiles)
	i := 0
	for b.Loop() {
		b.StopTimer()
		i++
		w := f.Spawn(spawn.Request{Task: "x"})
		f.Tree(w).Commit("c", fmt.Sprintf("new/%d", i), "x")
		b.StartTimer()
		f.Merge(w)
	}
}
