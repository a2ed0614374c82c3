package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// bodyHeight returns the number of lines between the first line and the last.
func (m *model) bodyHeight() int { return max(0, m.height-2) }

// view draws the whole screen: as many lines as it is high, none wider than it is.
func (m *model) view() []line {
	if m.height < 1 || m.width < 1 {
		return nil
	}
	lines := []line{m.header()}
	if m.open != nil {
		lines = append(lines, m.panelLines()...)
	} else {
		lines = append(lines, m.body()...)
	}
	for len(lines) < m.height-1 {
		lines = append(lines, line{})
	}
	if lines = lines[:max(1, m.height-1)]; m.height > 1 {
		lines = append(lines, m.footer())
	}
	for i := range lines {
		lines[i].spans = cutTo(lines[i].spans, m.width)
	}
	return lines
}

// header returns the line that names what is shown, with the few numbers that matter.
func (m *model) header() line {
	if m.open != nil {
		spans := []span{{clean(m.open.title), term.Bold}}
		if m.open.note != "" {
			spans = append(spans, span{"  " + clean(m.open.note), term.Yellow})
		}
		return line{spans: spans}
	}
	var spans []span
	switch repos := m.state.Repos; {
	case len(repos) == 1:
		spans = append(spans, span{clean(repos[0].Name), term.Bold}, span{"  " + strings.TrimSpace(clean(repos[0].DefaultBranch)+" "+repos[0].Tip), term.Plain})
	case len(repos) > 1:
		spans = append(spans, span{text.Count(len(repos), "repository", "repositories"), term.Bold})
	}
	t := m.state.Totals
	words := []string{text.Count(t.Agents, "agent", "agents")}
	switch {
	case t.Conflicts == nil && len(m.state.Repos) > 0:
		words = append(words, "conflicts unknown")
	case t.Conflicts != nil && *t.Conflicts > 0:
		words = append(words, text.Count(*t.Conflicts, "conflict", "conflicts"))
	}
	if t.Landings > 0 {
		words = append(words, text.Count(t.Landings, "landing", "landings"))
	}
	if t.Spent != "" {
		words = append(words, t.Spent+" today")
	}
	if old := t.Mirror.Words(m.now); old != "" {
		words = append(words, clean(old))
	}
	spans = append(spans, span{"   " + strings.Join(words, "   "), term.Plain})
	if m.filter != "" {
		spans = append(spans, span{"   /" + clean(m.filter), term.Yellow})
	}
	clock := m.now.Local().Format("15:04")
	if m.state.Problem != "" { // staleness matters more than the numbers
		clock = "stale since " + m.state.At.Local().Format("15:04")
		spans = cutTo(spans, max(0, m.width-len(clock)-2))
	}
	if room := m.width - wide(spans) - len(clock); room > 1 {
		spans = append(spans, span{strings.Repeat(" ", room) + clock, term.Dim})
	}
	return line{spans: spans}
}

// footer returns the question, the last message, what is being done, or the keys that work.
func (m *model) footer() line {
	switch {
	case m.ask != nil:
		switch m.ask.kind {
		case askFilter, askSearch:
			return line{spans: []span{{"/" + tail(clean2(m.ask.text), m.width-2), term.Bold}, {"█", term.Plain}}}
		case askYes:
			return line{spans: []span{{clean(m.ask.question), term.Bold}, {" y/N", term.Bold}}}
		}
		q := clean(m.ask.question)
		return line{spans: []span{{q + " ", term.Bold}, {tail(clean2(m.ask.text), m.width-term.Width(q)-2), term.Plain}, {"█", term.Plain}}}
	case m.said != "" && m.bad:
		return line{spans: []span{{m.said, term.Red}}}
	case m.busy != "":
		return line{spans: []span{{clean(m.busy) + " …", term.Yellow}}}
	case m.said != "":
		return line{spans: []span{{m.said, term.Plain}}}
	case m.state.Problem != "":
		return line{spans: []span{{clean(m.state.Problem), term.Red}}}
	case m.open != nil:
		return line{spans: []span{{"j k scroll  / search  n next  q close", term.Dim}}}
	}
	return line{spans: []span{{m.hints(m.width), term.Dim}}}
}

