package syntax

import (
	"strconv"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
)

// pattern reads a chain of nodes and relationships, named or not.
func (p *parser) pattern() *Pattern {
	pattern := &Pattern{Pos: p.peek().Pos}
	if p.ahead(1).symbol("=") {
		pattern.Path = p.variable()
		p.at++
	}
	if t := p.peek(); t.Kind == Ident && p.ahead(1).symbol("(") {
		panic(Errorf(t.Pos, "UnexpectedSyntax", "%s is not supported in patterns", t.Text))
	}
	pattern.Nodes = append(pattern.Nodes, p.node())
	for p.peek().symbol("-") || p.peek().symbol("<") {
		pattern.Rels = append(pattern.Rels, p.relationship())
		pattern.Nodes = append(pattern.Nodes, p.node())
	}
	return pattern
}

func (p *parser) node() *NodePattern {
	n := &NodePattern{Element: Element{Pos: p.peek().Pos}}
	p.expectSymbol("(")
	n.Var = p.patternVariable()
	n.Labels = p.labels()
	n.Props = p.patternProps()
	p.expectSymbol(")")
	return n
}

// patternVariable reads the name of a node or a relationship; nil when it has none.
func (p *parser) patternVariable() *Variable {
	if k := p.peek().Kind; k == Ident || k == Quoted {
		return p.variable()
	}
	return nil
}

func (p *parser) labels() []string {
	var labels []string
	for p.acceptSymbol(":") {
		labels = append(labels, p.name("a label"))
	}
	return labels
}

func (p *parser) patternProps() Expr {
	switch t := p.peek(); {
	case t.symbol("{"):
		return p.mapLiteral()
	case t.Kind == Param:
		panic(Errorf(t.Pos, "InvalidParameterUse", "a parameter cannot stand for the properties of a pattern; write {key: $%s.key}", t.Text))
	}
	return nil
}

// relationship reads one arrow: --, -->, <--, <-->, each with or without
// brackets.
func (p *parser) relationship() *RelPattern {
	r := &RelPattern{Element: Element{Pos: p.peek().Pos}, Min: 1, Max: 1}
	left := p.acceptSymbol("<")
	p.expectSymbol("-")
	if p.acceptSymbol("[") {
		p.relationshipDetail(r)
	}
	p.expectSymbol("-")
	right := p.acceptSymbol(">")
	switch {
	case left && !right:
		r.Direction = graph.Incoming
	case right && !left:
		r.Direction = graph.Outgoing
	}
	return r
}

func (p *parser) relationshipDetail(r *RelPattern) {
	r.Var = p.patternVariable()
	if p.acceptSymbol(":") {
		r.Types = append(r.Types, p.name("a relationship type"))
		for p.acceptSymbol("|") {
			p.acceptSymbol(":")
			r.Types = append(r.Types, p.name("a relationship type"))
		}
	}
	if t := p.peek(); t.symbol("..") {
		panic(Errorf(t.Pos, "InvalidRelationshipPattern", "a length needs an asterisk: *.."))
	}
	if p.acceptSymbol("*") {
		p.length(r)
	}
	r.Props = p.patternProps()
	p.expectSymbol("]")
}

// length reads what follows the asterisk: nothing, n, n.., ..m or n..m.
func (p *parser) length(r *RelPattern) {
	r.Variable, r.Min, r.Max = true, 1, Unbounded
	exact := p.bound(&r.Min)
	if p.acceptSymbol("..") {
		p.bound(&r.Max)
	} else if exact {
		r.Max = r.Min
	}
}

// bound reads a bound of a length, if there is one.
func (p *parser) bound(into *int64) bool {
	t := p.peek()
	if t.symbol("-") && p.ahead(1).Kind == Integer {
		panic(Errorf(t.Pos, "InvalidRelationshipPattern", "a length cannot be negative"))
	}
	if t.Kind != Integer {
		return false
	}
	n, err := strconv.ParseInt(t.Text, 0, 64)
	if err != nil {
		panic(Errorf(t.Pos, "InvalidRelationshipPattern", "%s is not a length", t.Text))
	}
	p.at++
	*into = n
	return true
}

// patternAhead reports whether the bracket at the current token opens the first node of a pattern with at least one relationship. It
// looks ahead without consuming tokens: trying both readings would cost 2^n for n brackets.
func (p *parser) patternAhead() bool {
	open := p.peek()
	if !open.symbol("(") || open.Match == 0 {
		return false
	}
	first := p.ahead(1)
	switch {
	case first.symbol(")"), first.symbol(":"), first.symbol("{"), first.Kind == Param && p.ahead(2).symbol(")"):
	case first.Kind == Ident || first.Kind == Quoted:
		second := p.ahead(2)
		if !second.symbol(")") && !second.symbol(":") && !second.symbol("{") && second.Kind != Param {
			return false
		}
	default:
		return false
	}
	i := open.Match + 1
	after := func(n int) Token { return p.tokens[min(i+n, len(p.tokens)-1)] }
	if after(0).symbol("<") {
		i++
	}
	return after(0).symbol("-") && (after(1).symbol("-") || after(1).symbol("["))
}
