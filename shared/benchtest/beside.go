// Package benchtest measures a thing beside another. It is for benchmarks only.
package benchtest

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"time"
)

// Side is one of the things that are compared. Prepare, which may be nil, makes
// what Run needs anew each time, and is not measured.
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

// Turns runs the sides in turn for as long as the benchmark lasts, and at least
// five times unless a number of repetitions was asked for. Each comes first as
// often as the others, because whoever comes second finds warm caches, or a busy
// disk. It returns the median of each.
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

// Least is how many rounds a median needs: a duration ends a benchmark that is slow
// after the first. It is 0 where a number of rounds was asked for.
func Least() int {
	if asked := flag.Lookup("test.benchtime"); asked != nil && strings.HasSuffix(asked.Value.String(), "x") {
		return 0
	}
	return 5
}

// Percentile is the time that p of a hundred stay within. It sorts them.
func Percentile(all []time.Duration, p int) time.Duration {
	slices.Sort(all)
	return all[len(all)*p/100]
}

// Ratio is how many times theirs is in ours.
func Ratio(ours, theirs time.Duration) float64 { return float64(ours) / max(float64(theirs), 1) }

// Milliseconds is a duration as a metric with that unit.
func Milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