// clean2 is clean for a text that is being typed: a blank at its end stays.
func clean2(s string) string {
	if strings.HasSuffix(s, " ") {
		return clean(s) + " "
	}
	return clean(s)
}

// tail returns as much of a text's end as fits.
func tail(s string, width int) string {
	for s != "" && term.Width(s) > max(0, width) {
		_, rest, _ := strings.Cut(s, string([]rune(s)[0]))
		s = rest
	}
	return s
}

// body returns the parts, each with as many rows as there is room for.
func (m *model) body() []line {
	room := m.bodyHeight()
	if len(m.shown) == 0 {
		return m.empty()
	}
	var lines []line
	if room > 3 {
		lines = m.remarks()
		room -= len(lines)
	}
	heights, blank := m.heights(room)
	for i, s := range m.shown {
		if heights[i] == 0 {
			continue
		}
		if len(lines) > 0 && blank && lines[len(lines)-1].spans != nil {
			lines = append(lines, line{})
		}
		lines = append(lines, line{spans: s.title})
		lines = append(lines, m.rowsOf(s, heights[i]-1)...)
	}
	return lines
}

// remarks returns the lines above the parts, with a blank line below them: the first repository that was not scanned, and that nothing
// needs a person.
func (m *model) remarks() (lines []line) {
	lines = m.unscanned()
	if len(m.state.Needs) == 0 && m.filter == "" {
		lines = append(lines, line{spans: []span{{"Nothing needs you.", term.Dim}}})
	}
	if len(lines) > 0 {
		lines = append(lines, line{})
	}
	return lines
}

// unscanned returns a line about the first repository that was not scanned, if there is one.
func (m *model) unscanned() []line {
	i := slices.IndexFunc(m.state.Repos, func(r overview.Repo) bool { return r.Problem != "" })
	if i < 0 {
		return nil
	}
	return []line{{spans: []span{{clean(m.state.Repos[i].Name + " was not scanned: " + m.state.Repos[i].Problem), term.Red}}}}
}

// empty returns the lines of a screen without anything to show.
func (m *model) empty() []line {
	if m.filter != "" {
		lines := []line{{}, {spans: []span{{"No row holds \"" + clean(m.filter) + "\"; esc shows all.", term.Dim}}}}
		if n := m.state.Tasks.Unlisted; n > 0 {
			lines = append(lines, line{spans: []span{{m.unlisted("tasks", n) + ".", term.Dim}}})
		}
		return lines
	}
	if len(m.state.Repos) == 0 {
		return []line{{}, {spans: []span{{"No repository is registered yet: `agit add PATH`.", term.Dim}}}}
	}
	name := clean(m.state.Repos[0].Name)
	return append(m.unscanned(), line{}, line{spans: []span{{"No agent works here yet. To begin:", term.Dim}}}, line{},
		line{spans: []span{{"  agit spawn " + name + " --agent ann --task \"what to do\"", term.Plain}}})
}

// heights divides the room in this order: two rows for the part in focus, a heading for each part, up to seven rows of what needs a person,
// three rows for each other part, then the rest of the part in focus, then the others from the top. A part that does not fit is left out,
// from the last one up. blank is true when everything but tasks fits with blank lines.
func (m *model) heights(room int) (heights []int, blank bool) {
	n := len(m.shown)
	heights = make([]int, n)
	focus := 0
	for i, s := range m.shown {
		if s.part == m.focus {
			focus = i
		}
	}
	left := room
	give := func(i, upTo int) {
		want := min(m.shown[i].height(), upTo)
		if heights[i] == 0 {
			want = min(want, left)
		}
		if more := min(want-heights[i], left); more > 0 {
			heights[i], left = heights[i]+more, left-more
		}
	}
	give(focus, min(room, 3)) // its heading, and two rows
	for i := range m.shown {
		give(i, 1)
	}
	all := 0
	for i, s := range m.shown {
		if s.part != overview.PartTasks {
			all += s.height() - heights[i]
		}
	}
	if blank = left-(n-1) >= all; blank {
		left -= n - 1
	}
	if m.shown[0].part == overview.PartNeeds {
		give(0, 8)
	}
	for i, s := range m.shown {
		if s.part != overview.PartTasks {
			give(i, 4)
		}
	}
	give(focus, room)
	for i := range m.shown {
		give(i, room)
	}
	return heights, blank
}

