package health

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/linkgraph"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/timestamp"
)

var update = flag.Bool("update", false, "write the reports in testdata anew, for review")

func of[T any](v T) *T { return &v }

// made is the report on memories as a check would find them.
func made(memories []check.Memory, links linkgraph.Overview, verdicts map[verify.Verdict]int) *Report {
	r := &Report{Project: "a_b|c", Made: timestamp.Of(now), Verdicts: verdicts, Links: &links, names: map[string]string{}}
	for _, n := range verdicts {
		r.Citations += n
	}
	for _, m := range memories {
		r.Total++
		r.Prose += m.Prose
		r.take(m, now)
	}
	if r.Total > 0 {
		r.Coverage = float64(r.Cited) / float64(r.Total)
	}
	r.rank()
	return r
}

var spaceAtEnds = regexp.MustCompile(`(?m)^[ \t]+|[ \t]+$|\n\n+`)

// Whole reports, as Markdown and as a page: of nothing, of one memory, of every state, and of so many that lists are cut.
func TestWholeReports(t *testing.T) {
	t.Parallel()
	cite := func(verdict verify.Verdict, path string, line int, found string, to int) check.Citation {
		c := check.Citation{Result: verify.Result{Verdict: verdict, FoundPath: found, FoundLine: to, Reason: "because " + string(verdict)}}
		c.Path, c.Line = path, line
		return c
	}
	stale := func(id string, n int, confidence float64) check.Memory {
		m := check.Memory{ID: id, State: check.StateStale, Confidence: &confidence, Total: n + 1, ValidCount: 1}
		for i := range n {
			m.Stale = append(m.Stale, cite([]verify.Verdict{verify.Moved, verify.Gone, verify.Renamed, verify.Changed}[i%4], fmt.Sprintf("f%d.go", i), i, []string{"f0.go", "", "g.go"}[i%3], i+7))
		}
		return m
	}
	every := []check.Memory{
		{ID: "valid", Title: "V", State: check.StateValid, Confidence: of(1.0), Total: 2, ValidCount: 2, LastVerified: "2026-11-19T08:00:00Z"},
		{ID: "older", State: check.StateValid, Confidence: of(1.0), Reliability: of(0.2), Total: 1, ValidCount: 1, LastVerified: "2026-11-01"},
		{ID: "sure", State: check.StateValid, Confidence: of(1.0), Reliability: of(0.9), Total: 1, ValidCount: 1, LastVerified: "2026-11-01", Disputes: 1},
		{ID: "unsure", State: check.StateUnverified, Total: 1, LastVerified: "2026-11-20T07:00:00Z"},
		{ID: "m-1", Source: history.Registry, Key: "key", Title: "T", State: check.StateStale, Confidence: of(0.5), Total: 2, ValidCount: 1, Stale: []check.Citation{cite(verify.Moved, "a.go", 3, "a.go", 9)}},
		{ID: "m-2", Source: history.Registry, Title: "Only a title", State: check.StateValid, Disputes: 2},
		stale("three", 3, 0.49), stale("four", 4, 0.5), stale("five", 5, 0.495),
		{ID: "bare", State: check.StateUnverified, Prose: 2},
		{ID: "broken", State: check.StateUnreadable, Problems: []memoryfile.Problem{{Line: 1, Text: "the file <holds> a NUL"}}},
		{ID: "half", State: check.StateValid, Confidence: of(1.0), Total: 1, ValidCount: 1, LastVerified: "2026-11-20", Problems: []memoryfile.Problem{{Line: 4, Text: "no *number*"}}},
	}
	var many, lists []check.Memory
	for i := range 201 {
		many = append(many, check.Memory{ID: fmt.Sprintf("n%03d", i), State: check.StateValid, Confidence: of(1.0), Total: 1, ValidCount: 1, LastVerified: "2026-11-20"})
	}
	for i := range 501 {
		lists = append(lists, check.Memory{ID: fmt.Sprintf("u%03d", i), State: check.StateUnverified})
	}
	links := linkgraph.Overview{Orphans: []string{"bare"}, Cycles: [][]string{{"a", "b"}, {"c"}}, Broken: []linkgraph.Broken{{From: "a", At: 2, Target: "x"}, {From: "b", At: 3, Target: "y", Nearest: "z"}, {From: "c", At: 4, Target: "w", May: []string{"p", "q"}}}}
	verdicts := map[verify.Verdict]int{verify.Valid: 5, verify.Moved: 40, verify.Renamed: 3, verify.Changed: 3, verify.Ambiguous: 1, verify.Gone: 4, verify.Outside: 1, verify.Unverifiable: 1}
	var b strings.Builder
	for _, one := range []struct {
		name string
		*Report
	}{
		{"nothing", made(nil, linkgraph.Overview{}, nil)}, {"one", made(every[:1], linkgraph.Overview{}, map[verify.Verdict]int{verify.Valid: 2})}, {"bare", made(every[9:10], linkgraph.Overview{}, nil)}, {"every", made(every, links, verdicts)},
		{"50 ranked", made(many[:50], linkgraph.Overview{}, nil)}, {"51 ranked", made(many[:51], linkgraph.Overview{}, nil)}, {"200 ranked", made(many[:200], linkgraph.Overview{}, nil)}, {"201 ranked", made(many, linkgraph.Overview{}, nil)},
		{"50 listed", made(lists[:50], linkgraph.Overview{}, nil)}, {"51 listed", made(lists[:51], linkgraph.Overview{}, nil)}, {"500 listed", made(lists[:500], linkgraph.Overview{}, nil)}, {"501 listed", made(lists, linkgraph.Overview{}, nil)},
	} {
		page, err := one.HTML()
		if err != nil {
			t.Fatal(err)
		}
		if one.Total > 12 { // the ends of long lists
			v := one.view()
			fmt.Fprintf(&b, "%s: %d lines on the page, %d more", one.name, len(v.Lines), v.More)
			for _, l := range v.Lists {
				fmt.Fprintf(&b, "; %s %d, %d more", l.Title, len(l.Items), l.More)
			}
			lines := strings.Split(strings.TrimSpace(one.Markdown()), "\n")
			fmt.Fprintf(&b, "\n%s\n", strings.Join(lines[max(0, len(lines)-3):], "\n"))
			continue
		}
		_, body, _ := strings.Cut(page, "<body")
		fmt.Fprintf(&b, "# %s\n%s\n<body%s\n", one.name, one.Markdown(), spaceAtEnds.ReplaceAllStringFunc(body, func(s string) string { return "\n"[:min(1, strings.Count(s, "\n"))] }))
	}
	goldentest.Same(t, "reports.txt", b.String(), *update)
}
