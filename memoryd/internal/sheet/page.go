package sheet

import (
	"fmt"
	"html"
	"strings"

	"github.com/agit-suite/agit/shared/htmlpage"
	"github.com/agit-suite/agit/shared/term"
)

const pageStyle = `.track { height: 10px; border-radius: 5px; background: var(--line); overflow: hidden; } .track svg { display: block; width: 100%; height: 10px; } .track rect { fill: var(--good); }
.halted { color: var(--bad); font-weight: 600; }
`

// HTML returns the sheet as one page, in the style of the other pages. It loads nothing and runs nothing.
func (s Sheet) HTML() string {
	var b strings.Builder
	e := func(text string) string { return html.EscapeString(term.Escape(text)) }
	b.WriteString(htmlpage.Begin(e(s.Agent)+": record", pageStyle))
	fmt.Fprintf(&b, "<header><h1>%s</h1><p>%s · %s · %s</p></header>\n<main>\n", e(s.Agent), e(s.Tier), e(s.Type), e(s.ID))
	if s.Halted {
		b.WriteString("<p class=\"halted\">Halted: it gets no claim until a person lets it go on.</p>\n")
	}
	progress := min(max(s.Progress, 0), 100)
	fmt.Fprintf(&b, "<h2>Next score point</h2>\n<p>%d %%: %s of %s XP</p>\n<div class=\"track\"><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"%d per cent of the way to the next score point\"><rect width=\"%d\" height=\"10\"/></svg></div>\n",
		progress, e(s.XP), e(s.NextSP), progress, progress)
	b.WriteString("<dl>\n")
	for _, fact := range []struct {
		name string
		n    int64
	}{{"Score points", s.SP}, {"Communication score", s.CS}, {"Commits", s.Commits}, {"Bugs found in its work", s.Bugs}} {
		fmt.Fprintf(&b, "<div><dt>%s</dt><dd>%d</dd></div>\n", fact.name, fact.n)
	}
	b.WriteString("</dl>\n")
	if len(s.Pending) > 0 {
		b.WriteString("<h2>Uncommitted changes here</h2>\n<ul>\n")
		for _, line := range s.Pending {
			fmt.Fprintf(&b, "<li><code>%s</code></li>\n", e(line))
		}
		b.WriteString("</ul>\n")
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	return b.String()
}