// height returns how many lines a part wants: its title, its rows, and the text below them.
func (s section) height() int {
	if s.rest > 0 {
		return 2 + len(s.rows)
	}
	return 1 + len(s.rows)
}

// rowsOf returns the rows of a part that are in sight: those around the selected one, and the number of the others.
func (m *model) rowsOf(s section, height int) []line {
	if height <= 0 || len(s.rows) == 0 {
		return nil
	}
	more := len(s.rows) > height || s.rest > 0
	shownRows := height
	if more && height > 1 {
		shownRows--
	}
	first, at := m.first[s.part], m.selected[s.part].at
	first = max(min(first, at), at-shownRows+1) // the selected row is in sight
	first = max(0, min(first, len(s.rows)-shownRows))
	m.first[s.part] = first
	w := widths(s.columns, s.rows, m.width-2)
	var lines []line
	for i, r := range s.rows[first:min(len(s.rows), first+shownRows)] {
		selected := s.part == m.focus && first+i == at
		mark := "  "
		if selected {
			mark = "> "
		}
		lines = append(lines, line{append([]span{{mark, term.Bold}}, laid(r, s.columns, w)...), selected})
	}
	if more && height > 1 {
		above, below := first, max(0, len(s.rows)-first-shownRows)
		var words []string
		if above > 0 {
			words = append(words, fmt.Sprintf("%d above", above))
		}
		switch {
		case s.rest > 0 && below == 0:
			words = append(words, m.unlisted("more", s.rest))
		case below+s.rest > 0:
			words = append(words, fmt.Sprintf("%d more", below+s.rest))
		}
		lines = append(lines, line{spans: []span{{"  … " + strings.Join(words, ", "), term.Dim}}})
	}
	return lines
}

// unlisted returns where to find the tasks that the screen does not list.
func (m *model) unlisted(what string, n int) string {
	are := "are not listed"
	if m.filter != "" {
		are = "were not looked through"
	}
	return fmt.Sprintf("%d %s %s: `agit tasks --limit 0` lists all", n, what, are)
}

// panelLines returns the lines of the open panel that are in sight.
func (m *model) panelLines() []line {
	p, height := m.open, m.bodyHeight()
	all := p.laidOut(m.width)
	if p.tail {
		p.top = max(0, len(all)-height)
	}
	p.top = max(0, min(p.top, len(all)-1))
	var lines []line
	for _, l := range all[p.top:min(len(all), p.top+height)] {
		look := p.look(l)
		if p.left > 0 && !p.wrap {
			l = from(l, p.left)
		}
		if p.find != "" && strings.Contains(strings.ToLower(l), strings.ToLower(p.find)) {
			look = cmp.Or(look, term.Yellow)
		}
		lines = append(lines, line{spans: []span{{l, look}}})
	}
	return lines
}

// from returns a text without its first cells.
func from(s string, cells int) string {
	head := term.Truncate(s, cells+1) // with an ellipsis where something is cut
	if term.Width(s) <= cells {
		return ""
	}
	return s[len(strings.TrimSuffix(head, "…")):]
}

// wide returns how many cells spans take.
func wide(spans []span) (n int) {
	for _, s := range spans {
		n += term.Width(s.text)
	}
	return n
}

// cutTo cuts spans to a width.
func cutTo(spans []span, width int) []span {
	for i := range spans {
		n := term.Width(spans[i].text)
		if n > width {
			cut := spans[:i:i]
			if s := term.Truncate(strings.TrimRight(spans[i].text, " "), width); s != "" {
				cut = append(cut, span{s, spans[i].look})
			}
			return cut
		}
		width -= n
	}
	return spans
}
