package integration

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSyncPull: the first pull of 50,000 tickets from each fake tracker, made
// once, and pulls after it, when nothing changed: of Linear with the wait for the
// points that the first one used up. MB is the most memory a process
// held; cpu-share is how much of the first pull it computed, the rest it waited for
// the tracker. Goal: 80 MB.
func BenchmarkSyncPull(b *testing.B) {
	for name := range trackerWords {
		b.Run(name, func(b *testing.B) { benchPull(b, name, "50000") })
	}
}

func benchPull(b *testing.B, name, tickets string) {
	f, err := startTracker(name, "-tickets", tickets)
	must(b, err)
	b.Cleanup(f.end)
	h := newHome(b)
	for name, value := range f.env {
		h.env = append(h.env, name+"="+value)
	}
	var memory float64
	pull := func() (*exec.Cmd, time.Duration) {
		cmd := h.command(b.Context(), "pmsync", "pull", "-q")
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("pmsync pull: %v\n%s", err, out)
		}
		took := time.Since(start)
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			memory = max(memory, float64(usage.Maxrss)/1024)
		}
		return cmd, took
	}
	cmd, first := pull()
	busy := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	var idle []time.Duration
	for b.Loop() {
		_, took := pull()
		idle = append(idle, took)
	}
	b.ReportMetric(first.Seconds(), "first-s")
	b.ReportMetric(milliseconds(median(idle)), "next-ms")
	b.ReportMetric(memory, "MB")
	b.ReportMetric(float64(busy)/float64(first), "cpu-share")
}
