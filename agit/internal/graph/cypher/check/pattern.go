package check

import (
	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// maxNodes is how many nodes one MATCH may have. Planning looks at every pair, and people do not write that many by hand.
const maxNodes = 200

// conditions checks property maps and WHERE, in the scope after the pattern.
func (c *checker) conditions(m *syntax.Match, s *scope) {
	for _, p := range m.Patterns {
		for _, n := range p.Nodes {
			c.props(n.Props, s)
		}
		for _, r := range p.Rels {
			c.props(r.Props, s)
		}
	}
	c.condition(m.Where, context{scope: s})
}

func (c *checker) props(e syntax.Expr, s *scope) {
	if e != nil {
		c.expr(e, context{scope: s})
	}
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
			if mentions(p, p.Path.Name) {
				panic(syntax.Errorf(p.Path.Pos, "VariableAlreadyBound", "variable %q names both the path and a part of it", p.Path.Name))
			}
		}
		for i, n := range p.Nodes {
			c.node(n, s, closed)
			if i < len(p.Rels) {
				c.relationship(p.Rels[i], s, seen, closed)
			}
		}
	}
}

func mentions(p *syntax.Pattern, name string) bool {
	for _, n := range p.Nodes {
		if n.Var != nil && n.Var.Name == name {
			return true
		}
	}
	for _, r := range p.Rels {
		if r.Var != nil && r.Var.Name == name {
			return true
		}
	}
	return false
}

func (c *checker) node(n *syntax.NodePattern, s *scope, closed bool) {
	if n.Var == nil {
		n.Slot, n.Fresh = c.slot(), true
		return
	}
	found, bound := s.find(n.Var.Name)
	switch {
	case !bound && closed:
		panic(undefined(n.Var, s))
	case !bound:
		c.declare(s, n.Var, function.Node)
		n.Slot, n.Fresh = n.Var.Slot, true
	case found.types&function.Node == 0:
		panic(syntax.Errorf(n.Var.Pos, "VariableTypeConflict", "variable %q is %s, not a Node", n.Var.Name, found.types))
	default:
		n.Slot, n.Var.Slot = found.slot, found.slot
	}
}

func (c *checker) relationship(r *syntax.RelPattern, s *scope, seen map[string]bool, closed bool) {
	if r.Var == nil {
		r.Slot, r.Fresh = c.slot(), true
		return
	}
	types := function.Relationship
	if r.Variable {
		types = function.List
	}
	found, bound := s.find(r.Var.Name)
	switch {
	case !bound && closed:
		panic(undefined(r.Var, s))
	case !bound:
		c.declare(s, r.Var, types)
		r.Slot, r.Fresh = r.Var.Slot, true
	case found.types&types == 0:
		panic(syntax.Errorf(r.Var.Pos, "VariableTypeConflict", "variable %q is %s, not %s", r.Var.Name, found.types, types))
	case seen[r.Var.Name]:
		panic(syntax.Errorf(r.Var.Pos, "RelationshipUniquenessViolation", "relationship %q cannot be matched twice in one clause", r.Var.Name))
	default:
		r.Slot, r.Var.Slot = found.slot, found.slot
	}
	seen[r.Var.Name] = true
}
