package health

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/linkgraph"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/text"
)

// listed bounds each list of names; the JSON holds all of them.
const listed = 50

// Markdown is the report for a review or a summary of CI.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Memory health: %s\n\n", md(r.Project))
	fmt.Fprintf(&b, "%s. %s\n\n", r.Headline(), r.Made.Format(time.RFC3339))
	for _, step := range r.next() {
		fmt.Fprintf(&b, "- %s: `%s`\n", step.Why, step.Command)
	}
	if len(r.next()) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("| | |\n|---|---:|\n")
	for _, row := range r.facts(true) {
		fmt.Fprintf(&b, "| %s | %s |\n", row[0], row[1])
	}
	if r.Citations > 0 {
		b.WriteString("\n## Citations by verdict\n\n| Verdict | Citations | |\n|---|---:|---|\n")
		for _, v := range verify.Verdicts() {
			if n := r.Verdicts[v]; n > 0 {
				fmt.Fprintf(&b, "| %s | %d | %s |\n", v, n, strings.Repeat("█", max(1, n*30/r.Citations)))
			}
		}
	}
	r.ranking(&b)
	r.lists(&b)
	return b.String()
}

// Headline is the report in one sentence.
func (r *Report) Headline() string {
	switch {
	case r.Total == 0:
		return "There are no memories"
	case r.Stale+r.Unreadable > 0:
		return fmt.Sprintf("%d of %s need care", r.Stale+r.Unreadable, memories(r.Total))
	case r.Cited == 0:
		return fmt.Sprintf("None of %s cites the code", memories(r.Total))
	}
	return fmt.Sprintf("Every citation of %s is valid", memories(r.Cited))
}

func memories(n int) string { return text.Count(n, "memory", "memories") }

// step is advice on the report: a reason and a command.
type step struct{ Why, Command string }

// next returns the commands that help without a review of each memory.
func (r *Report) next() (steps []step) {
	if n := r.fixable[0]; n > 0 {
		steps = append(steps, step{fmt.Sprintf("Citations that only moved, %d in all, can be written anew", n), "citecheck fix"})
	}
	if n := r.fixable[1]; n > 0 {
		steps = append(steps, step{fmt.Sprintf("Citations of memoryd's memories that only moved, %d in all, are followed where they are read, and can be given anew", n), "memoryd update KEY --cite PATH:LINE"})
	}
	if r.Prose > 0 {
		steps = append(steps, step{fmt.Sprintf("References in prose, %d in all, are not checked yet", r.Prose), "citecheck adopt --dry-run"})
	}
	return steps
}

// facts returns the numbers of the report; with states also the number of memories in each state, for formats without a chart.
func (r *Report) facts(states bool) [][2]string {
	rows := [][2]string{
		{"Memories", fmt.Sprint(r.Total)},
		{"with citations", fmt.Sprintf("%d (%.0f %%)", r.Cited, 100*r.Coverage)},
	}
	if states {
		rows = append(rows, [][2]string{{"valid", fmt.Sprint(r.Valid)}, {"stale", fmt.Sprint(r.Stale)}, {"unverified", fmt.Sprint(r.Unverified)}}...)
		if r.Unreadable > 0 {
			rows = append(rows, [2]string{"unreadable", fmt.Sprint(r.Unreadable)})
		}
	}
	if r.Confidence != nil {
		rows = append(rows, [2]string{"average confidence", fmt.Sprintf("%.2f", *r.Confidence)})
	}
	return append(rows,
		[2]string{"never verified", fmt.Sprint(len(r.NeverVerified))},
		[2]string{"references in prose, not adopted", fmt.Sprint(r.Prose)},
		[2]string{"broken links", fmt.Sprint(len(r.Links.Broken))},
		[2]string{"orphans", fmt.Sprint(len(r.Links.Orphans))})
}

