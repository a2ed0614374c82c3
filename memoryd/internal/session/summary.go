package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Bounds of a generated summary, in bytes.
const (
	summaryLimit = 1500
	summaryLine  = 160
)

// summarise summarises a session's events and the work that git saw: first the counts, then the texts, the most important first and of
// these the newest. It returns "" for a session without events and work.
func summarise(x Session, all []Event, done Work, until time.Time) string {
	what := slices.DeleteFunc([]string{counts(all), several(len(done.Commits), "commit", "commits"), several(len(done.Files), "file changed", "files changed")},
		func(s string) bool { return s == "" })
	if len(what) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s", strings.Join(what, ", "), spell(until.Sub(x.StartedAt.Time)))
	if x.Item != "" {
		fmt.Fprintf(&b, " on %s", x.Item)
	}
	b.WriteString(".")
	for _, group := range []struct{ title, kind string }{
		{"Blockers", Blocker}, {"Decisions", Decision}, {"Done", Progress}, {"Committed", ""}, {"Found out", Discovery}, {"Errors", Error}, {"Notes", Note}, {"Earlier", Summary}, {"Files", ""},
	} {
		of := ofType(all, group.kind)
		switch group.title {
		case "Committed":
			of = subjects(done.Commits)
		case "Files":
			of = done.Files
			if len(all) > 0 && len(done.Commits) > 0 {
				of = nil // the notes and the commits are more informative
			}
		}
		if len(of) == 0 {
			continue
		}
		if n := len(of) - summaryMost; n > 0 {
			of = append(slices.Clone(of[:summaryMost]), fmt.Sprintf("%d more", n))
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

// summaryMost bounds the lines of one kind in a summary.
const summaryMost = 8

// subjects returns the subjects of commits, the newest first.
func subjects(commits []Commit) (lines []string) {
	for _, c := range slices.Backward(commits) {
		lines = append(lines, strings.TrimRight(brief(c.Subject, summaryLine), ". "))
	}
	return lines
}

// several formats a count; "" for none.
func several(n int, one, many string) string {
	if n == 0 {
		return ""
	}
	return text.Count(n, one, many)
}

// ofType returns the contents of one type of event, each as one short line, the most important first and of these the newest.
func ofType(all []Event, kind string) (lines []string) {
	of := slices.DeleteFunc(slices.Clone(all), func(e Event) bool { return e.Type != kind })
	slices.Reverse(of)
	slices.SortStableFunc(of, func(a, b Event) int { return b.weight - a.weight })
	for _, e := range of {
		lines = append(lines, strings.TrimRight(brief(e.Content, summaryLine), ". "))
	}
	return lines
}

// counts formats the number of events of each type.
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
		if said := several(n[t.kind], t.one, t.many); said != "" {
			parts = append(parts, said)
		}
	}
	return strings.Join(parts, ", ")
}

// brief returns the first line of a text, marked when it is cut.
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

const (
	// keepNewest events stay whatever their importance: they are the session's current subject.
	keepNewest = 100
	// compactedLimit bounds the summary that replaces the others, in bytes.
	compactedLimit = 4000
)

// compact removes the unimportant events of a session that has more than most, and puts one summary event in the place of the first.
// Important events, decisions from medium, earlier summaries and the newest stay.
func compact(tx *registry.Tx, x Session, most int) error {
	if most <= 0 {
		return nil
	}
	n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM session_events WHERE session_id = ?`, x.row.id))
	if err != nil || n <= most {
		return err
	}
	all, err := events(tx, x.row.id, 0)
	if err != nil {
		return err
	}
	var small []Event
	for _, e := range all[:max(0, len(all)-min(keepNewest, most/2))] {
		if e.Type != Summary && !e.matters() {
			small = append(small, e)
		}
	}
	if len(small) < 2 {
		return nil
	}
	first, last := small[0], small[len(small)-1]
	err = tx.Do(`UPDATE session_events SET uid = ?, type = 'summary', importance = 1, content = ?, context = NULL, stands_for = ? WHERE id = ?`,
		registry.NewUID(), digest(small, last), len(small), first.row)
	if err != nil {
		return err
	}
	for _, e := range small[1:] {
		if err := tx.Do(`DELETE FROM session_events WHERE id = ?`, e.row); err != nil {
			return err
		}
	}
	return nil
}

// digest summarises events: how many of each type, then some of their lines: first those that may still matter, then the course of the
// rest.
func digest(small []Event, last Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s until %s:", counts(small), registry.FormatTime(last.CreatedAt.Time))
	var weighty, course []Event
	for _, e := range small {
		if e.weight >= medium && (e.Type == Blocker || e.Type == Error || e.Type == Discovery) {
			weighty = append(weighty, e)
		} else {
			course = append(course, e)
		}
	}
	sample(&b, weighty, compactedLimit*2/3)
	sample(&b, course, compactedLimit)
	return b.String()
}

// sample writes the first lines of events, spread evenly over all of them, until
// b has limit bytes.
func sample(b *strings.Builder, of []Event, limit int) {
	const line = 120
	fits := max(1, (limit-b.Len())/(line/2))
	step := max(1, (len(of)+fits-1)/fits)
	for i := 0; i < len(of); i += step {
		next := "\n- " + of[i].Type + ": " + brief(of[i].Content, line)
		if b.Len()+len(next) > limit {
			return
		}
		b.WriteString(next)
	}
}
