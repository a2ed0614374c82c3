// Package check is the semantic pass over a parsed query: scopes, types as far as they are known, and the rules of aggregation, with
// openCypher's own error names. It annotates the tree, above all with each variable's slot, so that the executor needs no lookup by
// name. A query must be checked once, before it is shared; after that the tree does not change.
package check

import (
	"maps"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// Query checks q and annotates it.
func Query(q *syntax.Query) (err error) {
	defer syntax.Catch(&err)
	for _, part := range q.Parts {
		c := &checker{slots: &part.Slots, prints: map[syntax.Expr]uint64{}}
		sameColumns(q, c.part(part, newScope(nil)), part)
	}
	return nil
}

// sameColumns requires that every part of a UNION has the columns of the first.
func sameColumns(q *syntax.Query, columns []string, part *syntax.Part) {
	if q.Columns == nil {
		q.Columns = columns
		return
	}
	a, b := slices.Clone(q.Columns), slices.Clone(columns)
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		last := part.Clauses[len(part.Clauses)-1].(*syntax.Projection)
		panic(syntax.Errorf(last.Pos, "DifferentColumnsInUnion", "the parts of a UNION must return the same columns"))
	}
}

// checker checks the parts of a tree. Its methods panic with a *syntax.Error at the first mistake.
type checker struct {
	slots  *int                   // the next free slot of the row
	prints map[syntax.Expr]uint64 // fingerprints
}

func (c *checker) slot() int {
	*c.slots++
	return *c.slots - 1
}

// symbol is a variable in scope.
type symbol struct {
	slot  int
	types function.Types
}

// scope maps names to variables; an inner scope holds the variables of a comprehension.
type scope struct {
	names map[string]symbol
	outer *scope
}

func newScope(outer *scope) *scope { return &scope{names: map[string]symbol{}, outer: outer} }

func (s *scope) find(name string) (symbol, bool) {
	for ; s != nil; s = s.outer {
		if found, ok := s.names[name]; ok {
			return found, true
		}
	}
	return symbol{}, false
}

// visible lists every name in s and around it, in order.
func (s *scope) visible() []string {
	all := map[string]symbol{}
	for ; s != nil; s = s.outer {
		maps.Copy(all, s.names)
	}
	return slices.Sorted(maps.Keys(all))
}

// declare adds v to s with a slot of its own.
func (c *checker) declare(s *scope, v *syntax.Variable, types function.Types) {
	v.Slot = c.slot()
	s.names[v.Name] = symbol{v.Slot, types}
}

// declareNew declares a variable that must not be bound yet.
func (c *checker) declareNew(s *scope, v *syntax.Variable, types function.Types) {
	if _, bound := s.find(v.Name); bound {
		panic(syntax.Errorf(v.Pos, "VariableAlreadyBound", "variable %q is already bound", v.Name))
	}
	c.declare(s, v, types)
}

// part checks the clauses in order and returns the names of the result columns. The body of EXISTS { } without RETURN has none.
func (c *checker) part(part *syntax.Part, s *scope) []string {
	columns := []string{}
	for _, clause := range part.Clauses {
		switch clause := clause.(type) {
		case *syntax.Match:
			c.patterns(clause.Patterns, s, false)
			c.conditions(clause, s)
		case *syntax.Unwind:
			c.expr(clause.List, context{scope: s})
			c.declareNew(s, clause.As, function.Any)
		case *syntax.Projection:
			s = c.projection(clause, s)
			for _, item := range clause.Items {
				if clause.Return {
					columns = append(columns, item.Name)
				}
			}
		}
	}
	return columns
}
