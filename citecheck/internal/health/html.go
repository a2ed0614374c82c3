package health

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/htmlpage"
)

//go:embed page.html
var pageSource string

// HTML is the report as one page: no script, no font and no picture from
// elsewhere, light or dark as the reader's system is.
func (r *Report) HTML() (string, error) {
	page, err := template.New("page").Parse(pageSource) // only on request
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = page.Execute(&b, r.view())
	return b.String(), err
}

// chart is one bar, cut into parts.
type chart struct {
	Title string
	Words string // the chart as text, for screen readers
	Parts []part
}

// part is a share of a chart's width.
type part struct {
	Name    string // a verdict or state, also the CSS class
	Count   int
	Share   string // for people
	X, W    string // per cent of the chart
	Meaning string
}

type view struct {
	*Report
	Look     template.CSS
	Headline string
	Good     bool
	MadeText string
	Next     []step
	Charts   []chart
	Facts    [][2]string
	Lines    []line
	More     int
	Lists    []list
}

type line struct {
	ID, Title, State, Sure, Percent, Valid, Verified string
	Low                                              bool // less than half of its citations are true
	Stale, Further                                   []stale
}

type stale struct{ Place, Verdict, To, Reason string }

type list struct {
	section
	More int
}

func (r *Report) view() view {
	v := view{
		Report: r, Look: template.CSS(htmlpage.CSS()), Headline: r.Headline(), Good: r.Stale+r.Unreadable == 0, MadeText: r.Made.Format("2 January 2006, 15:04 UTC"),
		Next: r.next(), Facts: r.facts(false), Charts: r.charts(),
	}
	for i, l := range r.Ranked {
		if i == 4*listed {
			v.More = len(r.Ranked) - i
			break
		}
		v.Lines = append(v.Lines, r.line(l))
	}
	for _, s := range r.sections() {
		l := list{section: s}
		if len(l.Items) > 10*listed {
			l.Items, l.More = l.Items[:10*listed], len(l.Items)-10*listed
		}
		v.Lists = append(v.Lists, l)
	}
	return v
}

// charts are the memories by state and the citations by verdict.
func (r *Report) charts() (charts []chart) {
	states := []part{
		{Name: check.StateValid, Count: r.Valid, Meaning: "every citation holds"},
		{Name: check.StateStale, Count: r.Stale, Meaning: "a citation does not hold"},
		{Name: check.StateUnreadable, Count: r.Unreadable, Meaning: "cannot be read"},
		{Name: check.StateUnverified, Count: r.Unverified, Meaning: "nothing to check"},
	}
	var verdicts []part
	for _, v := range verify.Verdicts() {
		verdicts = append(verdicts, part{Name: string(v), Count: r.Verdicts[v], Meaning: meaning(v)})
	}
	for _, c := range []chart{lay("Memories", states), lay("Citations by verdict", verdicts)} {
		if len(c.Parts) > 0 {
			charts = append(charts, c)
		}
	}
	return charts
}

// lay places the non-empty parts side by side.
func lay(title string, parts []part) chart {
	c := chart{Title: title}
	all, x := 0, 0.0
	for _, p := range parts {
		all += p.Count
	}
	var said []string
	for _, p := range parts {
		if p.Count == 0 {
			continue
		}
		w := 100 * float64(p.Count) / float64(all)
		p.Share, p.X, p.W = fmt.Sprintf("%.0f %%", w), fmt.Sprintf("%.3f", x), fmt.Sprintf("%.3f", w)
		c.Parts, said = append(c.Parts, p), append(said, fmt.Sprintf("%d %s", p.Count, p.Name))
		x += w
	}
	c.Words = strings.Join(said, ", ")
	return c
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
	if l.Key != "" {
		out.ID = r.name(l.ID)
	}
	if l.Confidence != nil {
		out.Low = *l.Confidence < 0.5
		out.Percent = fmt.Sprintf("%.0f", 100**l.Confidence)
	}
	if at, err := time.Parse(time.RFC3339, l.LastVerified); err == nil && l.Age >= 0 {
		out.Verified = at.Format(time.DateOnly) + " (" + verified(l) + ")"
	}
	for i, c := range l.Stale {
		if i < shown || len(l.Stale) == shown+1 {
			out.Stale = append(out.Stale, broken(c))
		} else {
			out.Further = append(out.Further, broken(c))
		}
	}
	return out
}

// shown is how many citations of one memory are shown before the reader unfolds the rest.
const shown = 3

func broken(c check.Citation) stale {
	s := stale{Place: memoryfile.Place{Path: c.Path, Line: c.Line, EndLine: c.EndLine}.String(), Verdict: string(c.Verdict), Reason: c.Reason}
	if c.FoundPath != "" {
		s.To = memoryfile.Place{Path: c.FoundPath, Line: c.FoundLine, EndLine: c.FoundEnd}.String()
		if c.FoundPath == c.Path {
			s.To = strings.TrimPrefix(s.To, c.Path)
		}
	}
	if c.Verdict.Fixable() {
		s.Reason = "" // verdict and place are enough
	}
	return s
}
