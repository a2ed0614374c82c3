package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkScreen: how long another process's change takes until `agit top` shows it,
// beside the command that makes the change; and what the screen uses while nothing
// happens, over a repository with ten worktrees: the share of a core, and memory.
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
	idle(b, 15*time.Second) // until the memory of the start is given back
	b.ResetTimer()

	const watched = 30 * time.Second
	before := ticks(b, child) + ticks(b, parent)
	idle(b, watched)
	used := ticks(b, child) + ticks(b, parent) - before
	b.ReportMetric(float64(used)/watched.Seconds(), "%core") // a tick is a hundredth of a second
	b.ReportMetric(megabytes(b, child), "MB-screen")
	b.ReportMetric(megabytes(b, parent), "MB-parent")

	const changes = 10
	var longest, all time.Duration
	for i := range changes {
		h.ok("agit", "tasks", "app", "--create", "another")
		began := time.Now()
		x.until(fmt.Sprintf("ready %d ", i+1))
		took := time.Since(began)
		longest, all = max(longest, took), all+took
	}
	b.ReportMetric(float64((all / changes).Milliseconds()), "ms-change")
	b.ReportMetric(float64(longest.Milliseconds()), "ms-longest")
}

// idle lets time pass, which is what is measured.
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

// megabytes is what a process holds of memory.
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
