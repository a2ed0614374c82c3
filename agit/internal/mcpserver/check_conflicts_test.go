package mcpserver

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

// reportOf has files conflicts at every depth between sides worktrees.
func reportOf(files, sides int) *conflict.Report {
	r := &conflict.Report{Repo: "app", Depth: conflict.DepthMerge, ScannedWorktrees: sides}
	for i := range files {
		c := conflict.Conflict{File: fmt.Sprintf("dir/%03d.txt", i), Depth: conflict.Depths()[i%len(conflict.Depths())]}
		for s := range sides {
			c.Worktrees = append(c.Worktrees, conflict.Side{ID: fmt.Sprintf("w-%02d", s), Lines: []conflict.Lines{{}}})
			c.Pairs = append(c.Pairs, conflict.Pair{A: "w-00", B: "w-01"})
		}
		r.Conflicts = append(r.Conflicts, c)
	}
	return r
}

func TestPagesOfConflicts(t *testing.T) {
	report := reportOf(50, 2)
	var files []string
	in := conflictsInput{}
	for pages := 0; ; pages++ {
		page, err := conflictsOf(report, in, conflictsPage)
		if err != nil || pages > 3 {
			t.Fatal(pages, err)
		}
		if page.Total != 50 || page.ScannedWorktrees != 2 {
			t.Errorf("page %+v", page)
		}
		for _, c := range page.Conflicts {
			files = append(files, c.File)
			if c.Pairs != nil || c.Worktrees[0].Lines != nil {
				t.Fatalf("a list has details: %+v", c)
			}
		}
		if page.Next == "" {
			break
		}
		if len(page.Conflicts) != conflictsPage {
			t.Errorf("%d on a page", len(page.Conflicts))
		}
		in.After = page.Next
	}
	slices.Sort(files)
	if len(slices.Compact(files)) != 50 {
		t.Errorf("the pages show %d files", len(files))
	}
	first, _ := conflictsOf(report, conflictsInput{}, conflictsPage)
	if first.Conflicts[0].Depth != conflict.DepthMerge || first.Conflicts[19].Depth != conflict.DepthUses {
		t.Error("the deepest are not first")
	}
	if diff := cmp.Diff(reportOf(50, 2), report); diff != "" {
		t.Errorf("the report was changed, which others may hold: %s", diff)
	}
}

