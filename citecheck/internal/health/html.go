package health

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
)

//go:embed page.html
var pageSource string

// HTML is the report as one page: no script, no font and no picture from
// elsewhere, light or dark as the reader's system is.
func (r *Report) HTML() (string, error) {
	page, err := template.New("page").Parse(pageSource) // only when it is asked for
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = page.Execute(&b, r.view())
	return b.String(), err
}

// bar is one verdict in the chart: a share of the whole width.
type bar struct {
	Verdict string
	Count   int
	Share   string // of all citations, for people
	X, W    string // per cent of the chart
	Meaning string
}

type view struct {
	*Report
	Headline string
	Good     bool
	MadeText string
	Bars     []bar
	Chart    string // the chart in words
	Facts    [][2]string
	Lines    []line
	More     int
	Lists    []list
}

type line struct {
	ID, Title, State, Sure, Percent, Valid, Verified string
	Low                                              bool // less than half of it is true
	Stale                                            []stale
}

type stale struct{ Place, Verdict, To, Reason string }

type list struct {
	Title string
	Items []string
	More  int
}

func (r *Report) view() view {
	v := view{
		Report: r, Headline: r.Headline(), Good: r.Stale+r.Unreadable == 0, MadeText: r.Made.Format("2 January 2006, 15:04 UTC"),
		Facts: r.facts(), Bars: r.bars(),
	}
	var said []string
	for _, b := range v.Bars {
		said = append(said, fmt.Sprintf("%d %s", b.Count, b.Verdict))
	}
	v.Chart = strings.Join(said, ", ")
	for i, l := range r.Ranked {
		if i == 4*listed {
			v.More = len(r.Ranked) - i
			break
		}
		v.Lines = append(v.Lines, r.line(l))
	}
	for _, l := range []list{
		{Title: "Cannot be read", Items: r.unreadLines()},
		{Title: "Never verified", Items: r.NeverVerified},
		{Title: "Disputed", Items: r.Disputed},
		{Title: "Broken links", Items: r.brokenLines()},
		{Title: "Links in a circle", Items: r.cycleLines()},
		{Title: "Without citations", Items: r.Uncited},
		{Title: "Orphans: no link in or out", Items: r.Links.Orphans},
	} {
		if len(l.Items) > 10*listed {
			l.Items, l.More = l.Items[:10*listed], len(l.Items)-10*listed
		}
		if len(l.Items) > 0 {
			v.Lists = append(v.Lists, l)
		}
	}
	return v
}

// bars lays the verdicts side by side.
func (r *Report) bars() (bars []bar) {
	x := 0.0
	for _, verdict := range verify.Verdicts() {
		n := r.Verdicts[verdict]
		if n == 0 {
			continue
		}
		w := 100 * float64(n) / float64(r.Citations)
		bars = append(bars, bar{
			Verdict: string(verdict), Count: n, Share: fmt.Sprintf("%.0f %%", w), X: fmt.Sprintf("%.3f", x), W: fmt.Sprintf("%.3f", w),
			Meaning: meaning(verdict),
		})
		x += w
	}
	return bars
}

func meaning(v verify.Verdict) string {
	switch v {
	case verify.Valid:
		return "the text is where the citation says"
	case verify.Moved:
		return "the same text is at another line"
	case verify.Renamed:
		return "the file has another name"
	case verify.Changed:
		return "similar text is there: look at it"
	case verify.Ambiguous:
		return "several places are equal"
	case verify.Gone:
		return "nothing like it is left"
	case verify.Outside:
		return "the path leaves the repository"
	}
	return "nothing to check it against"
}

func (r *Report) line(l Line) line {
	out := line{
		ID: l.ID, Title: l.Title, State: l.State, Sure: sure(l), Percent: "0", Valid: fmt.Sprintf("%d/%d", l.ValidCount, l.Total), Verified: verified(l),
	}
	if l.Confidence != nil {
		out.Low = *l.Confidence < 0.5
		out.Percent = fmt.Sprintf("%.0f", 100**l.Confidence)
	}
	if at, err := time.Parse(time.RFC3339, l.LastVerified); err == nil && l.Age >= 0 {
		out.Verified = at.Format(time.DateOnly) + " (" + verified(l) + ")"
	}
	for _, c := range l.Stale {
		s := stale{Place: memoryfile.Place{Path: c.Path, Line: c.Line, EndLine: c.EndLine}.String(), Verdict: string(c.Verdict), Reason: c.Reason}
		if c.FoundPath != "" {
			s.To = memoryfile.Place{Path: c.FoundPath, Line: c.FoundLine, EndLine: c.FoundEnd}.String()
		}
		out.Stale = append(out.Stale, s)
	}
	return out
}
