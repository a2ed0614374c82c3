package output

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/itchyny/gojq"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// filter is a compiled --jq expression.
type filter struct{ code *gojq.Code }

// compile returns the filter for a jq expression. It has no access to the
// environment, to files or to further input: only to the document.
func compile(expression string) (*filter, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, invalid(expression, err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, invalid(expression, err)
	}
	return &filter{code}, nil
}

func invalid(expression string, err error) error {
	at := ""
	var parse *gojq.ParseError
	if errors.As(err, &parse) {
		at = fmt.Sprintf(" (near character %d)", parse.Offset)
	}
	return fault.Validation("jq", "--jq %q is not a jq expression%s: %v", expression, at, err).
		WithHint("quote the expression for the shell; jq's manual describes the language")
}

// run gives each result of the filter on v to each.
func (f *filter) run(ctx context.Context, v any, each func(any) error) error {
	input, err := plain(v)
	if err != nil {
		return err
	}
	results := f.code.RunWithContext(ctx, input)
	for {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := result.(error); failed {
			return filterFailed(ctx, err)
		}
		if err := each(result); err != nil {
			return err
		}
	}
}

func filterFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var halt *gojq.HaltError
	if errors.As(err, &halt) && halt.Value() == nil {
		return nil // `halt` ends the output, it is not a failure
	}
	return fault.Validation("jq", "--jq failed on this result: %v", err).
		WithHint("run the command with --json to see what there is to filter")
}

// plain turns v into the maps, slices and numbers that gojq works on, by way of
// its JSON so that field names and omissions are those of the document.
func plain(v any) (any, error) {
	text, err := encode(v, "")
	if err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // ids beyond 2^53 keep their digits
	var out any
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	return out, nil
}

// writeRaw prints a string a filter gave. On a terminal what could drive it is
// made visible; elsewhere it is what it is.
func (p *Printer) writeRaw(text string) error {
	if p.s.OutTTY {
		text = term.EscapeText(text)
	}
	_, err := io.WriteString(p.s.Out, text+"\n")
	return printed(err)
}