// One file may have many conflicts, each on a page once.
func TestPagesOfOneFile(t *testing.T) {
	report := &conflict.Report{Depth: conflict.DepthMerge}
	for i := range 60 {
		c := conflict.Conflict{File: "f", Depth: conflict.DepthMerge, Worktrees: []conflict.Side{{ID: fmt.Sprintf("w-%02d", i/2)}}}
		if i%2 == 0 {
			c.DefaultBranch = "main"
		} else {
			c.Worktrees = append(c.Worktrees, conflict.Side{ID: "w-99"})
		}
		report.Conflicts = append(report.Conflicts, c)
	}
	seen := map[string]int{}
	in := conflictsInput{File: "f"}
	for more := true; more; more = in.After != "" {
		page, err := conflictsOf(report, in, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Conflicts {
			seen[fmt.Sprint(c.DefaultBranch, len(c.Worktrees), c.Worktrees[0].ID)]++
		}
		in.After = page.Next
	}
	for one, n := range seen {
		if n != 1 {
			t.Errorf("%s is on %d pages", one, n)
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d of 60 conflicts are on a page", len(seen))
	}
}

func TestConflictsNarrowed(t *testing.T) {
	report := reportOf(6, 2)
	one, err := conflictsOf(report, conflictsInput{File: "dir/002.txt"}, conflictsPage)
	if err != nil || one.Total != 1 || len(one.Conflicts[0].Pairs) == 0 || len(one.Conflicts[0].Worktrees[0].Lines) == 0 {
		t.Errorf("one file: %+v, %v", one, err)
	}
	none, err := conflictsOf(report, conflictsInput{File: "nowhere"}, conflictsPage)
	if err != nil || none.Conflicts == nil || none.Total != 0 {
		t.Errorf("none: %+v, %v", none, err)
	}
}

// 50 worktrees that all touch 50 files: the page stays within what clients show.
func TestAPageIsBounded(t *testing.T) {
	page, err := conflictsOf(reportOf(50, 50), conflictsInput{}, resourcePage)
	if err != nil || page.Next == "" || len(page.Conflicts) == 0 {
		t.Fatalf("%d conflicts, %v", len(page.Conflicts), err)
	}
	bytes := 0
	for _, c := range page.Conflicts {
		bytes += size(c)
	}
	if bytes > pageBytes {
		t.Errorf("the page has %d bytes", bytes)
	}
}

func FuzzConflictsAfter(f *testing.F) {
	f.Add("merge:w-00,w-01:dir/002.txt")
	f.Add("file::")
	f.Add(":")
	f.Add("lines:\xff:")
	report := reportOf(9, 2)
	f.Fuzz(func(t *testing.T, after string) {
		page, err := conflictsOf(report, conflictsInput{After: after}, 4)
		if err != nil {
			if !fault.Is(err, fault.KindValidation) || fault.From(err).Field != "after" {
				t.Errorf("after %q: %v", after, err)
			}
			return
		}
		if len(page.Conflicts) > 4 || page.Total != 9 {
			t.Errorf("after %q: %+v", after, page)
		}
		for _, c := range page.Conflicts {
			if after == string(c.Depth)+":w-00,w-01:"+c.File {
				t.Errorf("after %q begins with it", after)
			}
		}
	})
}

// Conflicts that a scan at a lesser depth has seen are still reported to watchers.
func TestAShallowScanHidesNothingFromTheWatch(t *testing.T) {
	w := newWorld(t)
	var paths []string
	for i := range 3 {
		var tree spawnOutput
		w.must("agit_spawn_worktree", args{"repo": "app", "branch": fmt.Sprint("b", i)}, &tree)
		paths = append(paths, strings.TrimPrefix(tree.Path, w.repo.Dir+"/")+"/file.txt")
		if i < 2 {
			w.repo.Write(paths[i], fmt.Sprint(i, "\ntwo\nthree\n"))
		}
	}
	sweep, known := worktreeSweep{w.service}, map[int64]bool{}
	if err := sweep.sweep(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	before := w.pairs()
	w.repo.Write(paths[2], "third\ntwo\nthree\n")
	app, err := w.stores.Repos.Get(t.Context(), "app")
	if err != nil {
		t.Fatal(err)
	}
	// A file that was written a moment ago counts as changed, whoever looked at it.
	for changed := true; changed; {
		w.must("agit_check_conflicts", args{"repo": "app", "depth": "file"}, nil)
		if changed, err = w.stores.Conflicts.Changed(t.Context(), app.ID); err != nil {
			t.Fatal(err)
		}
	}
	if err := sweep.sweep(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	if after := w.pairs(); before != 1 || after != 3 {
		t.Errorf("pairs known to others: %d, then %d; want 1, then 3", before, after)
	}
}

// pairs counts the conflicts that are in the registry.
func (w *world) pairs() (n int) {
	w.t.Helper()
	if err := w.count(&n, `SELECT COUNT(*) FROM conflict_pairs`); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// Agents go on writing while their worktrees are compared.
func TestConflictsWhileFilesChange(t *testing.T) {
	w := newWorld(t)
	stop := make(chan struct{})
	var writing sync.WaitGroup
	for i := range 4 {
		var tree spawnOutput
		w.must("agit_spawn_worktree", args{"repo": "app", "branch": fmt.Sprint("b", i)}, &tree)
		writing.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := os.WriteFile(filepath.Join(tree.Path, "file.txt"), fmt.Append(nil, i, " ", n, "\n"), 0o644); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 20 {
		if r := mcptest.Call(t, w.main, "agit_check_conflicts", args{"repo": "app"}); r.IsError {
			t.Errorf("%s", r.StructuredContent)
		}
	}
	close(stop)
	writing.Wait()
}
