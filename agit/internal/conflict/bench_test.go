package conflict

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// BenchmarkConflicts50x10k measures scans of 50 dirty worktrees with 10,000
// files each as multiples of `git status` by the same number of workers:
//
//	dirty      a first scan, nothing remembered, down to merge depth; 100 pairs meet
//	unchanged  a scan when nothing changed since
//	one        a scan after one worktree changed
//	crowded    as dirty, with all 1,225 pairs in conflict
//
// "spawned" is against the status of worktrees as `git worktree add` left their
// indexes: many files are as young as the index, so that git reads them again
// (and may not write the index to remember it). "refreshed" is against the
// status after an ordinary `git status` rewrote every index.
func BenchmarkConflicts50x10k(b *testing.B) {
	f := benchField(b, 50, 10_000)
	for range b.N {
		f.measure(b, "spawned")
		f.each(b, func(ctx context.Context, tree *gittest.Repo) error { // as a user's shell prompt does
			cmd := exec.CommandContext(ctx, "git", "status", "--porcelain")
			cmd.Dir = tree.Dir
			return cmd.Run()
		})
		f.measure(b, "refreshed")
	}
	b.ReportMetric(0, "ns/op")
}

// measure takes the best of several rounds, each of which does everything once,
// so that what else the machine does weighs on all alike.
func (f *field) measure(b *testing.B, name string) {
	const rounds = 5
	best := map[string]time.Duration{}
	timed := func(what string, fn func()) {
		start := time.Now()
		fn()
		if took := time.Since(start); best[what] == 0 || took < best[what] {
			best[what] = took
		}
	}
	var report *Report
	scanned := func() { // as a process of its own does
		var err error
		if report, err = New(f.cache).Scan(b.Context(), f.repo(), f.list, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	for range rounds {
		timed("status", func() { f.status(b) })
		timed("dirty", func() {
			f.cache = b.TempDir()
			scanned()
		})
		if len(report.Conflicts) == 0 || len(report.Skipped) > 0 {
			b.Fatalf("%d conflicts, skipped %v", len(report.Conflicts), report.Skipped)
		}
		<-time.After(scan.SettleTime) // until then, what was just made may still change unseen
		scanned()
		timed("unchanged", scanned)
		if report.ReusedWorktrees != len(f.list) {
			b.Fatalf("%d of %d worktrees were scanned again", len(f.list)-report.ReusedWorktrees, len(f.list))
		}
		timed("one", func() {
			f.trees[0].Write("src/pkg00/mod0/file00000.go", fmt.Sprint(time.Now()))
			scanned()
		})
	}
	f.crowd(func() {
		timed("crowded", func() {
			f.cache = b.TempDir()
			scanned()
		})
	})
	for _, what := range []string{"dirty", "unchanged", "one", "crowded"} {
		b.ReportMetric(float64(best[what])/float64(best["status"]), what+"/"+name)
	}
	b.Logf("%s: %v", name, best)
}

func (f *field) status(b *testing.B) {
	f.each(b, func(ctx context.Context, tree *gittest.Repo) error {
		repo, err := git.Find(tree.Dir)
		if err == nil {
			_, err = repo.Output(ctx, git.Options{}, "status", "--porcelain=v2", "-z", "--untracked-files=all")
		}
		return err
	})
}

// crowd runs fn while all worktrees have changed the same line.
func (f *field) crowd(fn func()) {
	const shared = "src/pkg20/mod9/file09980.go"
	for i, tree := range f.trees {
		kept := tree.Read(shared)
		tree.Write(shared, fmt.Sprintf("worktree %d\n%s", i, kept))
		defer tree.Write(shared, kept)
	}
	fn()
}

// each runs fn over the worktrees with as many workers as the engine takes.
func (f *field) each(b *testing.B, fn func(context.Context, *gittest.Repo) error) {
	g, ctx := errgroup.WithContext(b.Context())
	g.SetLimit(max(2, min(runtime.GOMAXPROCS(0), 8)))
	for _, tree := range f.trees {
		g.Go(func() error { return fn(ctx, tree) })
	}
	if err := g.Wait(); err != nil {
		b.Fatal(err)
	}
}

// benchField makes worktrees that all have committed, staged, unstaged and
// untracked changes, some of which meet.
func benchField(b *testing.B, worktrees, files int) *field {
	main := gittest.New(b)
	name := func(i int) string { return fmt.Sprintf("src/pkg%02d/mod%d/file%05d.go", i%40, i/40%10, i) }
	for i := range files {
		text := ""
		for line := range 30 {
			text += fmt.Sprintf("line %d of file %d\n", line, i)
		}
		main.Write(name(i), text)
	}
	main.Commit("first")
	f := newField(b, main, worktrees)
	for w, tree := range f.trees {
		mine := 100 * (w + 1)
		for i := range 4 {
			for _, n := range []int{mine + i, 10*(w/5) + i} { // its own, and where four others are too
				tree.Write(name(n), tree.Read(name(n))+fmt.Sprintf("worktree %d\n", w))
			}
		}
		if w%10 == 0 {
			tree.Git("add", name(mine))
			tree.Git("commit", "--quiet", "--message", "work")
			tree.Git("add", name(mine+1))
		}
		tree.Write(fmt.Sprintf("src/new%d.go", w), "package new\n")
	}
	return f
}

// BenchmarkCheckFile measures the check of one file in 50 worktrees.
func BenchmarkCheckFile(b *testing.B) {
	main := gittest.New(b)
	for i := range 2000 {
		main.Write(fmt.Sprintf("src/pkg%02d/file%04d.go", i%20, i), fmt.Sprint("file ", i, "\n"))
	}
	main.Commit("first")
	s := newShop(b, main, 50)
	for i, tree := range s.trees {
		tree.Write("src/pkg01/file0001.go", fmt.Sprint("worktree ", i))
		if i%3 == 0 {
			tree.Commit("work")
		}
	}
	if os.Getenv("CHECK_UNSCANNED") == "" {
		s.report(Options{})
	}
	for b.Loop() {
		c, err := s.store.CheckFile(b.Context(), s.repoID, "src/pkg01/file0001.go", Caller{})
		if err != nil || len(c.Touched) != 50 {
			b.Fatal(len(c.Touched), err)
		}
	}
}
