package integration

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSyncPull: the first pull of 5,000 tickets from a fake Linear, and the
// next, which reads the overlap again. MB is the most memory the process held; cpu-share is
// how much of the time it computed, the rest it waited for the tracker. Goal: 80 MB.
func BenchmarkSyncPull(b *testing.B) {
	f, err := startTracker("linear", "-tickets", "5000")
	must(b, err)
	b.Cleanup(f.end)
	var first, idle []time.Duration
	var memory, share float64
	for b.Loop() {
		b.StopTimer()
		h := newHome(b)
		for name, value := range f.env {
			h.env = append(h.env, name+"="+value)
		}
		pull := func() (*exec.Cmd, time.Duration) {
			cmd := h.command(b.Context(), "pmsync", "pull", "-q")
			start := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("pmsync pull: %v\n%s", err, out)
			}
			return cmd, time.Since(start)
		}
		b.StartTimer()
		cmd, took := pull()
		first = append(first, took)
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			memory = max(memory, float64(usage.Maxrss)/1024)
		}
		share = float64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()) / float64(took)
		_, took = pull()
		idle = append(idle, took)
	}
	b.ReportMetric(median(first).Seconds(), "first-s")
	b.ReportMetric(milliseconds(median(idle)), "next-ms")
	b.ReportMetric(memory, "MB")
	b.ReportMetric(share, "cpu-share")
}
