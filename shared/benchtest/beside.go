// Package benchtest measures two things side by side. It is for benchmarks only.
package benchtest

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"time"
)

// Side is one of the things that are compared. Prepare, which may be nil, makes anew whatever Run needs before each run, and is not
// measured.
type Side struct {
	Prepare, Run func() error
}

// Of is a side that needs no preparation.
func Of(run func() error) Side { return Side{Run: run} }

// Beside runs ours and theirs in turn and reports the median of ours as the time
// of one operation, and as a multiple of theirs in the unit x-NAME.
func Beside(b *testing.B, name string, ours, theirs Side) {
	b.Helper()
	medians := Turns(b, ours, theirs)
	b.ReportMetric(float64(medians[0].Nanoseconds()), "ns/op")
	b.ReportMetric(Ratio(medians[0], medians[1]), "x-"+name)
}

// Turns runs the sides in turn for as long as the benchmark lasts, and at least five times unless a number of repetitions was asked for.
// Each side comes first as often as the others, because the second one finds warm caches, or a busy disk. It returns the median of each.
func Turns(b *testing.B, sides ...Side) []time.Duration {
	b.Helper()
	took := make([][]time.Duration, len(sides))
	rounds := 0
	round := func() {
		for i := range sides {
			at := (rounds + i) % len(sides)
			side := sides[at]
			if side.Prepare != nil {
				if err := side.Prepare(); err != nil {
					b.Fatal(err)
				}
			}
			began := time.Now()
			if err := side.Run(); err != nil {
				b.Fatal(err)
			}
			took[at] = append(took[at], time.Since(began))
		}
		rounds++
	}
	for b.Loop() {
		round()
	}
	for rounds < Least() {
		round()
	}
	medians := make([]time.Duration, len(sides))
	for i, all := range took {
		medians[i] = Percentile(all, 50)
	}
	return medians
}

// Least returns how many rounds a median needs at least. It returns 0 when -benchtime asks for a number of rounds. A -benchtime duration
// would otherwise end a slow benchmark after its first round.
func Least() int {
	if asked := flag.Lookup("test.benchtime"); asked != nil && strings.HasSuffix(asked.Value.String(), "x") {
		return 0
	}
	return 5
}

// Percentile returns the p-th percentile of all, which it sorts.
func Percentile(all []time.Duration, p int) time.Duration {
	slices.Sort(all)
	return all[len(all)*p/100]
}

// Ratio returns ours divided by theirs; theirs counts as at least 1 ns.
func Ratio(ours, theirs time.Duration) float64 { return float64(ours) / max(float64(theirs), 1) }

// Milliseconds returns a duration in milliseconds, for a metric with that unit.
func Milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
