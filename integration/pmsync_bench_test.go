package integration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkPmsyncReady: start to exit of `pmsync ready` over 100,000 tickets with
// 200,000 dependencies, against an empty Go program, against one that opens the
// registry and asks the bare query, and against `pmsync version`, which opens
// nothing; goal 4 times the empty program and the query. import-s is how long the
// import of the tickets took.
func BenchmarkPmsyncReady(b *testing.B) {
	const tickets = 100_000
	m := newBench(b, 1)
	m.build("pmsync", "../pmsync")
	m.build("bareready", "./testdata/bareready")
	r := rand.New(rand.NewPCG(2, 4))
	var lines strings.Builder
	for i := range tickets {
		var blockers []string
		for range 2 {
			if i > 1000 {
				blockers = append(blockers, fmt.Sprintf("%q", fmt.Sprintf("APP-%d", i-1-r.IntN(1000))))
			}
		}
		fmt.Fprintf(&lines, "{\"id\":\"APP-%d\",\"title\":\"Ticket %d of many\",\"priority\":%d,\"blocked_by\":[%s]}\n", i, i, r.IntN(5), strings.Join(blockers, ","))
	}
	file := filepath.Join(m.dir, "tickets.ndjson")
	must(b, os.WriteFile(file, []byte(lines.String()), 0o644))
	start := time.Now()
	m.run("pmsync", "ticket", "import", file, "-q")
	imported := time.Since(start)
	registry := filepath.Join(m.dir, "home", ".agit", "agit.db")
	var ours, bare, empty, version []time.Duration
	for b.Loop() {
		empty = append(empty, m.time("empty"))
		bare = append(bare, m.time("bareready", registry))
		version = append(version, m.time("pmsync", "version"))
		ours = append(ours, m.time("pmsync", "ready", "--json"))
	}
	b.ReportMetric(float64(median(ours))/float64(median(empty)), "x-empty")
	b.ReportMetric(float64(median(ours))/float64(median(bare)), "x-bare")
	b.ReportMetric(float64(median(ours))/float64(median(version)), "x-version")
	b.ReportMetric(milliseconds(median(ours)), "ms")
	b.ReportMetric(imported.Seconds(), "import-s")
}
