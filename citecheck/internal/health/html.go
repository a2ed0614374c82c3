package health

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/htmlpage"
)

//go:embed page.html
var pageSource string

// HTML is the report as one page: no script, no font and no picture from
// elsewhere, light or dark as the reader's system is.
func (r *Report) HTML() (string, error) {
	page, err := template.New("page").Funcs(template.FuncMap{"sure": sure, "now": whereNow}).Parse(pageSource) // only on request
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
	Look   template.CSS
	Next   []step
	Charts []chart
	Facts  [][2]string
	Lines  []Line
	More   int
	Lists  []list
}

type list struct {
	section
	More int
}

func (r *Report) view() view {
	v := view{Report: r, Look: template.CSS(htmlpage.CSS()), Next: r.next(), Facts: r.facts(false), Charts: r.charts()}
	v.Lines = r.Ranked[:min(len(r.Ranked), 4*listed)]
	v.More = len(r.Ranked) - len(v.Lines)
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
		verdicts = append(verdicts, part{Name: string(v), Count: r.Verdicts[v], Meaning: meanings[v]})
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

var meanings = map[verify.Verdict]string{
	verify.Valid:        "the text is where the citation says",
	verify.Moved:        "the same text is at another line",
	verify.Renamed:      "the file has another name",
	verify.Changed:      "similar text exists: look at it",
	verify.Ambiguous:    "several places are equal",
	verify.Gone:         "nothing like it is left",
	verify.Outside:      "the path leaves the repository",
	verify.Unverifiable: "nothing to check it against",
}

// Percent is the confidence, 0 for none.
func (l Line) Percent() string { return fmt.Sprintf("%.0f", 100*valueOr(l.Confidence, 0)) }

// Low reports whether less than half of the citations are true.
func (l Line) Low() bool { return valueOr(l.Confidence, 1) < 0.5 }

// Checked is the day of the last check, and how long ago that was.
func (l Line) Checked() string {
	if at, err := time.Parse(time.RFC3339, l.LastVerified); err == nil && l.Age >= 0 {
		return at.Format(time.DateOnly) + " (" + verified(l) + ")"
	}
	return verified(l)
}

// shown is how many citations of one memory are shown before the reader unfolds the rest.
const shown = 3

// First returns the citations that are not valid and shown at once, Further the others.
func (l Line) First() []check.Citation {
	if len(l.Stale) == shown+1 {
		return l.Stale
	}
	return l.Stale[:min(len(l.Stale), shown)]
}

// Further returns the citations behind the First ones.
func (l Line) Further() []check.Citation { return l.Stale[len(l.First()):] }

// whereNow returns the place of a citation's text, "" when it is not known; in the cited file the line alone.
func whereNow(c check.Citation) string {
	switch c.FoundPath {
	case "":
		return ""
	case c.Path:
		return strings.TrimPrefix(c.Now().String(), c.Path)
	}
	return c.Now().String()
}
