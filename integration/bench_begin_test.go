package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/benchtest"
)

// BenchmarkBeginFinish: begin and finish of a task on 2,000 files, with its session and its landing, beside git's own time for a
// worktree, a commit, a merge and the worktree's removal: with git as configured, and with every file synced as agit does. Goal:
// overhead-ms below 150.
func BenchmarkBeginFinish(b *testing.B) {
	m := newBench(b, 2000)
	var begin, finish []time.Duration
	clock := func(into *[]time.Duration, name string, args ...string) []byte {
		b.Helper()
		start := time.Now()
		out, err := m.command(name, args...).Output()
		*into = append(*into, time.Since(start))
		if err != nil {
			b.Fatalf("%s %v: %v", name, args, err)
		}
		return out
	}
	made := 0
	git := func(durable bool) func() {
		return func() {
			made++
			branch := fmt.Sprint("bare", made)
			tree := filepath.Join(m.dir, branch)
			run := func(args ...string) {
				if durable { // what agit syncs itself or makes git sync
					args = append([]string{"-c", "core.fsync=loose-object,reference,pack,pack-metadata", "-c", "core.fsyncMethod=fsync"}, args...)
				}
				m.run("git", args...)
			}
			run("worktree", "add", "-q", "-b", branch, tree)
			if durable { // git does not sync files that it checks out
				m.run("sync", "-f", tree)
			}
			must(b, os.WriteFile(filepath.Join(tree, branch), []byte("work\n"), 0o644))
			run("-C", tree, "add", ".")
			run("-C", tree, "commit", "-qm", "work")
			run("merge", "-q", "--no-ff", "-m", "merge", branch)
			run("worktree", "remove", "--force", tree)
			run("branch", "-q", "-d", branch)
		}
	}
	agit := func() {
		var begun brief
		must(b, json.Unmarshal(clock(&begin, "agit", "begin", "--agent", "ann", "--json"), &begun))
		must(b, os.WriteFile(filepath.Join(begun.Worktree.Path, fmt.Sprint("ours", len(begin))), []byte("work\n"), 0o644))
		clock(&finish, "agit", "finish", begun.Worktree.ID, "--agent", "ann", "--commit", "--land", "gate", "--json")
	}
	// A checkout takes three times as long while the file system writes earlier data, so each begins after a sync.
	settled := func(run func(), prepare ...string) benchtest.Side {
		return benchtest.Side{
			Prepare: func() error {
				if len(prepare) > 0 {
					m.run(prepare[0], prepare[1:]...)
				}
				return m.command("sync").Run()
			},
			Run: func() error { run(); return nil },
		}
	}
	medians := benchtest.Turns(b, settled(agit, "agit", "tasks", "app", "--create", "work"), settled(git(false)), settled(git(true)))
	ours, plain, durable := medians[0], medians[1], medians[2]
	b.ReportMetric(float64(ours.Nanoseconds()), "ns/op")
	b.ReportMetric(benchtest.Ratio(ours, plain), "x-git")
	b.ReportMetric(benchtest.Ratio(ours, durable), "x-git-durable")
	b.ReportMetric(benchtest.Milliseconds(ours-plain), "overhead-ms")
	b.ReportMetric(benchtest.Milliseconds(ours-durable), "overhead-ms-durable")
	b.ReportMetric(benchtest.Milliseconds(benchtest.Percentile(begin, 50)), "begin-ms")
	b.ReportMetric(benchtest.Milliseconds(benchtest.Percentile(finish, 50)), "finish-ms")
}
