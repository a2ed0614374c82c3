package conflict

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// BenchmarkConflicts50x10k: scans of 50 dirty worktrees with 10,000 files each,
// beside `git status` in all of them by the same number of workers:
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
//
// It runs once, however many times it is asked for: the preparation and each round
// take longer than everything that is compared.
func BenchmarkConflicts50x10k(b *testing.B) {
	if b.N == 1 || benched == nil {
		benched = map[string]float64{}
		f := benchField(b, 50, 10_000)
		f.measure(b, "spawned")
		f.each(b, func(ctx context.Context, tree *gittest.Repo) error { // as a user's shell prompt does
			cmd := exec.CommandContext(ctx, "git", "status", "--porcelain")
			cmd.Dir = tree.Dir
			return cmd.Run()
		})
		f.measure(b, "refreshed")
	}
	for what, ratio := range benched {
		b.ReportMetric(ratio, what)
	}
	b.ReportMetric(0, "ns/op")
}

// benched are the ratios measured in this process.
var benched map[string]float64

// measure takes the best of several rounds. Each round does everything once, so that other load on the machine affects all measurements
// alike.
func (f *field) measure(b *testing.B, name string) {
	const rounds = 3
	best := map[string]time.Duration{}
	timed := func(what string, fn func()) {
		start := time.Now()
		fn()
		if took := time.Since(start); best[what] == 0 || took < best[what] {
			best[what] = took
		}
	}
	var report *Report
	scanned := func() { // as a separate process does
		var err error
		if report, err = New(f.cache).Scan(b.Context(), f.repo(), f.list, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	for range rounds {
		timed("status", func() { f.status(b) })
		timed("list", func() { f.lists(b) })
		timed("dirty", func() {
			f.cache = b.TempDir()
			scanned()
		})
		if len(report.Conflicts) == 0 || len(report.Skipped) > 0 {
			b.Fatalf("%d conflicts, skipped %v", len(report.Conflicts), report.Skipped)
		}
		<-time.After(scan.SettleTime) // until then, new files may still change unseen
		scanned()
		timed("unchanged", scanned)
		if report.ReusedWorktrees != len(f.list) {
			b.Fatalf("%d of %d worktrees were scanned again", len(f.list)-report.ReusedWorktrees, len(f.list))
		}
		timed("one", func() {
			replace(b, f.trees[0], "src/pkg00/mod0/file00000.go", fmt.Sprint(time.Now()))
			scanned()
		})
	}
	f.crowd(func() {
		timed("crowded", func() {
			f.cache = b.TempDir()
			scanned()
		})
	})
	for _, what := range []string{"list", "dirty", "unchanged", "one", "crowded"} {
		benched[name+"-"+what+"-x-git-status"] = float64(best[what]) / float64(best["status"])
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

// lists finds out what each worktree holds that its HEAD does not, which is as much as `git status` does.
func (f *field) lists(b *testing.B) {
	f.each(b, func(ctx context.Context, tree *gittest.Repo) error {
		repo, err := git.Find(tree.Dir)
		if err != nil {
			return err
		}
		load := func(ctx context.Context) (*scan.Settings, error) { return scan.LoadSettings(ctx, repo) }
		_, err = (&scan.Tree{Repo: repo, Load: load}).Scan(ctx, nil, func() (string, error) { return b.TempDir(), nil })
		return err
	})
}

// crowd runs fn while all worktrees have changed the same line.
func (f *field) crowd(fn func()) {
	const shared = "src/pkg20/mod9/file09980.go"
	for i, tree := range f.trees {
		kept := tree.Read(shared)
		replace(f.t, tree, shared, fmt.Sprintf("worktree %d\n%s", i, kept))
		defer replace(f.t, tree, shared, kept)
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

// benchField makes worktrees that all have committed, staged, unstaged and untracked changes; some of these meet. They share their files by
// hard links and have one index, so that half a million files cost as many links. The folder has a fixed name and is emptied first, so that
// a killed run leaves nothing behind for long.
func benchField(b *testing.B, worktrees, files int) *field {
	dir := filepath.Join(os.TempDir(), "agit-bench-conflicts")
	remove := func() { _ = os.RemoveAll(dir) }
	remove()
	b.Cleanup(remove)
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	b.Cleanup(func() { signal.Stop(interrupted) })
	stop := func() {
		select {
		case <-interrupted:
			b.Fatal("interrupted")
		default:
		}
	}
	gittest.Isolate()
	main := gittest.NewAt(b, filepath.Join(dir, "main"))
	name := func(i int) string { return fmt.Sprintf("src/pkg%02d/mod%d/file%05d.go", i%40, i/40%10, i) }
	var history strings.Builder
	history.WriteString("commit refs/heads/main\ncommitter a <a@b> 1700000000 +0000\ndata 5\nfirst\n")
	for i := range files {
		text := fmt.Sprintf("package mod\n\nfunc File%05d(n int) int { return n }\n", i)
		for line := range 27 {
			text += fmt.Sprintf("line %d of file %d\n", line, i)
		}
		fmt.Fprintf(&history, "M 100644 inline %s\ndata %d\n%s\n", name(i), len(text), text)
	}
	if _, err := main.Repo().Output(b.Context(), git.Options{Stdin: strings.NewReader(history.String())}, "fast-import", "--quiet"); err != nil {
		b.Fatal(err)
	}
	main.Git("reset", "--quiet", "--hard", "main")
	f := &field{t: b, main: main, cache: b.TempDir()}
	for w := range worktrees {
		stop()
		tree := f.main.At(filepath.Join(dir, fmt.Sprintf("w%d", w)))
		main.Git("worktree", "add", "--quiet", "--no-checkout", "-b", fmt.Sprintf("w%d", w), tree.Dir, "main")
		for i := range files {
			if i < 400 {
				if err := os.MkdirAll(filepath.Dir(tree.Path(name(i))), 0o755); err != nil {
					b.Fatal(err)
				}
			}
			if err := os.Link(main.Path(name(i)), tree.Path(name(i))); err != nil {
				b.Fatal(err)
			}
		}
		f.trees = append(f.trees, tree)
		f.list = append(f.list, Worktree{ID: int64(w + 1), Ref: fmt.Sprintf("w%d", w), Branch: fmt.Sprintf("w%d", w), Path: tree.Dir, Agent: fmt.Sprintf("agent-%d", w)})
	}
	f.shareIndex(b)
	for w, tree := range f.trees {
		stop()
		mine := 100 * (w + 1)
		for i := range 4 {
			for _, n := range []int{mine + i, 10*(w/5) + i} { // its own, and where four others are too
				replace(b, tree, name(n), tree.Read(name(n))+fmt.Sprintf("worktree %d\n", w))
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

// shareIndex makes one index of the files that all worktrees share, as young as
// they are, and returns it to each.
func (f *field) shareIndex(b *testing.B) {
	first := f.trees[0]
	first.Git("read-tree", "HEAD")
	first.Git("update-index", "-q", "--refresh")
	index := func(tree *gittest.Repo) string { return filepath.Join(tree.Repo().GitDir, "index") }
	text, err := os.ReadFile(index(first))
	if err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(first.Path("src/pkg39/mod9/file09999.go"))
	if err != nil {
		b.Fatal(err)
	}
	for _, tree := range f.trees {
		if err := os.WriteFile(index(tree), text, 0o644); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(index(tree), info.ModTime(), info.ModTime()); err != nil {
			b.Fatal(err)
		}
	}
}

// replace writes a file anew, so that other hard links to the old one keep their content.
func replace(t testing.TB, tree *gittest.Repo, name, text string) {
	t.Helper()
	if err := os.Remove(tree.Path(name)); err != nil {
		t.Fatal(err)
	}
	tree.Write(name, text)
}

// BenchmarkCheckFile checks one file in 50 worktrees, beside `git status` for that file in each of them.
func BenchmarkCheckFile(b *testing.B) {
	const file = "src/pkg01/file0001.go"
	main := gittest.New(b)
	for i := range 2000 {
		main.Write(fmt.Sprintf("src/pkg%02d/file%04d.go", i%20, i), fmt.Sprint("file ", i, "\n"))
	}
	main.Commit("first")
	s := newShop(b, main, 50)
	for i, tree := range s.trees {
		tree.Write(file, fmt.Sprint("worktree ", i))
		if i%3 == 0 {
			tree.Commit("work")
		}
	}
	if os.Getenv("CHECK_UNSCANNED") == "" {
		s.report(Options{})
	}
	benchtest.Beside(b, "git-status", benchtest.Of(func() error {
		c, err := s.store.CheckFile(b.Context(), s.repoID, file, Caller{})
		if err == nil && len(c.Touched) != 50 {
			err = fmt.Errorf("%d worktrees touch it", len(c.Touched))
		}
		return err
	}), benchtest.Of(func() error {
		for _, tree := range s.trees {
			tree.Git("status", "--porcelain", "--", file)
		}
		return nil
	}))
}
