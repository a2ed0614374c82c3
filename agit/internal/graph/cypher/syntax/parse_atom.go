package syntax

import (
	"math"
	"strconv"
	"strings"
)

// atom reads an operand.
func (p *parser) atom() Expr {
	t := p.peek()
	switch t.Kind {
	case Integer, Float:
		return p.number(t.Pos, false)
	case String:
		p.at++
		return &Literal{Pos: t.Pos, Value: t.Text}
	case Param:
		p.at++
		return &Parameter{Pos: t.Pos, Name: t.Text}
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
	p.expected("an expression")
	return nil
}

// number reads a literal; the smallest integer needs its sign to fit.
func (p *parser) number(at Pos, negative bool) Expr {
	t := p.take()
	if t.Bad != nil {
		panic(t.Bad)
	}
	if t.Kind == Float {
		f, _ := strconv.ParseFloat(t.Text, 64) // checked like every number that is not Bad
		if negative {
			f = -f
		}
		if f == 0 {
			f = 0 // openCypher has no negative zero
		}
		return &Literal{Pos: at, Value: f}
	}
	n, _ := parseInteger(t.Text)
	switch {
	case negative && n <= math.MaxInt64+1:
		return &Literal{Pos: at, Value: int64(-n)}
	case negative || n > math.MaxInt64:
		panic(Errorf(at, "IntegerOverflow", "%s does not fit a 64-bit integer", t.Text))
	}
	return &Literal{Pos: at, Value: int64(n)}
}

// word reads an operand that begins with a bare word: a literal, CASE, EXISTS, a quantifier, reduce, a function call or a variable.
func (p *parser) word(t Token) Expr {
	next := p.ahead(1)
	switch strings.ToUpper(t.Text) {
	case "NULL":
		p.at++
		return &Literal{Pos: t.Pos}
	case "TRUE", "FALSE":
		p.at++
		return &Literal{Pos: t.Pos, Value: t.is("TRUE")}
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
			return &Call{Pos: t.Pos, Name: "count", Star: true}
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

func (p *parser) variableOrProjection() Expr {
	v := p.variableOr("an expression")
	if p.peek().symbol("{") {
		return p.mapProjection(v)
	}
	return v
}

// call reads the arguments of a function whose name is already read.
func (p *parser) call(at Pos, name string) Expr {
	c := &Call{Pos: at, Name: name}
	p.expectSymbol("(")
	c.Distinct = p.accept("DISTINCT")
	if !p.acceptSymbol(")") {
		c.Args = p.list(")")
	}
	return c
}

// list reads expressions separated by commas up to the closing symbol.
func (p *parser) list(end string) (items []Expr) {
	p.separated(func() { items = append(items, p.expression()) })
	p.expectSymbol(end)
	return items
}

func (p *parser) parenthesised() Expr {
	if p.patternAhead() {
		return p.patternPredicate(p.peek().Pos, false)
	}
	p.at++
	e := p.expression()
	p.expectSymbol(")")
	return e
}

func (p *parser) patternPredicate(at Pos, exists bool) Expr {
	return &PatternPredicate{Pos: at, Match: &Match{Patterns: []*Pattern{p.pattern()}}, Exists: exists}
}

// exists reads EXISTS { … }, EXISTS(pattern) or the function exists(value).
func (p *parser) exists() Expr {
	at := p.take().Pos
	if p.acceptSymbol("{") {
		q := p.existsBody()
		p.expectSymbol("}")
		return &Exists{Pos: at, Query: q}
	}
	p.at++ // the bracket
	if !p.patternAhead() {
		p.at--
		return p.call(at, "exists")
	}
	e := p.patternPredicate(at, true)
	p.expectSymbol(")")
	return e
}

func (p *parser) existsBody() *Query {
	p.nest()
	defer p.leave()
	t := p.peek()
	if t.Kind == Ident && !p.ahead(1).symbol("=") {
		return p.query(true)
	}
	m := &Match{}
	p.patternsAndWhere(m)
	return &Query{Parts: []*Part{{Clauses: []Clause{m}}}}
}

func (p *parser) caseExpr() Expr {
	c := &Case{Pos: p.take().Pos}
	if !p.peek().is("WHEN") {
		c.Test = p.expression()
	}
	for p.accept("WHEN") {
		c.When = append(c.When, p.expression())
		p.expect("THEN")
		c.Then = append(c.Then, p.expression())
	}
	if len(c.When) == 0 {
		p.expected("WHEN")
	}
	if p.accept("ELSE") {
		c.Else = p.expression()
	}
	p.expect("END")
	return c
}
