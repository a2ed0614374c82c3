package syntax

import (
	"math"
	"strconv"
	"strings"
)

// atom reads an operand.
func (p *parser) atom() (Expr, error) {
	t := p.peek()
	switch t.Kind {
	case Integer, Float:
		return p.number(t.Pos, false)
	case String:
		p.at++
		return &Literal{Pos: t.Pos, Value: t.Text}, nil
	case Param:
		p.at++
		return &Parameter{Pos: t.Pos, Name: t.Text}, nil
	case Quoted:
		if p.ahead(1).symbol("(") {
			p.at++
			return p.call(t.Pos, t.Text)
		}
		return p.variableOrProjection()
	case Symbol:
		switch t.Text {
		case "(":
			return p.parenthesised()
		case "[":
			return p.bracketed()
		case "{":
			return p.mapLiteral()
		}
	case Ident:
		return p.word(t)
	}
	return nil, p.unexpected("an expression")
}

// number reads a literal; the smallest integer needs its sign to fit.
func (p *parser) number(at Pos, negative bool) (Expr, error) {
	t := p.take()
	if t.Bad != nil {
		return nil, t.Bad
	}
	if t.Kind == Float {
		f, err := strconv.ParseFloat(t.Text, 64)
		if err != nil {
			return nil, Errorf(t.Pos, "InvalidNumberLiteral", "%s is not a number", t.Text)
		}
		if negative {
			f = -f
		}
		if f == 0 {
			f = 0 // openCypher has no negative zero
		}
		return &Literal{Pos: at, Value: f}, nil
	}
	n, err := parseInteger(t.Text)
	switch {
	case err != nil:
		return nil, Errorf(t.Pos, "InvalidNumberLiteral", "%s is not a number", t.Text)
	case negative && n <= math.MaxInt64+1:
		return &Literal{Pos: at, Value: int64(-n)}, nil
	case negative || n > math.MaxInt64:
		return nil, Errorf(at, "IntegerOverflow", "%s does not fit a 64-bit integer", t.Text)
	}
	return &Literal{Pos: at, Value: int64(n)}, nil
}

// word reads an operand that begins with a bare word: a literal, CASE, EXISTS, a quantifier, reduce, a function call or a variable.
func (p *parser) word(t Token) (Expr, error) {
	next := p.ahead(1)
	switch strings.ToUpper(t.Text) {
	case "NULL":
		p.at++
		return &Literal{Pos: t.Pos}, nil
	case "TRUE", "FALSE":
		p.at++
		return &Literal{Pos: t.Pos, Value: t.is("TRUE")}, nil
	case "CASE":
		if !next.symbol(".") && !next.symbol(":") {
			return p.caseExpr()
		}
	case "EXISTS":
		if next.symbol("{") || next.symbol("(") {
			return p.exists()
		}
	case "ALL", "ANY", "NONE", "SINGLE":
		if next.symbol("(") {
			return p.quantifier()
		}
	case "REDUCE":
		if next.symbol("(") && p.ahead(3).symbol("=") {
			return p.reduce()
		}
	case "COUNT":
		if next.symbol("(") && p.ahead(2).symbol("*") && p.ahead(3).symbol(")") {
			p.at += 4
			return &Call{Pos: t.Pos, Name: "count", Star: true}, nil
		}
	}
	if next.symbol("(") && !reserved(t.Text) {
		p.at++
		return p.call(t.Pos, t.Text)
	}
	if next.symbol(".") && p.ahead(2).Kind == Ident && p.ahead(3).symbol("(") && !reserved(t.Text) { // a property cannot be called
		name := t.Text + "." + p.ahead(2).Text
		p.at += 3
		return p.call(t.Pos, name)
	}
	return p.variableOrProjection()
}

func (p *parser) variableOrProjection() (Expr, error) {
	v, err := p.variable()
	if err != nil {
		return nil, p.unexpected("an expression")
	}
	if p.peek().symbol("{") {
		return p.mapProjection(v)
	}
	return v, nil
}

// call reads the arguments of a function whose name is already read.
func (p *parser) call(at Pos, name string) (Expr, error) {
	c := &Call{Pos: at, Name: name}
	if err := p.expectSymbol("("); err != nil {
		return nil, err
	}
	c.Distinct = p.accept("DISTINCT")
	if p.acceptSymbol(")") {
		return c, nil
	}
	var err error
	c.Args, err = p.list(")")
	return c, err
}

// list reads expressions separated by commas up to the closing symbol.
func (p *parser) list(end string) ([]Expr, error) {
	var items []Expr
	for {
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		items = append(items, e)
		if !p.acceptSymbol(",") {
			return items, p.expectSymbol(end)
		}
	}
}

func (p *parser) parenthesised() (Expr, error) {
	if p.patternAhead() {
		return p.patternPredicate(p.peek().Pos, false)
	}
	p.at++
	e, err := p.expression()
	if err != nil {
		return nil, err
	}
	return e, p.expectSymbol(")")
}

func (p *parser) patternPredicate(at Pos, exists bool) (Expr, error) {
	pattern, err := p.pattern()
	if err != nil {
		return nil, err
	}
	return &PatternPredicate{Pos: at, Match: &Match{Pos: at, Patterns: []*Pattern{pattern}}, Exists: exists}, nil
}

// exists reads EXISTS { … }, EXISTS(pattern) or the function exists(value).
func (p *parser) exists() (Expr, error) {
	at := p.take().Pos
	if p.acceptSymbol("{") {
		q, err := p.existsBody()
		if err != nil {
			return nil, err
		}
		return &Exists{Pos: at, Query: q}, p.expectSymbol("}")
	}
	p.at++ // the bracket
	if !p.patternAhead() {
		p.at--
		return p.call(at, "exists")
	}
	e, err := p.patternPredicate(at, true)
	if err != nil {
		return nil, err
	}
	return e, p.expectSymbol(")")
}

func (p *parser) existsBody() (*Query, error) {
	if err := p.nest(); err != nil {
		return nil, err
	}
	defer p.leave()
	t := p.peek()
	if t.Kind == Ident && !p.ahead(1).symbol("=") {
		return p.query(true)
	}
	m := &Match{Pos: t.Pos}
	if err := p.patternsAndWhere(m); err != nil {
		return nil, err
	}
	return &Query{Pos: t.Pos, Existing: true, Parts: []*Part{{Clauses: []Clause{m}}}}, nil
}

func (p *parser) caseExpr() (Expr, error) {
	c := &Case{Pos: p.take().Pos}
	var err error
	if !p.peek().is("WHEN") {
		if c.Test, err = p.expression(); err != nil {
			return nil, err
		}
	}
	for p.accept("WHEN") {
		when, err := p.expression()
		if err != nil {
			return nil, err
		}
		if err := p.expect("THEN"); err != nil {
			return nil, err
		}
		then, err := p.expression()
		if err != nil {
			return nil, err
		}
		c.When, c.Then = append(c.When, when), append(c.Then, then)
	}
	if len(c.When) == 0 {
		return nil, p.unexpected("WHEN")
	}
	if p.accept("ELSE") {
		if c.Else, err = p.expression(); err != nil {
			return nil, err
		}
	}
	return c, p.expect("END")
}
