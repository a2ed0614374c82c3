package conflict

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
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
//	dirty      a first scan, nothing remembered, down to merge depth
//	unchanged  a scan when nothing changed since
//	one        a scan after one worktree changed
//
// against a status of worktrees as `git worktree add` and the edits left them
// (git takes no lock to refresh an index that is not its to write), and, as
// *-refreshed, after an ordinary `git status` refreshed every index.
func BenchmarkConflicts50x10k(b *testing.B) {
	f := benchField(b, 50, 10_000)
	for range b.N {
		f.measure(b, "")
		f.each(b, func(ctx context.Context, tree *gittest.Repo) error { // as a user's shell prompt does
			cmd := exec.CommandContext(ctx, "git", "status", "--porcelain")
			cmd.Dir = tree.Dir
			return cmd.Run()
		})
		f.measure(b, "-refreshed")
	}
	b.ReportMetric(0, "ns/op")
}

func (f *field) measure(b *testing.B, suffix string) {
	const rounds = 3 // the median of each
	status := median(rounds, func() {
		f.each(b, func(ctx context.Context, tree *gittest.Repo) error {
			repo, err := git.Find(tree.Dir)
			if err == nil {
				_, err = repo.Output(ctx, git.Options{}, "status", "--porcelain=v2", "-z", "--untracked-files=all")
			}
			return err
		})
	})
	var report *Report
	scanned := func(e *Engine) func() {
		return func() {
			var err error
			if report, err = e.Scan(b.Context(), f.repo(), f.list, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	dirty := median(rounds, func() {
		f.cache = b.TempDir()
		scanned(New(f.cache))()
	})
	if len(report.Conflicts) == 0 || len(report.Skipped) > 0 {
		b.Fatalf("%d conflicts, skipped %v", len(report.Conflicts), report.Skipped)
	}
	time.Sleep(scan.SettleTime) // until then, what was just made may still change unseen
	scanned(New(f.cache))()
	unchanged := median(rounds, func() { scanned(New(f.cache))() }) // a new process each time
	if report.ReusedWorktrees != len(f.list) {
		b.Fatalf("%d of %d worktrees were scanned again", len(f.list)-report.ReusedWorktrees, len(f.list))
	}
	one := median(rounds, func() {
		f.trees[0].Write("src/pkg00/mod0/file00000.go", fmt.Sprint(time.Now()))
		scanned(New(f.cache))()
	})
	for name, took := range map[string]time.Duration{"dirty": dirty, "unchanged": unchanged, "one": one} {
		b.ReportMetric(float64(took)/float64(status), name+suffix+"/status")
	}
	b.Logf("status%s %v, dirty %v, unchanged %v, one %v; %d conflicts", suffix, status, dirty, unchanged, one, len(report.Conflicts))
}

func median(rounds int, fn func()) time.Duration {
	var took []time.Duration
	for range rounds {
		start := time.Now()
		fn()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took[rounds/2]
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
			edit := func(n int) {
				tree.Write(name(n), tree.Read(name(n))+fmt.Sprintf("worktree %d\n", w))
			}
			edit(mine + i)
			if i == 1 {
				tree.Git("add", name(mine+i))
			}
			edit(i * (w%5 + 1)) // where others are too
		}
		tree.Write(fmt.Sprintf("src/new%d.go", w), "package new\n")
		if w%3 == 0 {
			tree.Git("commit", "--quiet", "--message", "work")
		}
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
