package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

const ndjson = output.NDJSON

var memoryColumns = []output.Column[check.Memory]{
	{Title: "MEMORY", Flex: true, Value: func(m check.Memory) string { return m.ID }},
	{Title: "STATE", Value: func(m check.Memory) string { return m.State }, Style: stateStyle},
	{Title: "CONFIDENCE", Value: func(m check.Memory) string { return sure(m.Confidence) }, Right: true},
	{Title: "VALID", Value: func(m check.Memory) string { return fmt.Sprintf("%d/%d", m.ValidCount, m.Total) }, Right: true},
	{Title: "TITLE", Value: named, Flex: true},
}

func listMemories(ctx context.Context, env *cli.Env, sum *check.Summary) error {
	return output.ListDocument(ctx, env.Printer(), sum, sum.Memories, memoryColumns)
}

// sure writes a confidence, "-" where there is none.
func sure(confidence *float64) string {
	if confidence == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *confidence)
}

func stateStyle(state string) term.Style {
	switch state {
	case check.StateValid:
		return term.Green
	case check.StateStale, check.StateUnreadable:
		return term.Red
	}
	return term.Yellow
}

func verdictStyle(verdict string) term.Style {
	switch v := verify.Verdict(verdict); {
	case v == verify.Valid:
		return term.Green
	case v == verify.Moved || v == verify.Renamed || v == verify.Unverifiable:
		return term.Yellow
	}
	return term.Red
}

// printMemory prints one memory and what is not valid in it; whole prints every
// citation.
func printMemory(st *term.Streams, m check.Memory, whole bool) error {
	head := fmt.Sprintf("%d of %d valid", m.ValidCount, m.Total) + surely(m)
	if m.Prose > 0 {
		head += ", " + text.Count(m.Prose, "reference in prose is", "references in prose are") + " not counted (--prose)"
	}
	cells := []term.Painted{st.Paint(stateStyle(m.State), m.State), st.Plain(m.ID)}
	if m.Source != "" {
		cells = append(cells, st.Plain(named(m)))
	}
	if err := st.Row(append(cells, st.Plain(head))...); err != nil {
		return err
	}
	for _, p := range m.Problems {
		if err := st.Row("  "+st.Paint(term.Red, "problem"), st.Plain(fmt.Sprintf("%s:%d", m.ID, p.Line)), st.Plain(p.Text)); err != nil {
			return err
		}
	}
	list := append(slices.Clone(m.Stale), m.Unverifiable...)
	if whole && m.Citations != nil {
		list = m.Citations
	}
	return each(list, func(c check.Citation) error { return printCitation(st, c) })
}

// surely returns the counts of a stale memory's verdicts, else its confidence. A confidence of 1.00 beside "stale" would look like a
// contradiction: text that moved counts as found for it.
func surely(m check.Memory) string {
	if m.Confidence == nil {
		return ""
	}
	said, verdicts := ", confidence "+sure(m.Confidence), map[verify.Verdict]int{}
	for _, c := range m.Stale {
		verdicts[c.Verdict]++
	}
	if len(verdicts) > 0 {
		said = ", " + verdictCounts(verdicts)
	}
	if m.Disputes > 0 {
		said += ", " + text.Count(m.Disputes, "dispute", "disputes")
	}
	return said
}

// named returns the names that people use for a memory of the registry: its key, its title, or both.
func named(m check.Memory) string {
	switch {
	case m.Key == "" || m.Title == m.Key:
		return m.Title
	case m.Title == "":
		return m.Key
	}
	return m.Key + " (" + m.Title + ")"
}

func printCitation(st *term.Streams, c check.Citation) error {
	if st.OutTTY {
		return showCitation(st, c)
	}
	cells := []term.Painted{"  " + st.Paint(verdictStyle(string(c.Verdict)), string(c.Verdict)), st.Plain(c.Place().String())}
	if c.FoundPath != "" {
		cells = append(cells, st.Plain("-> "+c.Now().String()))
	}
	if c.Verdict != verify.Valid || c.Low {
		cells = append(cells, st.Plain(c.Reason))
	}
	if c.Verdict == verify.Changed && c.FoundText != "" {
		cells = append(cells, st.Plain(fmt.Sprintf("(%.2f) %s", c.Score, c.FoundText)))
	}
	return st.Row(cells...)
}

// printStale prints the memories that do not hold; with all those that do, too.
func printStale(st *term.Streams, sum *check.Summary, all bool) error {
	return each(sum.Memories, func(m check.Memory) error {
		if m.State != check.StateStale && m.State != check.StateUnreadable && !all {
			return nil
		}
		return printMemory(st, m, false)
	})
}

// oneLine is the output of verify-all when no memory needs care.
func oneLine(sum *check.Summary) string {
	kept := ""
	if !sum.History {
		kept = "; history is not kept (no registry)"
	}
	how := "all valid"
	if sum.Verdicts[verify.Unverifiable] > 0 {
		how = verdictCounts(sum.Verdicts) + " (--all shows them)"
	}
	if sum.Low > 0 {
		how += fmt.Sprintf("; %d of them with low certainty", sum.Low)
	}
	if sum.Citations == 0 && sum.Since != "" {
		return fmt.Sprintf("no citation of %s is into files changed since %s", text.Count(sum.Total, "memory", "memories"), sum.Since)
	}
	if sum.Citations == 0 {
		return fmt.Sprintf("%s, none with citations; `citecheck adopt --dry-run` shows references in prose", text.Count(sum.Total, "memory", "memories"))
	}
	return fmt.Sprintf("%s in %s: %s%s", text.Count(sum.Citations, "citation", "citations"), text.Count(sum.Total, "memory", "memories"), how, kept)
}

// verdictCounts lists how many citations have each verdict.
func verdictCounts(verdicts map[verify.Verdict]int) string {
	var parts []string
	for _, v := range verify.Verdicts() {
		if n := verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}
