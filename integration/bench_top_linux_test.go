package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/benchtest"
)

// BenchmarkScreen: the time from a command that changes something until `agit top` shows it, beside the command alone. It also reports
// what the idle screen uses, over a repository with ten worktrees.
func BenchmarkScreen(b *testing.B) {
	h := newHome(b)
	for i := range 500 {
		dir := filepath.Join(h.repo, fmt.Sprintf("pkg%d", i%20))
		must(b, os.MkdirAll(dir, 0o755))
		must(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.txt", i)), []byte("text\n"), 0o644))
	}
	h.ok("git", "add", ".")
	h.ok("git", "commit", "-qm", "more")
	h.ok("agit", "add", ".", "--name", "app")
	for i := range 10 {
		h.ok("agit", "spawn", "app", "--task", fmt.Sprintf("task %d", i), "--agent", fmt.Sprintf("agent-%d", i))
	}
	x := newWindow(b, h, 80, 24)
	x.keys("agit top", "Enter")
	x.until("agent-1 ")
	x.until("AGENTS 10")
	child := x.childOf(b)
	parent := strings.Fields(readFile(b, "/proc/"+child+"/stat"))[3]
	idle(b, 15*time.Second) // until memory from the start is released

	const watched = 30 * time.Second
	before := ticks(b, child) + ticks(b, parent)
	idle(b, watched)
	used := ticks(b, child) + ticks(b, parent) - before

	var commands, shown, after []time.Duration
	round := func() {
		began := time.Now()
		h.ok("agit", "tasks", "app", "--create", "another")
		done := time.Now()
		x.until(fmt.Sprintf(`ready %d\b`, len(shown)+1))
		commands, shown, after = append(commands, done.Sub(began)), append(shown, time.Since(began)), append(after, time.Since(done))
	}
	for b.Loop() {
		round()
	}
	for len(shown) < benchtest.Least() {
		round()
	}
	b.ReportMetric(float64(benchtest.Percentile(after, 50).Nanoseconds()), "ns/op")
	b.ReportMetric(benchtest.Ratio(benchtest.Percentile(shown, 50), benchtest.Percentile(commands, 50)), "x-command")
	b.ReportMetric(benchtest.Milliseconds(benchtest.Percentile(after, 99)), "ms-longest")
	b.ReportMetric(float64(used)/watched.Seconds(), "%core") // a tick is a hundredth of a second
	b.ReportMetric(megabytes(b, child), "MB-screen")
	b.ReportMetric(megabytes(b, parent), "MB-parent")
}

// idle lets time pass, during which the benchmark measures.
func idle(b *testing.B, d time.Duration) {
	select {
	case <-time.After(d):
	case <-b.Context().Done():
	}
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}

// ticks is the time that a process used, in hundredths of a second.
func ticks(t testing.TB, pid string) int {
	t.Helper()
	fields := strings.Fields(readFile(t, "/proc/"+pid+"/stat"))
	user, err := strconv.Atoi(fields[13])
	must(t, err)
	system, err := strconv.Atoi(fields[14])
	must(t, err)
	return user + system
}

// megabytes returns the memory of a process.
func megabytes(t testing.TB, pid string) float64 {
	t.Helper()
	for line := range strings.Lines(readFile(t, "/proc/"+pid+"/status")) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			must(t, err)
			return float64(n) / 1024
		}
	}
	t.Fatal("no memory is told of " + pid)
	return 0
}
