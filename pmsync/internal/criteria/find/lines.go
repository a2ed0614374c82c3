package find

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// paragraph collects criteria from text in a criteria section. Beside lists, only lines that read as criteria count: the rest explains.
func (c *collector) paragraph(b description.Block, p place, intro bool) {
	if allEmphasised(b.Spans) && !p.lines {
		return
	}
	for i, line := range statements(b.Spans) {
		label, text := cutLabel(line)
		unfinished := strings.HasSuffix(text, "...") || strings.HasSuffix(text, "…")
		advice := hasWords(text, reader) && hasWords(text, writing) // about how to write a ticket
		if isNote(text) || advice || unfinished || intro && label == "" && (!p.lines && !behaves(text) || strings.HasSuffix(text, ":")) {
			continue
		}
		if label == "" && !p.lines && !(p.form == FormText && behaves(text) && !strings.HasSuffix(text, ":")) {
			continue
		}
		if label == "" && strings.HasSuffix(text, ":") && len(text) < 80 && i == 0 {
			continue
		}
		for _, text := range enumerated(text) {
			c.add(Criterion{Text: text, Label: label, Parent: p.parent, Form: FormText, Section: p.section})
		}
	}
}

// enumerated splits a line that enumerates within itself, "1) … 2) … 3) …", or joins three or more statements by semicolons.
func enumerated(text string) []string {
	for _, form := range [][2]string{{"(", ") "}, {"", ") "}, {"", ". "}} {
		rest, ok := strings.CutPrefix(text, form[0]+"1"+form[1])
		if !ok {
			continue
		}
		var parts []string
		for n := 2; ; n++ {
			before, after, found := strings.Cut(rest, " "+form[0]+strconv.Itoa(n)+form[1])
			parts = append(parts, strings.TrimRight(before, " ,;"))
			if !found {
				break
			}
			rest = after
		}
		if len(parts) > 1 {
			return parts
		}
	}
	if parts := strings.Split(strings.TrimSuffix(text, "."), "; "); len(parts) > 2 && !slices.ContainsFunc(parts, func(p string) bool { return len(strings.Fields(p)) < 3 }) {
		return parts
	}
	return []string{text}
}

// pointsAway reports the rest of a line that only shows a picture or a file: "See mock:".
func pointsAway(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return strings.HasSuffix(text, ":") && pointing.has(first)
}

// listsTickets reports a line above a list of other tickets: "See child tickets:".
func listsTickets(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return len(text) <= 80 && pointing.has(first) && hasWords(text, tickets) && !hasWords(text, near)
}

var (
	pointing = set("see refer siehe vgl voir cf ver véase vedi zie")
	tickets  = set("tickets issues stories tasks subtasks sub-tasks children child linked aufgaben unteraufgaben vorgänge tâches sous-tâches tareas")
	near     = set("below following folgende unten suivantes ci-dessous")
)

// isNote reports a line that is marked as a remark.
func isNote(text string) bool {
	return startsWith(strings.ToLower(text), "note:", "notes:", "nb:", "n.b.", "(note", "ps:", "p.s.", "fyi", "hinweis:", "nota:",
		"remarque", "see ", "cc ", "cc:", "/cc", "ref:", "figma", "http://", "https://")
}

// startsWith reports whether a text starts with one of several others.
func startsWith(text string, others ...string) bool {
	return slices.ContainsFunc(others, func(start string) bool { return strings.HasPrefix(text, start) })
}

var (
	reader  = set("you your yours")
	writing = set("criteria criterion story stories issue issues ticket tickets")
)

func allEmphasised(spans []description.Span) bool {
	return !slices.ContainsFunc(spans, func(s description.Span) bool {
		return s.Style&description.Emphasis == 0 && strings.TrimSpace(s.Text) != ""
	})
}

// statements splits a paragraph into its lines, with wrapped lines joined.
func statements(spans []description.Span) []string {
	var out []string
	for _, line := range description.Lines(spans) {
		text := strings.TrimSpace(description.Text(line))
		if n := len(out) - 1; n >= 0 && text != "" && len(out[n]) < maxText && wraps(out[n], text) {
			out[n] += " " + text
			continue
		}
		out = append(out, text)
	}
	return out
}

// wraps reports whether next continues the sentence of line.
func wraps(line, next string) bool {
	switch line[len(line)-1] {
	case '.', '!', '?', ';', ':':
		return false
	}
	return next[0] >= 'a' && next[0] <= 'z' || strings.HasSuffix(line, ",") || len(line) > 65 && len(line) < 130 && (next[0] < 'A' || next[0] > 'Z')
}

// oneLine returns spans as one line of text.
func oneLine(spans []description.Span) string {
	return strings.Join(strings.Fields(description.Text(spans)), " ")
}
