// Package jq implements --jq. It is separate from output because programs that print no documents, such as MCP servers and screens, would
// link a megabyte that they never run.
package jq

import (
	"context"
	"errors"
	"fmt"

	"github.com/itchyny/gojq"

	"github.com/agit-suite/agit/shared/fault"
)

// Compile returns a function that applies a jq expression to a document and passes each result to each. The document is made of maps,
// slices and json.Number. The expression has no access to the environment, to files or to further input. An expression that does not parse,
// or that fails on a document, is a ValidationError.
func Compile(expression string) (func(ctx context.Context, document any, each func(any) error) error, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, invalid(expression, err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, invalid(expression, err)
	}
	return func(ctx context.Context, document any, each func(any) error) error {
		results := code.RunWithContext(ctx, document)
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
	}, nil
}

func invalid(expression string, err error) error {
	at := ""
	if parse, ok := errors.AsType[*gojq.ParseError](err); ok {
		at = fmt.Sprintf(" (near character %d)", parse.Offset)
	}
	return fault.Validation("jq", "--jq %q is not a jq expression%s: %v", expression, at, err).
		WithHint("quote the expression for the shell; jq's manual describes the language")
}

func filterFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
		return nil // `halt` ends the output, it is not a failure
	}
	return fault.Validation("jq", "--jq failed on this result: %v", err).
		WithHint("run the command with --json to see what there is to filter")
}
