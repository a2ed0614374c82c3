// Package cypher answers read-only openCypher queries over any graph.Graph. Prepare parses and checks a query once, and a Query may run
// many times, also concurrently. The grammar has no clause that writes, so the parser refuses every change.
//
// A failure of the query is a fault of kind ValidationError for the field "query", with an *Error in its chain that has openCypher's
// names and the position. An exceeded limit is an OperationError with an *Error named LimitExceeded.
package cypher

import (
	"context"
	"errors"
	"iter"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/check"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/exec"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
	"github.com/agit-suite/agit/shared/fault"
)

// Error is a failure in openCypher's own terms.
type Error = syntax.Error

// Limits bound what one query may use; zero fields mean the defaults.
type Limits = exec.Limits

// Graph is the graph that a query runs over.
type Graph = graph.Graph

// Query is a parsed and checked query. It is safe for concurrent use.
type Query struct {
	Columns []string
	tree    *syntax.Query
}

// Prepare parses and checks a query.
func Prepare(text string) (*Query, error) {
	tree, err := syntax.Parse(text)
	if err == nil {
		err = check.Query(tree)
	}
	if err != nil {
		return nil, asFault(err)
	}
	return &Query{Columns: tree.Columns, tree: tree}, nil
}

// Run starts the query over g. It reads nothing until Rows is ranged over. Parameters are converted by value.From; decode JSON with
// UseNumber so that whole numbers stay integers.
func (q *Query) Run(ctx context.Context, g Graph, params map[string]any, limits Limits) (*Result, error) {
	given := make(map[string]any, len(params))
	for name, v := range params {
		var err error
		if given[name], err = value.From(v); err != nil {
			return nil, fault.Validation("parameters", "parameter $%s: %v", name, err)
		}
	}
	rows := func(yield func([]any, error) bool) {
		for r, err := range exec.Rows(ctx, g, q.tree, given, limits) {
			if err != nil {
				yield(nil, asFault(err))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
	return &Result{Columns: q.Columns, Rows: rows}, nil
}

// Result is the answer to a query. Rows may be ranged over once. Each row has a value of package value for every column; an error is
// the last element.
type Result struct {
	Columns []string
	Rows    iter.Seq2[[]any, error]
}

// Collect reads all rows.
func (r *Result) Collect() ([][]any, error) {
	rows := [][]any{}
	for row, err := range r.Rows {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Collect runs a query and reads all its rows.
func Collect(ctx context.Context, g Graph, query string, params map[string]any, limits Limits) (columns []string, rows [][]any, err error) {
	q, err := Prepare(query)
	if err != nil {
		return nil, nil, err
	}
	r, err := q.Run(ctx, g, params, limits)
	if err != nil {
		return nil, nil, err
	}
	rows, err = r.Collect()
	return r.Columns, rows, err
}

// asFault turns an error of the query into a fault with a hint. Errors of the store and of the caller's context pass unchanged.
func asFault(err error) error {
	var e *Error
	var already *fault.Fault
	switch {
	case errors.As(err, &already), !errors.As(err, &e):
		return err
	case e.Name == exec.LimitName:
		f := fault.Operation(err, "%s", e.Error())
		return f.WithHint("narrow the pattern, bound the length of paths, or add LIMIT")
	}
	f := fault.Validation("query", "%s", e.Error())
	f.Err = err
	return f
}
