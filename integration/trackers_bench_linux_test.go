package integration

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/benchtest"
)

// BenchmarkSyncPull: pulls from each fake tracker when nothing changed, of Linear with
// the wait for the points that the first pull used up, beside
// `pmsync version`, which opens nothing. The first pull, of 50,000 tickets, is made once: first-s is its
// time, cpu-x-first how much of that it computed, the rest it waited for the tracker,
// and MB the most memory that a process held. Goal: 80 MB.
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
	medians := benchtest.Turns(b, benchtest.Of(func() error { pull(); return nil }), benchtest.Of(func() error {
		_, err := h.command(b.Context(), "pmsync", "version").Output()
		return err
	}))
	b.ReportMetric(float64(medians[0].Nanoseconds()), "ns/op")
	b.ReportMetric(benchtest.Ratio(medians[0], medians[1]), "x-version")
	b.ReportMetric(first.Seconds(), "first-s")
	b.ReportMetric(memory, "MB")
	b.ReportMetric(float64(busy)/float64(first), "cpu-x-first")
}
