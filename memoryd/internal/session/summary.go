package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/text"
)

// Bounds of a made summary, in bytes.
const (
	summaryLimit = 1500
	summaryLine  = 160
)

// summarise makes a summary of a session's events: how much of what, then what
// was said, the weightiest first. "" for a session without events.
func summarise(x Session, all []Event, until time.Time) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s", counts(all), spell(until.Sub(x.StartedAt)))
	if x.Item != "" {
		fmt.Fprintf(&b, " on %s", x.Item)
	}
	b.WriteString(".")
	for _, group := range []struct{ title, kind string }{
		{"Blockers", Blocker}, {"Decisions", Decision}, {"Done", Progress}, {"Found out", Discovery}, {"Errors", Error}, {"Notes", Note}, {"Earlier", Summary},
	} {
		of := ofType(all, group.kind)
		if len(of) == 0 {
			continue
		}
		line := "\n" + group.title + ": " + strings.Join(of, "; ") + "."
		if room := summaryLimit - b.Len(); len(line) > room {
			if room > 40 {
				b.WriteString(text.Cut(line, room-3) + "…")
			}
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// ofType are the contents of one type of event, each as one short line, the
// weightiest first, at most eight.
func ofType(all []Event, kind string) (lines []string) {
	const most = 8
	of := slices.DeleteFunc(slices.Clone(all), func(e Event) bool { return e.Type != kind })
	slices.SortStableFunc(of, func(a, b Event) int { return b.weight - a.weight })
	for i, e := range of {
		if i == most {
			return append(lines, fmt.Sprintf("%d more", len(of)-most))
		}
		lines = append(lines, strings.TrimRight(brief(e.Content, summaryLine), ". "))
	}
	return lines
}

// counts says how many events of each type there were.
func counts(all []Event) string {
	n := map[string]int{}
	for _, e := range all {
		n[e.Type] += max(1, e.StandsFor)
	}
	var parts []string
	for _, t := range []struct{ kind, one, many string }{
		{Decision, "decision", "decisions"}, {Discovery, "discovery", "discoveries"}, {Progress, "step", "steps"}, {Blocker, "blocker", "blockers"},
		{Error, "error", "errors"}, {Note, "note", "notes"}, {Summary, "earlier event", "earlier events"},
	} {
		switch n[t.kind] {
		case 0:
		case 1:
			parts = append(parts, "1 "+t.one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n[t.kind], t.many))
		}
	}
	return strings.Join(parts, ", ")
}

// brief is the first line of a text, cut with a sign that it is.
func brief(s string, most int) string {
	s = strings.TrimSpace(s)
	line, _, more := strings.Cut(s, "\n")
	line = strings.TrimSpace(line)
	if len(line) > most {
		return text.Cut(line, most-len("…")) + "…"
	}
	if more {
		return line + "…"
	}
	return line
}
