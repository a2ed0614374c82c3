package syntax

import "strconv"

// pattern reads a chain of nodes and relationships, named or not.
func (p *parser) pattern() (*Pattern, error) {
	pattern := &Pattern{Pos: p.peek().Pos}
	if p.ahead(1).symbol("=") {
		v, err := p.variable()
		if err != nil {
			return nil, err
		}
		pattern.Path = v
		p.at++
	}
	if t := p.peek(); t.Kind == Ident && p.ahead(1).symbol("(") {
		return nil, Errorf(t.Pos, "UnexpectedSyntax", "%s is not supported in patterns", t.Text)
	}
	n, err := p.node()
	if err != nil {
		return nil, err
	}
	pattern.Nodes = append(pattern.Nodes, n)
	for p.peek().symbol("-") || p.peek().symbol("<") {
		r, err := p.relationship()
		if err != nil {
			return nil, err
		}
		n, err := p.node()
		if err != nil {
			return nil, err
		}
		pattern.Rels = append(pattern.Rels, r)
		pattern.Nodes = append(pattern.Nodes, n)
	}
	return pattern, nil
}

func (p *parser) node() (*NodePattern, error) {
	n := &NodePattern{Pos: p.peek().Pos}
	if err := p.expectSymbol("("); err != nil {
		return nil, err
	}
	var err error
	if k := p.peek().Kind; k == Ident || k == Quoted {
		if n.Var, err = p.variable(); err != nil {
			return nil, err
		}
	}
	if n.Labels, err = p.labels(); err != nil {
		return nil, err
	}
	if n.Props, err = p.patternProps(); err != nil {
		return nil, err
	}
	return n, p.expectSymbol(")")
}

func (p *parser) labels() ([]string, error) {
	var labels []string
	for p.acceptSymbol(":") {
		label, err := p.name("a label")
		if err != nil {
			return nil, err
		}
		labels = append(labels, label)
	}
	return labels, nil
}

func (p *parser) patternProps() (Expr, error) {
	switch t := p.peek(); {
	case t.symbol("{"):
		return p.mapLiteral()
	case t.Kind == Param:
		return nil, Errorf(t.Pos, "InvalidParameterUse", "a parameter cannot stand for the properties of a pattern; write {key: $%s.key}", t.Text)
	}
	return nil, nil
}

// relationship reads one arrow: --, -->, <--, <-->, each with or without
// brackets.
func (p *parser) relationship() (*RelPattern, error) {
	r := &RelPattern{Pos: p.peek().Pos, Min: 1, Max: 1}
	left := p.acceptSymbol("<")
	if err := p.expectSymbol("-"); err != nil {
		return nil, err
	}
	if p.acceptSymbol("[") {
		if err := p.relationshipDetail(r); err != nil {
			return nil, err
		}
	}
	if err := p.expectSymbol("-"); err != nil {
		return nil, err
	}
	right := p.acceptSymbol(">")
	switch {
	case left && !right:
		r.Direction = Incoming
	case right && !left:
		r.Direction = Outgoing
	}
	return r, nil
}

func (p *parser) relationshipDetail(r *RelPattern) error {
	var err error
	if k := p.peek().Kind; k == Ident || k == Quoted {
		if r.Var, err = p.variable(); err != nil {
			return err
		}
	}
	if p.acceptSymbol(":") {
		for {
			t, err := p.name("a relationship type")
			if err != nil {
				return err
			}
			r.Types = append(r.Types, t)
			if !p.acceptSymbol("|") {
				break
			}
			p.acceptSymbol(":")
		}
	}
	if t := p.peek(); t.symbol("..") {
		return Errorf(t.Pos, "InvalidRelationshipPattern", "a length needs an asterisk: *..")
	}
	if p.acceptSymbol("*") {
		if err := p.length(r); err != nil {
			return err
		}
	}
	if r.Props, err = p.patternProps(); err != nil {
		return err
	}
	return p.expectSymbol("]")
}

// length reads what follows the asterisk: nothing, n, n.., ..m or n..m.
func (p *parser) length(r *RelPattern) error {
	r.Variable, r.Min, r.Max = true, 1, Unbounded
	bound := func(into *int64) (bool, error) {
		t := p.peek()
		if t.symbol("-") && p.ahead(1).Kind == Integer {
			return false, Errorf(t.Pos, "InvalidRelationshipPattern", "a length cannot be negative")
		}
		if t.Kind != Integer {
			return false, nil
		}
		n, err := strconv.ParseInt(t.Text, 0, 64)
		if err != nil {
			return false, Errorf(t.Pos, "InvalidRelationshipPattern", "%s is not a length", t.Text)
		}
		p.at++
		*into = n
		return true, nil
	}
	exact, err := bound(&r.Min)
	if err != nil {
		return err
	}
	if p.acceptSymbol("..") {
		_, err := bound(&r.Max)
		return err
	}
	if exact {
		r.Max = r.Min
	}
	return nil
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
