package find

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

func startsStrong(line []description.Span) bool {
	return len(line) > 0 && line[0].Style&(description.Strong|description.Emphasis) != 0
}

func allStrong(line []description.Span) bool {
	return len(line) > 0 && !slices.ContainsFunc(line, func(s description.Span) bool {
		return s.Style&description.Strong == 0 && strings.Trim(s.Text, " :.-–*") != ""
	})
}

// labelOf reads a line that is a label ("**Acceptance criteria**", "AC:") or begins with one ("**AC:** the page loads").
func labelOf(line []description.Span, last bool, next *description.Block) (title string, rest []description.Span, ok bool) {
	text := description.Text(line)
	if allStrong(line) && len(text) <= 120 {
		return text, nil, !isStep(text)
	}
	if label, after, found := inlineLabel(line); found {
		switch meaningOf(label) {
		case accepts, excluded, requires, prose:
			return label, after, true
		}
	}
	if at := strings.LastIndex(text, ". "); at >= 0 && strings.HasSuffix(text, ":") && meaningOf(text[at+2:]) == accepts {
		return text[at+2:], nil, true // behind a sentence
	}
	if len(text) > 80 || strings.ContainsAny(text, "|") {
		return "", nil, false
	}
	// Plain text: a known wording with a colon, or alone above a list.
	means := meaningOf(strings.TrimRight(text, ": "))
	if saysWhenDone(text, strings.Fields(labelKey(text))) {
		return text, nil, true
	}
	if means == unknown || means == scenarioOne || means == criterion {
		return "", nil, false
	}
	if strings.HasSuffix(strings.TrimSpace(text), ":") {
		return text, nil, true
	}
	if means == accepts && len(strings.Fields(text)) <= 4 || last && next != nil && next.Kind == description.List && len(strings.Fields(text)) <= 4 {
		return text, nil, !strings.HasSuffix(text, ".")
	}
	return "", nil, false
}

// inlineLabel cuts "Label: rest" where the label is bold or short.
func inlineLabel(line []description.Span) (label string, rest []description.Span, ok bool) {
	text := description.Text(line)
	at := strings.IndexAny(text, ":：")
	if at <= 0 || at > 60 {
		return "", nil, false
	}
	width := 1
	if text[at] != ':' {
		width = len("：")
	}
	rest = after(line, at+width)
	if len(rest) == 0 {
		return "", nil, false
	}
	return text[:at], rest, true
}

// after returns the spans without the first n bytes of a line.
func after(line []description.Span, n int) []description.Span {
	var out []description.Span
	for _, span := range line {
		if n >= len(span.Text) {
			n -= len(span.Text)
			continue
		}
		span.Text = span.Text[n:]
		n = 0
		out = append(out, span)
	}
	return description.Trim(out)
}
