package integration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/benchtest"
)

// BenchmarkPmsyncReady: `pmsync ready` over 100,000 tickets with 200,000 dependencies,
// start to exit, beside an empty Go program, one that opens the registry and asks the
// bare query, and `pmsync version`, which opens nothing. Goal: 4 times the empty
// program and the query. import-s is how long the import of the tickets took.
func BenchmarkPmsyncReady(b *testing.B) {
	const tickets = 100_000
	m := newBench(b, 1)
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
	medians := benchtest.Turns(b, m.side("pmsync", "ready", "--json"), m.side("empty"), m.side("bareready", registry), m.side("pmsync", "version"))
	b.ReportMetric(float64(medians[0].Nanoseconds()), "ns/op")
	for i, name := range []string{"x-empty", "x-bare", "x-version"} {
		b.ReportMetric(benchtest.Ratio(medians[0], medians[i+1]), name)
	}
	b.ReportMetric(imported.Seconds(), "import-s")
}
