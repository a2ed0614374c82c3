package syntax

import "strings"

// bracketed reads a list literal, a list comprehension or a pattern
// comprehension.
func (p *parser) bracketed() Expr {
	at := p.take().Pos
	first := p.peek()
	named := (first.Kind == Ident || first.Kind == Quoted) && p.ahead(1).symbol("=") && p.ahead(2).symbol("(")
	switch {
	case first.symbol("]"):
		p.at++
		return &ListLiteral{Pos: at}
	case (first.Kind == Ident || first.Kind == Quoted) && p.ahead(1).is("IN"):
		return p.comprehension(at)
	case named || p.patternAhead():
		return p.patternComprehension(at)
	}
	return &ListLiteral{Pos: at, Items: p.list("]")}
}

// comprehension reads v IN list WHERE condition | expression ].
func (p *parser) comprehension(at Pos) Expr {
	c := &Comprehension{Pos: at}
	c.Var, c.List = p.each()
	c.Where = p.where()
	if p.acceptSymbol("|") {
		c.Map = p.expression()
	}
	p.expectSymbol("]")
	return c
}

// each reads v IN list.
func (p *parser) each() (v *Variable, list Expr) {
	v = p.variable()
	p.expect("IN")
	return v, p.expression()
}

func (p *parser) patternComprehension(at Pos) Expr {
	c := &PatternComprehension{Pos: at, Match: &Match{Patterns: []*Pattern{p.pattern()}, Where: p.where()}}
	p.expectSymbol("|")
	c.Map = p.expression()
	p.expectSymbol("]")
	return c
}

func (p *parser) quantifier() Expr {
	t := p.take()
	q := &Quantifier{Pos: t.Pos, Kind: strings.ToLower(t.Text)}
	p.expectSymbol("(")
	q.Var, q.List = p.each()
	p.expect("WHERE")
	q.Where = p.expression()
	p.expectSymbol(")")
	return q
}

// reduce reads reduce(acc = init, v IN list | body).
func (p *parser) reduce() Expr {
	r := &Reduce{Pos: p.take().Pos}
	p.at++ // the bracket
	r.Acc = p.variable()
	p.expectSymbol("=")
	r.Init = p.expression()
	p.expectSymbol(",")
	r.Var, r.List = p.each()
	p.expectSymbol("|")
	r.Body = p.expression()
	p.expectSymbol(")")
	return r
}

func (p *parser) mapLiteral() Expr {
	m := &MapLiteral{Pos: p.take().Pos}
	if !p.acceptSymbol("}") {
		p.separated(func() { p.entry(&m.Keys, &m.Values) })
		p.expectSymbol("}")
	}
	return m
}

// entry reads key: value.
func (p *parser) entry(keys *[]string, values *[]Expr) {
	*keys = append(*keys, p.name("a key"))
	p.expectSymbol(":")
	*values = append(*values, p.expression())
}

// mapProjection reads what follows the variable: {.key, .*, key: value, other}.
func (p *parser) mapProjection(of *Variable) Expr {
	m := &MapProjection{Pos: of.Pos, Of: of}
	p.at++
	if p.acceptSymbol("}") {
		return m
	}
	p.separated(func() {
		t := p.peek()
		switch {
		case t.symbol(".") && p.ahead(1).symbol("*"):
			p.at += 2
			m.All = true
		case t.symbol("."):
			p.at++
			key := p.name("a property key")
			m.Keys = append(m.Keys, key)
			m.Values = append(m.Values, &Property{Pos: t.Pos, Of: &Variable{Pos: of.Pos, Name: of.Name}, Key: key})
		case p.ahead(1).symbol(":"):
			p.entry(&m.Keys, &m.Values)
		default:
			v := p.variable()
			m.Keys, m.Values = append(m.Keys, v.Name), append(m.Values, v)
		}
	})
	p.expectSymbol("}")
	return m
}
