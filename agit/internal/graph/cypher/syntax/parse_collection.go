package syntax

import "strings"

// bracketed reads a list literal, a list comprehension or a pattern
// comprehension.
func (p *parser) bracketed() (Expr, error) {
	at := p.take().Pos
	first := p.peek()
	named := (first.Kind == Ident || first.Kind == Quoted) && p.ahead(1).symbol("=") && p.ahead(2).symbol("(")
	switch {
	case first.symbol("]"):
		p.at++
		return &ListLiteral{Pos: at}, nil
	case (first.Kind == Ident || first.Kind == Quoted) && p.ahead(1).is("IN"):
		return p.comprehension(at)
	case named || p.patternAhead():
		return p.patternComprehension(at)
	}
	items, err := p.list("]")
	return &ListLiteral{Pos: at, Items: items}, err
}

// comprehension reads v IN list WHERE condition | expression ].
func (p *parser) comprehension(at Pos) (Expr, error) {
	c := &Comprehension{Pos: at}
	var err error
	if c.Var, c.List, c.Where, err = p.each(); err != nil {
		return nil, err
	}
	if p.acceptSymbol("|") {
		if c.Map, err = p.expression(); err != nil {
			return nil, err
		}
	}
	return c, p.expectSymbol("]")
}

// each reads v IN list WHERE condition, the last part being optional.
func (p *parser) each() (v *Variable, list, where Expr, err error) {
	if v, err = p.variable(); err != nil {
		return nil, nil, nil, err
	}
	if err = p.expect("IN"); err != nil {
		return nil, nil, nil, err
	}
	if list, err = p.expression(); err != nil {
		return nil, nil, nil, err
	}
	where, err = p.where()
	return v, list, where, err
}

func (p *parser) patternComprehension(at Pos) (Expr, error) {
	m := &Match{Pos: at}
	pattern, err := p.pattern()
	if err != nil {
		return nil, err
	}
	m.Patterns = []*Pattern{pattern}
	if m.Where, err = p.where(); err != nil {
		return nil, err
	}
	if err := p.expectSymbol("|"); err != nil {
		return nil, err
	}
	body, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &PatternComprehension{Pos: at, Match: m, Map: body}, p.expectSymbol("]")
}

func (p *parser) quantifier() (Expr, error) {
	t := p.take()
	q := &Quantifier{Pos: t.Pos, Kind: strings.ToLower(t.Text)}
	if err := p.expectSymbol("("); err != nil {
		return nil, err
	}
	var err error
	if q.Var, q.List, q.Where, err = p.each(); err != nil {
		return nil, err
	}
	if q.Where == nil {
		return nil, p.unexpected("WHERE")
	}
	return q, p.expectSymbol(")")
}

// reduce reads reduce(acc = init, v IN list | body).
func (p *parser) reduce() (Expr, error) {
	r := &Reduce{Pos: p.take().Pos}
	p.at++ // the bracket
	var err error
	if r.Acc, err = p.variable(); err != nil {
		return nil, err
	}
	if err := p.expectSymbol("="); err != nil {
		return nil, err
	}
	if r.Init, err = p.expression(); err != nil {
		return nil, err
	}
	if err := p.expectSymbol(","); err != nil {
		return nil, err
	}
	if r.Var, err = p.variable(); err != nil {
		return nil, err
	}
	if err := p.expect("IN"); err != nil {
		return nil, err
	}
	if r.List, err = p.expression(); err != nil {
		return nil, err
	}
	if err := p.expectSymbol("|"); err != nil {
		return nil, err
	}
	if r.Body, err = p.expression(); err != nil {
		return nil, err
	}
	return r, p.expectSymbol(")")
}

func (p *parser) mapLiteral() (Expr, error) {
	m := &MapLiteral{Pos: p.take().Pos}
	if p.acceptSymbol("}") {
		return m, nil
	}
	for {
		if err := p.entry(&m.Keys, &m.Values); err != nil {
			return nil, err
		}
		if !p.acceptSymbol(",") {
			return m, p.expectSymbol("}")
		}
	}
}

// entry reads key: value.
func (p *parser) entry(keys *[]string, values *[]Expr) error {
	key, err := p.name("a key")
	if err != nil {
		return err
	}
	if err := p.expectSymbol(":"); err != nil {
		return err
	}
	v, err := p.expression()
	if err != nil {
		return err
	}
	*keys, *values = append(*keys, key), append(*values, v)
	return nil
}

// mapProjection reads what follows the variable: {.key, .*, key: value, other}.
func (p *parser) mapProjection(of *Variable) (Expr, error) {
	m := &MapProjection{Pos: of.Pos, Of: of}
	p.at++
	if p.acceptSymbol("}") {
		return m, nil
	}
	for {
		t := p.peek()
		switch {
		case t.symbol(".") && p.ahead(1).symbol("*"):
			p.at += 2
			m.All = true
		case t.symbol("."):
			p.at++
			key, err := p.name("a property key")
			if err != nil {
				return nil, err
			}
			m.Keys = append(m.Keys, key)
			m.Values = append(m.Values, &Property{Pos: t.Pos, Of: &Variable{Pos: of.Pos, Name: of.Name}, Key: key})
		case p.ahead(1).symbol(":"):
			if err := p.entry(&m.Keys, &m.Values); err != nil {
				return nil, err
			}
		default:
			v, err := p.variable()
			if err != nil {
				return nil, err
			}
			m.Keys, m.Values = append(m.Keys, v.Name), append(m.Values, v)
		}
		if !p.acceptSymbol(",") {
			return m, p.expectSymbol("}")
		}
	}
}
