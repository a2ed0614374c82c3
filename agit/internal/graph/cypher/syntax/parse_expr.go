package syntax

import "strings"

// The binding strengths of the operators, loosest first.
const (
	bindOr = iota + 1
	bindXor
	bindAnd
	bindNot
	bindComparison
	bindPredicate // IN, STARTS WITH, IS NULL, …
	bindSum
	bindProduct
	bindPower
	bindSign
)

func (p *parser) expression() (Expr, error) { return p.binding(bindOr) }

// binding reads an expression of operators that bind at least as tightly as
// least.
func (p *parser) binding(least int) (Expr, error) {
	if err := p.nest(); err != nil {
		return nil, err
	}
	defer p.leave()
	left, err := p.prefix()
	if err != nil {
		return nil, err
	}
	for {
		op, bind := p.operator()
		if bind == 0 || bind < least {
			return left, nil
		}
		switch bind {
		case bindComparison:
			left, err = p.comparison(left)
		case bindPredicate:
			left, err = p.predicate(left, op)
		default:
			p.at++
			var right Expr
			if right, err = p.binding(bind + 1); err == nil {
				left = &Binary{Pos: left.At(), Op: op, L: left, R: right}
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// operator returns the infix operator at the current token and its binding strength; 0 when there is none.
func (p *parser) operator() (string, int) {
	t := p.peek()
	if t.Kind == Symbol {
		switch t.Text {
		case "=", "<>", "<", ">", "<=", ">=":
			return t.Text, bindComparison
		case "=~":
			return t.Text, bindPredicate
		case "+", "-":
			return t.Text, bindSum
		case "*", "/", "%":
			return t.Text, bindProduct
		case "^":
			return t.Text, bindPower
		}
		return "", 0
	}
	if t.Kind != Ident {
		return "", 0
	}
	switch word := strings.ToUpper(t.Text); word {
	case "OR":
		return word, bindOr
	case "XOR":
		return word, bindXor
	case "AND":
		return word, bindAnd
	case "IN", "STARTS", "ENDS", "CONTAINS", "IS":
		return word, bindPredicate
	}
	return "", 0
}

// prefix reads NOT, a sign, or an operand.
func (p *parser) prefix() (Expr, error) {
	t := p.peek()
	switch {
	case t.is("NOT"):
		p.at++
		x, err := p.binding(bindNot)
		if err != nil {
			return nil, err
		}
		return &Unary{Pos: t.Pos, Op: "NOT", X: x}, nil
	case t.symbol("-") && (p.ahead(1).Kind == Integer || p.ahead(1).Kind == Float):
		p.at++
		number, err := p.number(t.Pos, true)
		if err != nil {
			return nil, err
		}
		return p.postfix(number)
	case t.symbol("-"), t.symbol("+"):
		p.at++
		x, err := p.binding(bindSign)
		if err != nil {
			return nil, err
		}
		return &Unary{Pos: t.Pos, Op: t.Text, X: x}, nil
	}
	x, err := p.atom()
	if err != nil {
		return nil, err
	}
	return p.postfix(x)
}

// comparison reads a chain: a < b <= c means a < b AND b <= c.
func (p *parser) comparison(left Expr) (Expr, error) {
	c := &Comparison{Pos: left.At(), Operands: []Expr{left}}
	for {
		op, bind := p.operator()
		if bind != bindComparison {
			return c, nil
		}
		p.at++
		right, err := p.binding(bindComparison + 1)
		if err != nil {
			return nil, err
		}
		c.Ops = append(c.Ops, op)
		c.Operands = append(c.Operands, right)
	}
}

func (p *parser) predicate(left Expr, op string) (Expr, error) {
	p.at++
	switch op {
	case "IS":
		not := p.accept("NOT")
		if err := p.expect("NULL"); err != nil {
			return nil, err
		}
		return &IsNull{Pos: left.At(), X: left, Not: not}, nil
	case "STARTS", "ENDS":
		if err := p.expect("WITH"); err != nil {
			return nil, err
		}
		op += " WITH"
	}
	right, err := p.binding(bindPredicate + 1)
	if err != nil {
		return nil, err
	}
	return &Binary{Pos: left.At(), Op: op, L: left, R: right}, nil
}

// postfix reads the suffixes of an operand: .key, [index], [from..to], :Label.
func (p *parser) postfix(x Expr) (Expr, error) {
	for {
		t := p.peek()
		var err error
		switch {
		case t.symbol("."):
			p.at++
			var key string
			if key, err = p.name("a property key"); err == nil {
				x = &Property{Pos: x.At(), Of: x, Key: key}
				if p.peek().symbol("(") {
					x, err = p.namespacedCall(x)
				}
			}
		case t.symbol("["):
			p.at++
			x, err = p.subscript(x)
		case t.symbol(":"):
			h := &HasLabels{Pos: x.At(), X: x}
			h.Labels, err = p.labels()
			x = h
		default:
			return x, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// namespacedCall reads the arguments of a.b.c(…).
func (p *parser) namespacedCall(x Expr) (Expr, error) {
	var name []string
	for e := x; ; {
		switch of := e.(type) {
		case *Property:
			name, e = append([]string{of.Key}, name...), of.Of
			continue
		case *Variable:
			name = append([]string{of.Name}, name...)
			return p.call(of.Pos, strings.Join(name, "."))
		}
		return nil, p.unexpected("an operator")
	}
}

func (p *parser) subscript(x Expr) (Expr, error) {
	var from, to Expr
	var err error
	if !p.peek().symbol("..") {
		if from, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if !p.acceptSymbol("..") {
		return &Index{Pos: x.At(), Of: x, Index: from}, p.expectSymbol("]")
	}
	if !p.peek().symbol("]") {
		if to, err = p.expression(); err != nil {
			return nil, err
		}
	}
	return &Slice{Pos: x.At(), Of: x, From: from, To: to}, p.expectSymbol("]")
}
