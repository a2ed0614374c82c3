// Package output prints what a command found, in the form the caller chose:
// tables for people, one JSON document, or one JSON object a line, each with an
// optional jq filter; and it reads such lists back from standard input.
//
// The rules, for every binary of the suite:
//
//   - Nothing but the result goes to Streams.Out; the rest is term's Err.
//   - A list's JSON is an object that holds the items under their plural noun,
//     as over MCP: {"repos": […]}. NDJSON is one item a line.
//   - JSON is indented on a terminal and one line elsewhere; keys do not depend
//     on where it goes, and a list without items is [] and not null.
//   - Tables are aligned on a terminal and tab-separated without headings when
//     piped.
//   - --jq filters the JSON document, or each item with -o ndjson; strings come
//     out raw.
//
// The package prints no errors but through Error, and knows no commands. A
// Printer belongs to one goroutine.
package output

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Format is how a result is printed.
type Format string

// The formats of -o.
const (
	Table  Format = "table"
	JSON   Format = "json"
	NDJSON Format = "ndjson"
)

// Formats lists the values of -o, for help and completion.
func Formats() []string { return []string{string(Table), string(JSON), string(NDJSON)} }

// Options are the global output flags as given.
type Options struct {
	Format string // -o: empty means not given
	JSON   bool   // --json
	JQ     string // --jq
	HasJQ  bool   // --jq was given, even if empty
	// Compile makes a filter of a --jq expression (jq.Compile). It is nil in programs
	// that print nothing to filter.
	Compile func(expression string) (Filter, error)
	// Wrote reports whether the command has changed something by now, so that a filter that fails on its result is not reported as bad
	// input. nil means that the command never changes anything.
	Wrote func() bool
}

// Filter applies a --jq expression to a document and passes each result to each.
type Filter = func(ctx context.Context, document any, each func(any) error) error

// Resolve checks the flags against each other and returns the resulting format: --json is -o json, --jq implies it, and the default is the
// table.
func (o Options) Resolve() (Format, error) {
	format := Format(strings.ToLower(o.Format))
	switch format {
	case "", Table, JSON, NDJSON:
	default:
		return "", fault.Validation("output", "%q is not an output format", o.Format).
			WithHint("use one of %s", strings.Join(Formats(), ", "))
	}
	switch {
	case o.JSON && format != "" && format != JSON:
		return "", fault.Validation("output", "--json and --output %s contradict each other", format).
			WithHint("give one of them")
	case o.HasJQ && format == Table:
		return "", fault.Validation("jq", "--jq filters JSON and --output table prints none").
			WithHint("leave --output out, or use ndjson to filter each item")
	case format != "":
		return format, nil
	case o.JSON || o.HasJQ:
		return JSON, nil
	}
	return Table, nil
}

// Machine reports whether programs read the result, so that an error is printed
// for them too.
func (o Options) Machine() bool {
	return o.JSON || o.HasJQ || strings.EqualFold(o.Format, string(JSON)) || strings.EqualFold(o.Format, string(NDJSON))
}
