package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkBeginFinish measures what begin and finish take a task on 2,000 files, session and landing included, beside what git
// alone takes for the same: a worktree, a commit, a merge. overhead-ms is what is to stay below 150 on a machine that is idle.
func BenchmarkBeginFinish(b *testing.B) {
	m := newBench(b, 2000)
	m.build("memoryd", "../memoryd")
	var bare, ours time.Duration
	clock := func(into *time.Duration, name string, args ...string) []byte {
		b.Helper()
		start := time.Now()
		out, err := m.command(name, args...).Output()
		*into += time.Since(start)
		if err != nil {
			b.Fatalf("%s %v: %v", name, args, err)
		}
		return out
	}
	git := func(n int) {
		tree, branch := filepath.Join(m.dir, fmt.Sprint("bare", n)), fmt.Sprint("bare", n)
		clock(&bare, "git", "worktree", "add", "-q", "-b", branch, tree)
		must(b, os.WriteFile(filepath.Join(tree, branch), []byte("work\n"), 0o644))
		clock(&bare, "git", "-C", tree, "add", ".")
		clock(&bare, "git", "-C", tree, "commit", "-qm", "work")
		clock(&bare, "git", "merge", "-q", "--no-ff", "-m", "merge", branch)
		clock(&bare, "git", "worktree", "remove", "--force", tree)
		clock(&bare, "git", "branch", "-q", "-d", branch)
	}
	agit := func(n int) {
		m.run("agit", "tasks", "app", "--create", "work")
		var begun brief
		must(b, json.Unmarshal(clock(&ours, "agit", "begin", "--agent", "ann", "--json"), &begun))
		must(b, os.WriteFile(filepath.Join(begun.Worktree.Path, fmt.Sprint("ours", n)), []byte("work\n"), 0o644))
		clock(&ours, "agit", "finish", begun.Worktree.ID, "--agent", "ann", "--commit", "--land", "gate", "--json")
	}
	// A checkout takes three times as long where the file system still writes what came before: each begins where nothing waits,
	// and each comes first as often. Where there is no sync(1), the one pays for the other.
	turns := []func(int){git, agit}
	for n := 0; b.Loop(); n++ {
		for i := range turns {
			_ = m.command("sync").Run()
			turns[(n+i)%len(turns)](n)
		}
	}
	b.ReportMetric(float64(ours)/float64(bare), "ratio")
	b.ReportMetric(float64((ours-bare).Milliseconds())/float64(b.N), "overhead-ms")
}
