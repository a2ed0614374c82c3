package command

import (
	"fmt"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/term"
)

// entry prints one citation for a person: a word, a place, and below them the wrapped details. A terminal is too narrow for a row with two
// paths and a sentence.
func entry(st *term.Streams, style term.Style, word, place, more string) error {
	const left = 13 // the width of a verdict with the space around it
	head := term.Wrap(place, max(st.Columns-left, 20))
	if err := st.Row("  "+st.Paint(style, fmt.Sprintf("%-9s", word)), st.Plain(head[0])); err != nil {
		return err
	}
	rest := head[1:]
	if more != "" {
		rest = append(rest, term.Wrap(more, max(st.Columns-left, 20))...)
	}
	return each(rest, func(line string) error { return st.Row(st.Plain(fmt.Sprintf("%*s%s", left, "", line))) })
}

// each prints the elements of a list, until one cannot be printed.
func each[T any](list []T, print func(T) error) error {
	for _, one := range list {
		if err := print(one); err != nil {
			return err
		}
	}
	return nil
}

// closing prints the sentence that ends a report.
func closing(st *term.Streams, sentence string) error {
	return each(term.Wrap(sentence, st.Columns), func(line string) error { return st.Line(line) })
}

// whereNow returns a place and its new place; a line of the same file as its number only.
func whereNow(from, to memoryfile.Place) string {
	switch {
	case to.Path == "":
		return from.String()
	case to.Path != from.Path || to.Line == 0:
		return fmt.Sprintf("%s -> %s", from, to)
	case to.EndLine > to.Line:
		return fmt.Sprintf("%s -> lines %d-%d", from, to.Line, to.EndLine)
	}
	return fmt.Sprintf("%s -> line %d", from, to.Line)
}

// showCitation is printCitation for a terminal. A moved citation needs no reason: the place says all.
func showCitation(st *term.Streams, c check.Citation) error {
	more := c.Reason
	switch {
	case c.Verdict == verify.Valid && !c.Low, c.Verdict.Fixable():
		more = ""
	case c.Verdict == verify.Changed && c.FoundText != "":
		more = fmt.Sprintf("%s (%.2f): %s", more, c.Score, c.FoundText)
	}
	return entry(st, verdictStyle(string(c.Verdict)), string(c.Verdict), whereNow(c.Place(), c.Now()), more)
}

// showFix prints one fix, done or planned, for a terminal.
func showFix(st *term.Streams, f check.Fix, dryRun bool) error {
	style, more := verdictStyle(string(f.Verdict)), f.Reason
	switch {
	case f.Done && dryRun:
		style, more = term.Yellow, ""
	case f.Done:
		style, more = term.Green, ""
	}
	from, to := placeOf(f.From), placeOf(f.To)
	if more != "" {
		more = string(f.Verdict) + ": " + more
	}
	return entry(st, style, fixed(f.Done, dryRun), fmt.Sprintf("%s:%d  %s", f.Memory, f.At, whereNow(from, to)), more)
}

// placeOf reads a place as check.Fix writes it.
func placeOf(written string) memoryfile.Place {
	if path, line, end, ok := memoryfile.SplitPlace(written); ok {
		return memoryfile.Place{Path: path, Line: line, EndLine: end}
	}
	return memoryfile.Place{Path: written}
}
