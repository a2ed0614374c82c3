// Package sheet draws an agent's record as a player sheet: its name in large letters, tier, progress, scores and pending changes, in lines
// of at most 60 columns of printable ASCII, so that it looks the same in a terminal, in a toast and in a code block.
//
// It does not know the source of the numbers. Its functions have no state.
package sheet

import (
	"fmt"
	"html"
	"strings"

	"github.com/agit-suite/agit/shared/htmlpage"
	"github.com/agit-suite/agit/shared/term"
)

// Sheet is the content of a sheet.
type Sheet struct {
	Agent, ID, Type string
	Tier            string
	TierSP          string // the score points of the tier, such as "SP 2 to 3"
	SP, CS          int64
	Commits, Bugs   int64
	XP, NextSP      string // in points, with one decimal
	Progress        int    // in per cent
	Halted          bool
	Pending         []string // uncommitted changes and unstored writes
}

const (
	indent     = "  "
	barWidth   = 40
	mostListed = 8 // pending changes that are named
)

// String draws the sheet; every line ends in a line feed.
func (s Sheet) String() string {
	lines := append(Name(s.Agent), "")
	who := plain(s.Agent)
	if s.Type != "" {
		who += " (" + s.Type + ")"
	}
	tier := s.Tier
	if s.TierSP != "" {
		tier += " (" + s.TierSP + ")"
	}
	halted := "no"
	if s.Halted {
		halted = "YES"
	}
	lines = append(lines,
		stat("AGENT", who),
		stat("ID", s.ID),
		stat("TIER", tier),
		"",
		indent+bar(s.Progress),
		indent+fmt.Sprintf("XP %s of %s to the next SP", s.XP, s.NextSP),
		"")
	lines = append(lines, pairs(
		[2]string{"SP", whole(s.SP)}, [2]string{"COMMITS", whole(s.Commits)},
		[2]string{"XP", s.XP}, [2]string{"BUGS", whole(s.Bugs)},
		[2]string{"CS", whole(s.CS)}, [2]string{"HALTED", halted})...)
	lines = append(lines, indent+"SP trust, XP experience, CS communication")
	lines = append(lines, "", stat("PENDING", fmt.Sprint(len(s.Pending))))
	for i, p := range s.Pending {
		if i == mostListed {
			lines = append(lines, indent+fmt.Sprintf("  ... and %d more", len(s.Pending)-i))
			break
		}
		lines = append(lines, indent+"  "+p)
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(cut(ascii(line), Width), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

func stat(name, value string) string { return indent + fmt.Sprintf("%-9s%s", name, value) }

// whole formats a count with the one decimal that sheets have.
func whole(n int64) string { return fmt.Sprintf("%d.0", n) }

// pairs puts two values on a line if they fit.
func pairs(stats ...[2]string) (lines []string) {
	const column = 26
	for i := 0; i+1 < len(stats); i += 2 {
		left, right := stat(stats[i][0], stats[i][1]), stat(stats[i+1][0], stats[i+1][1])
		if len(left) >= column {
			lines = append(lines, left, right)
			continue
		}
		lines = append(lines, fmt.Sprintf("%-*s%s", column, left, right))
	}
	return lines
}

// bar draws a percentage.
func bar(percent int) string {
	percent = min(max(percent, 0), 100)
	full := percent * barWidth / 100
	return fmt.Sprintf("[%s%s] %3d%%", strings.Repeat("=", full), strings.Repeat("-", barWidth-full), percent)
}

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