func (r *Report) ranking(b *strings.Builder) {
	if len(r.Ranked) == 0 {
		return
	}
	b.WriteString("\n## What needs care first\n\n| Memory | State | Confidence | Valid | Last verified | Not valid |\n|---|---|---:|---:|---|---|\n")
	for i, l := range r.Ranked {
		if i == listed {
			fmt.Fprintf(b, "| … %d more | | | | | |\n", len(r.Ranked)-listed)
			break
		}
		fmt.Fprintf(b, "| %s | %s | %s | %d/%d | %s | %s |\n", md(r.name(l.ID)), l.State, sure(l), l.ValidCount, l.Total, verified(l), md(wrong(l, 3)))
	}
}

func sure(l Line) string {
	if l.Confidence == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *l.Confidence)
}

func verified(l Line) string {
	switch {
	case l.Age < 0:
		return "never"
	case l.Age == 0:
		return "today"
	case l.Age == 1:
		return "yesterday"
	}
	return fmt.Sprintf("%d days ago", l.Age)
}

// wrong lists the first citations that are not valid, with their verdicts and new places.
func wrong(l Line, most int) string {
	var parts []string
	for i, c := range l.Stale {
		if i == most {
			parts = append(parts, fmt.Sprintf("… %d more", len(l.Stale)-most))
			break
		}
		said := memoryfile.Place{Path: c.Path, Line: c.Line}.String() + " " + string(c.Verdict)
		if c.FoundPath != "" {
			said += " to " + memoryfile.Place{Path: c.FoundPath, Line: c.FoundLine}.String()
		}
		parts = append(parts, said)
	}
	return strings.Join(parts, "; ")
}

// section is a list of memories or links with something in common.
type section struct {
	Title string
	Items []string
}

// sections returns the lists that are not empty.
func (r *Report) sections() []section {
	all := []section{
		{"Cannot be read", each(r.Unread, unreadLine)},
		{"Never verified", each(r.NeverVerified, r.name)},
		{"Disputed", each(r.Disputed, r.name)},
		{"Broken links", each(r.Links.Broken, brokenLine)},
		{"Links in a circle", each(r.Links.Cycles, cycleLine)},
		{"Without citations", each(r.Uncited, r.name)},
		{"Orphans: no link in or out", r.Links.Orphans},
	}
	return slices.DeleteFunc(all, func(s section) bool { return len(s.Items) == 0 })
}

// name returns the name that people use for a memory: its id, or the key of one of the registry.
func (r *Report) name(id string) string {
	if name := r.names[id]; name != "" {
		return id + " (" + name + ")"
	}
	return id
}

func (r *Report) lists(b *strings.Builder) {
	for _, s := range r.sections() {
		fmt.Fprintf(b, "\n## %s (%d)\n\n", s.Title, len(s.Items))
		for i, n := range s.Items {
			if i == listed {
				fmt.Fprintf(b, "- … %d more\n", len(s.Items)-listed)
				break
			}
			fmt.Fprintf(b, "- %s\n", md(n))
		}
	}
}

// each returns the texts of the items of a list.
func each[T any](list []T, say func(T) string) []string {
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = say(item)
	}
	return texts
}

func unreadLine(u Unread) string { return fmt.Sprintf("%s:%d: %s", u.ID, u.Line, u.Text) }

func brokenLine(l linkgraph.Broken) string {
	line := fmt.Sprintf("%s:%d: %s", l.From, l.At, l.Target)
	if l.Nearest != "" {
		line += fmt.Sprintf(" (did you mean %s?)", l.Nearest)
	}
	if len(l.May) > 0 {
		line += fmt.Sprintf(" (may be %s)", strings.Join(l.May, ", "))
	}
	return line
}

func cycleLine(ids []string) string { return strings.Join(ids, " -> ") + " -> " + ids[0] }

// md keeps text from being read as Markdown or a cell's end.
func md(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", "*", `\*`, "_", `\_`, "[", `\[`, "`", "\\`").Replace(s)
}
