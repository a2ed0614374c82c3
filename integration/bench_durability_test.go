//go:build linux

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/benchtest"
)

// BenchmarkDurability: spawn, removal and merge of 1,000 files, all synced, beside the same commands with every sync answered at once,
// including git's (see unsynced). Goal: 3 each.
func BenchmarkDurability(b *testing.B) {
	m := newBench(b, 1000)
	m.build("unsynced", "./unsynced")
	if out, err := m.command("unsynced", "true").CombinedOutput(); err != nil {
		b.Skipf("the kernel takes no filter: %v %s", err, out)
	}
	taken := map[string][2][]time.Duration{}
	n := 0
	round := func() {
		for way := range 2 {
			n++
			agit := func(what string, args ...string) {
				began := time.Now()
				if way == 0 {
					m.run("agit", args...)
				} else {
					m.run("unsynced", append([]string{"agit"}, args...)...)
				}
				both := taken[what]
				both[way] = append(both[way], time.Since(began))
				taken[what] = both
			}
			work := func(branch string) {
				tree := m.worktree(branch)
				must(b, os.WriteFile(filepath.Join(tree, branch), []byte(branch), 0o644))
				m.git("-C", tree, "add", ".")
				m.git("-C", tree, "commit", "-q", "-m", branch)
			}
			removed, merged := fmt.Sprintf("removed-%d", n), fmt.Sprintf("merged-%d", n)
			agit("spawn", "spawn", "app", "--branch", removed, "-q")
			work(removed)
			m.git("merge", "-q", "--no-edit", removed)
			agit("removal", "cleanup", "app", "--worktree", removed, "--yes", "-q")
			m.run("agit", "spawn", "app", "--branch", merged, "-q")
			work(merged)
			agit("merge", "merge", "app", merged, "-q")
		}
	}
	for b.Loop() {
		round()
	}
	for n < 2*benchtest.Least() {
		round()
	}
	for what, both := range taken {
		b.ReportMetric(benchtest.Ratio(benchtest.Percentile(both[0], 50), benchtest.Percentile(both[1], 50)), what+"-x-unsynced")
	}
	b.ReportMetric(0, "ns/op") // the sum of both has no meaning
}

// worktree is the folder of a branch.
func (m *bench) worktree(branch string) string {
	found, err := filepath.Glob(filepath.Join(m.repo, ".worktrees", branch+"-*"))
	if err != nil || len(found) != 1 {
		m.b.Fatalf("folder of %s: %q %v", branch, found, err)
	}
	return found[0]
}
