package worktree

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// setUpMany is a repository of n files.
func setUpMany(b *testing.B, n int) *fixture {
	g := gittest.New(b)
	for i := range n {
		g.Write(fmt.Sprintf("d%d/f%d.txt", i%50, i), fmt.Sprintf("file %d\n", i))
	}
	g.Commit("many")
	return setUpWith(b, g)
}

const manyFiles = 2000

func BenchmarkSpawn(b *testing.B) {
	f := setUpMany(b, manyFiles)
	for b.Loop() {
		w := f.spawn(Spawn{Task: "x"})
		b.StopTimer()
		f.main.Git("worktree", "remove", w.Path)
		f.exec(`DELETE FROM worktrees`)
		b.StartTimer()
	}
}

func BenchmarkGitWorktreeAdd(b *testing.B) {
	f := setUpMany(b, manyFiles)
	i := 0
	for b.Loop() {
		i++
		dir := filepath.Join(f.main.Dir, ".worktrees", fmt.Sprint(i))
		f.main.Git("worktree", "add", "--quiet", "-b", fmt.Sprint(i), dir)
		b.StopTimer()
		f.main.Git("worktree", "remove", dir)
		b.StartTimer()
	}
}

func BenchmarkRemove(b *testing.B) {
	f := setUpMany(b, manyFiles)
	for b.Loop() {
		b.StopTimer()
		w := f.spawn(Spawn{Task: "x"})
		f.tree(w).Commit("c", "d1/new", "x")
		f.main.Git("merge", "--quiet", "--no-edit", w.Branch)
		b.StartTimer()
		if _, err := f.Remove(context.Background(), Remove{Worktree: w.Ref}); err != nil {
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
		dir := filepath.Join(f.main.Dir, ".worktrees", fmt.Sprint(i))
		f.main.Git("worktree", "add", "--quiet", "-b", fmt.Sprint(i), dir)
		b.StartTimer()
		f.main.Git("worktree", "remove", dir)
	}
}

func BenchmarkMerge(b *testing.B) {
	f := setUpMany(b, manyFiles)
	i := 0
	for b.Loop() {
		b.StopTimer()
		i++
		w := f.spawn(Spawn{Task: "x"})
		f.tree(w).Commit("c", fmt.Sprintf("new/%d", i), "x")
		b.StartTimer()
		f.merge(w)
	}
}
