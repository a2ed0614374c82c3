// Package health summarises the state of a project's memories: verdicts, confidence, age of the last check, links. It is one document in
// three forms: JSON, Markdown for reviews, and a self-contained page of HTML. It verifies nothing by itself and writes nothing. Safe for
// concurrent use.
package health

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/linkgraph"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Report is the health of a project's memories. Its JSON is a contract.
type Report struct {
	Project string         `json:"project"`
	Made    timestamp.Time `json:"made"`
	History bool           `json:"history"` // whether it is kept

	Counts   `json:"counts"`
	Verdicts map[verify.Verdict]int `json:"verdicts"`

	// Ranked are the memories with citations, most in need of care first.
	Ranked        []Line              `json:"ranked"`
	NeverVerified []string            `json:"never_verified"`
	Uncited       []string            `json:"without_citations"`
	Unread        []Unread            `json:"unreadable_memories"`
	Links         *linkgraph.Overview `json:"links"`
	Disputed      []string            `json:"disputed"`

	names   map[string]string // by id: the names that people use for the memories of the registry
	fixable [2]int            // citations that only moved: of files, and of the registry
}

// Counts are the numbers of a report.
type Counts struct {
	Total      int      `json:"total"` // memories
	Cited      int      `json:"cited"` // with citations
	Coverage   float64  `json:"coverage"`
	Valid      int      `json:"valid"`
	Stale      int      `json:"stale"`
	Unverified int      `json:"unverified"`
	Unreadable int      `json:"unreadable"`
	Citations  int      `json:"citations"`
	Prose      int      `json:"prose_references"` // not adopted
	Confidence *float64 `json:"average_confidence"`
}

// Line is one memory in the ranking.
type Line struct {
	check.Memory
	Age int `json:"days_since_verified"` // -1: never
}

// Unread is a memory that cannot be read, whole or in part.
type Unread struct {
	ID string `json:"memory_id"`
	memoryfile.Problem
}

// Options say what the report covers.
type Options struct {
	Registry bool
	Prose    bool
}

// Make verifies everything and builds the report.
func Make(ctx context.Context, s *check.Service, o Options, now time.Time) (*Report, error) {
	opts := check.Options{Registry: o.Registry, Uncited: true, Prose: o.Prose, Loose: true, NoRecord: true}
	sum, err := s.VerifyAll(ctx, opts)
	if err != nil {
		return nil, err
	}
	g, err := linkgraph.New(s.Lib)
	if err != nil {
		return nil, err
	}
	links, err := g.Overview(ctx)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Project: filepath.Base(s.Lib.Root), Made: timestamp.Of(now.UTC().Truncate(time.Second)), History: sum.History,
		Counts: Counts{Total: sum.Total, Citations: sum.Citations, Prose: sum.Prose}, Verdicts: sum.Verdicts, Links: links,
		Ranked: []Line{}, NeverVerified: []string{}, Uncited: []string{}, Unread: []Unread{}, Disputed: []string{}, names: map[string]string{},
	}
	for _, m := range sum.Memories {
		r.take(m, now)
	}
	if r.Total > 0 {
		r.Coverage = float64(r.Cited) / float64(r.Total)
	}
	r.rank()
	return r, nil
}

func (r *Report) take(m check.Memory, now time.Time) {
	source := 0
	if m.Source == history.Registry {
		source, r.names[m.ID] = 1, cmp.Or(m.Key, m.Title)
	}
	for _, c := range m.Stale {
		if c.Verdict.Fixable() {
			r.fixable[source]++
		}
	}
	for _, p := range m.Problems {
		r.Unread = append(r.Unread, Unread{m.ID, p})
	}
	switch m.State {
	case check.StateUnreadable:
		r.Unreadable++
		return
	case check.StateStale:
		r.Stale++
	case check.StateValid:
		r.Valid++
	default:
		r.Unverified++
	}
	if m.Disputes > 0 {
		r.Disputed = append(r.Disputed, m.ID)
	}
	if m.Total == 0 {
		r.Uncited = append(r.Uncited, m.ID)
		return
	}
	r.Cited++
	age := days(m.LastVerified, now)
	if age < 0 {
		r.NeverVerified = append(r.NeverVerified, m.ID)
	}
	r.Ranked = append(r.Ranked, Line{m, age})
}

// days returns the days since a date as memories and the history write it; -1 for none.
func days(stamp string, now time.Time) int {
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, stamp); err == nil {
			return max(0, int(now.Sub(at).Hours()/24))
		}
	}
	return -1
}

// rank puts stale memories first, then less confident ones, then those not checked for longest; reliability breaks ties.
func (r *Report) rank() {
	sum, n := 0.0, 0
	for _, l := range r.Ranked {
		if l.Confidence != nil {
			sum += *l.Confidence
			n++
		}
	}
	if n > 0 {
		average := sum / float64(n)
		r.Confidence = &average
	}
	slices.SortStableFunc(r.Ranked, func(a, b Line) int {
		return cmp.Or(
			cmp.Compare(min(len(b.Stale), 1), min(len(a.Stale), 1)),
			cmp.Compare(valueOr(a.Confidence, 0.99), valueOr(b.Confidence, 0.99)), // those that could not be checked before the certain ones
			cmp.Compare(len(b.Stale), len(a.Stale)),
			cmp.Compare(age(b.Age), age(a.Age)),
			cmp.Compare(valueOr(a.Reliability, 0), valueOr(b.Reliability, 0)),
			cmp.Compare(a.ID, b.ID),
		)
	})
}

// valueOr returns the number that a pointer points to, the other one for none.
func valueOr(p *float64, other float64) float64 {
	if p == nil {
		return other
	}
	return *p
}

// age returns the age for sorting: a memory that was never verified counts as the oldest.
func age(days int) int {
	if days < 0 {
		return 1 << 30
	}
	return days
}
