package check

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// maxNodes is how many nodes one MATCH may have. Planning looks at every pair, and people do not write that many by hand.
const maxNodes = 200

// conditions checks property maps and WHERE, in the scope after the pattern.
func (c *checker) conditions(m *syntax.Match, s *scope) {
	for _, p := range m.Patterns {
		for _, e := range p.Elements() {
			if e.Props != nil {
				c.expr(e.Props, context{scope: s})
			}
		}
	}
	c.condition(m.Where, context{scope: s})
}

// condition checks a WHERE, where patterns may stand as predicates.
func (c *checker) condition(e syntax.Expr, x context) {
	if e == nil {
		return
	}
	if types := c.expr(e, x.conditional()); types&function.Boolean == 0 {
		panic(syntax.Errorf(e.At(), "InvalidArgumentType", "a condition must be a Boolean, not %s", types))
	}
}

// patterns declares the variables of the patterns. With closed set, as in a pattern predicate, they must not declare a variable.
func (c *checker) patterns(patterns []*syntax.Pattern, s *scope, closed bool) {
	seen := map[string]bool{} // relationships of this clause; each may be matched once
	parts := 0
	for _, p := range patterns {
		if parts += len(p.Nodes); parts > maxNodes {
			panic(syntax.Errorf(p.Pos, "UnexpectedSyntax", "one clause matches more than %d nodes", maxNodes))
		}
		if p.Path != nil {
			c.declareNew(s, p.Path, function.Path)
			if slices.ContainsFunc(p.Elements(), func(e *syntax.Element) bool { return e.Var != nil && e.Var.Name == p.Path.Name }) {
				panic(syntax.Errorf(p.Path.Pos, "VariableAlreadyBound", "variable %q names both the path and a part of it", p.Path.Name))
			}
		}
		for i, n := range p.Nodes {
			c.element(&n.Element, function.Node, s, closed)
			if i < len(p.Rels) {
				c.relationship(p.Rels[i], s, seen, closed)
			}
		}
	}
}

func (c *checker) relationship(r *syntax.RelPattern, s *scope, seen map[string]bool, closed bool) {
	types := function.Relationship
	if r.Variable {
		types = function.List
	}
	c.element(&r.Element, types, s, closed)
	if r.Var == nil {
		return
	}
	if seen[r.Var.Name] {
		panic(syntax.Errorf(r.Var.Pos, "RelationshipUniquenessViolation", "relationship %q cannot be matched twice in one clause", r.Var.Name))
	}
	seen[r.Var.Name] = true
}

// element finds the slot of a node or a relationship, and declares its variable if that is new.
func (c *checker) element(e *syntax.Element, types function.Types, s *scope, closed bool) {
	if e.Var == nil {
		e.Slot, e.Fresh = c.slot(), true
		return
	}
	found, bound := s.find(e.Var.Name)
	switch {
	case !bound && closed:
		panic(undefined(e.Var, s))
	case !bound:
		c.declare(s, e.Var, types)
		e.Slot, e.Fresh = e.Var.Slot, true
	case found.types&types == 0:
		panic(syntax.Errorf(e.Var.Pos, "VariableTypeConflict", "variable %q is %s, not %s", e.Var.Name, found.types, types))
	default:
		e.Slot, e.Var.Slot = found.slot, found.slot
	}
}
