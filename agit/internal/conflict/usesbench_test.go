package conflict

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkUses50x10k: what DepthUses adds to scans of 50 dirty worktrees with 10,000 files each, beside the same
// scans without it:
//
//	dirty  a first scan, nothing remembered
//	one    a scan after one worktree changed
//
// Every fifth worktree renames a function, and the others each begin to call 200, ten of those among them.
func BenchmarkUses50x10k(b *testing.B) {
	f := benchField(b, 50, 10_000)
	for w, tree := range f.trees {
		calls := fmt.Sprintf("package new\n\nfunc New%d() int {\n", w)
		for i := range 200 {
			calls += fmt.Sprintf("\ttotal += mod.File%05d(%d)\n", i*40, i)
		}
		if w%5 != 0 {
			tree.Write(fmt.Sprintf("src/calls%d.go", w), calls+"\treturn total\n}\n")
		} else {
			name := fmt.Sprintf("src/pkg%02d/mod%d/file%05d.go", w*40%40, w%10, w*40)
			replace(b, tree, name, fmt.Sprintf("package mod\n\nfunc Renamed%d(n int) int { return n }\n", w))
		}
	}
	const rounds = 3
	best := map[string]time.Duration{}
	for range rounds {
		for _, without := range []bool{true, false} {
			word := map[bool]string{true: "-without", false: "-with"}[without]
			f.cache = b.TempDir()
			scanned := func(what string) {
				start := time.Now()
				report, err := New(f.cache).Scan(b.Context(), f.repo(), f.list, Options{noUses: without})
				if err != nil {
					b.Fatal(err)
				}
				if took := time.Since(start); best[what+word] == 0 || took < best[what+word] {
					best[what+word] = took
				}
				found := 0
				for _, c := range report.Conflicts {
					found += len(c.Uses)
				}
				if without == (found > 0) {
					b.Fatalf("%d uses found, without: %v", found, without)
				}
			}
			scanned("dirty")
			replace(b, f.trees[1], "src/pkg00/mod0/file00000.go", fmt.Sprint(time.Now()))
			scanned("one")
		}
	}
	for _, what := range []string{"dirty", "one"} {
		b.ReportMetric(float64(best[what+"-with"])/float64(best[what+"-without"]), what+"-x-without")
	}
	b.ReportMetric(0, "ns/op")
	b.Logf("%v", best)
}
