package check

import (
	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// maxNodes is how many nodes one MATCH may have. Planning looks at every pair, and people do not write that many by hand.
const maxNodes = 200

// match checks a MATCH clause and declares its variables in s.
func (c *checker) match(m *syntax.Match, s *scope) error {
	if err := c.patterns(m.Patterns, s, false); err != nil {
		return err
	}
	return c.conditions(m, s)
}

// conditions checks property maps and WHERE, in the scope after the pattern.
func (c *checker) conditions(m *syntax.Match, s *scope) error {
	for _, p := range m.Patterns {
		for _, n := range p.Nodes {
			if err := c.props(n.Props, s); err != nil {
				return err
			}
		}
		for _, r := range p.Rels {
			if err := c.props(r.Props, s); err != nil {
				return err
			}
		}
	}
	return c.condition(m.Where, context{scope: s})
}

func (c *checker) props(e syntax.Expr, s *scope) error {
	if e == nil {
		return nil
	}
	_, err := c.expr(e, context{scope: s})
	return err
}

// condition checks a WHERE, where patterns may stand as predicates.
func (c *checker) condition(e syntax.Expr, x context) error {
	if e == nil {
		return nil
	}
	x.predicate = true
	types, err := c.expr(e, x)
	if err != nil {
		return err
	}
	if types&function.Boolean == 0 {
		return syntax.Errorf(e.At(), "InvalidArgumentType", "a condition must be a Boolean, not %s", types)
	}
	return nil
}

// patterns declares the variables of the patterns. With closed set, as in a pattern predicate, they must not declare a variable.
func (c *checker) patterns(patterns []*syntax.Pattern, s *scope, closed bool) error {
	seen := map[string]bool{} // relationships of this clause; each may be matched once
	parts := 0
	for _, p := range patterns {
		if parts += len(p.Nodes); parts > maxNodes {
			return syntax.Errorf(p.Pos, "UnexpectedSyntax", "one clause matches more than %d nodes", maxNodes)
		}
		if p.Path != nil {
			if _, bound := s.find(p.Path.Name); bound {
				return syntax.Errorf(p.Path.Pos, "VariableAlreadyBound", "variable %q is already bound", p.Path.Name)
			}
			if mentions(p, p.Path.Name) {
				return syntax.Errorf(p.Path.Pos, "VariableAlreadyBound", "variable %q names both the path and a part of it", p.Path.Name)
			}
			c.declare(s, p.Path, function.Path)
		}
		for i, n := range p.Nodes {
			if err := c.node(n, s, closed); err != nil {
				return err
			}
			if i < len(p.Rels) {
				if err := c.relationship(p.Rels[i], s, seen, closed); err != nil {
					return err
				}
			}
		}
	}
	return nil
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

func (c *checker) node(n *syntax.NodePattern, s *scope, closed bool) error {
	if n.Var == nil {
		n.Slot, n.Fresh = c.slot(), true
		return nil
	}
	found, bound := s.find(n.Var.Name)
	switch {
	case !bound && closed:
		return undefined(n.Var, s)
	case !bound:
		c.declare(s, n.Var, function.Node)
		n.Slot, n.Fresh = n.Var.Slot, true
		return nil
	case found.types&function.Node == 0:
		return syntax.Errorf(n.Var.Pos, "VariableTypeConflict", "variable %q is %s, not a Node", n.Var.Name, found.types)
	}
	n.Slot, n.Var.Slot = found.slot, found.slot
	return nil
}

func (c *checker) relationship(r *syntax.RelPattern, s *scope, seen map[string]bool, closed bool) error {
	if r.Var == nil {
		r.Slot, r.Fresh = c.slot(), true
		return nil
	}
	types := function.Relationship
	if r.Variable {
		types = function.List
	}
	found, bound := s.find(r.Var.Name)
	switch {
	case !bound && closed:
		return undefined(r.Var, s)
	case !bound:
		c.declare(s, r.Var, types)
		r.Slot, r.Fresh = r.Var.Slot, true
	case found.types&types == 0:
		return syntax.Errorf(r.Var.Pos, "VariableTypeConflict", "variable %q is %s, not %s", r.Var.Name, found.types, types)
	case seen[r.Var.Name]:
		return syntax.Errorf(r.Var.Pos, "RelationshipUniquenessViolation", "relationship %q cannot be matched twice in one clause", r.Var.Name)
	default:
		r.Slot, r.Var.Slot = found.slot, found.slot
	}
	seen[r.Var.Name] = true
	return nil
}
