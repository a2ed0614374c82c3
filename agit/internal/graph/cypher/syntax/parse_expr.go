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

func (p *parser) expression() Expr { return p.binding(bindOr) }

// binding reads an expression of operators that bind at least as tightly as
// least.
func (p *parser) binding(least int) Expr {
	p.nest()
	defer p.leave()
	left := p.prefix()
	for {
		op, bind := p.operator()
		if bind == 0 || bind < least {
			return left
		}
		switch bind {
		case bindComparison:
			left = p.comparison(left)
		case bindPredicate:
			left = p.predicate(left, op)
		default:
			p.at++
			left = &Binary{Pos: left.At(), Op: op, L: left, R: p.binding(bind + 1)}
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
func (p *parser) prefix() Expr {
	t := p.peek()
	switch {
	case t.is("NOT"):
		p.at++
		return &Unary{Pos: t.Pos, Op: "NOT", X: p.binding(bindNot)}
	case t.symbol("-") && (p.ahead(1).Kind == Integer || p.ahead(1).Kind == Float):
		p.at++
		return p.postfix(p.number(t.Pos, true))
	case t.symbol("-"), t.symbol("+"):
		p.at++
		return &Unary{Pos: t.Pos, Op: t.Text, X: p.binding(bindSign)}
	}
	return p.postfix(p.atom())
}

// comparison reads a chain: a < b <= c means a < b AND b <= c.
func (p *parser) comparison(left Expr) Expr {
	c := &Comparison{Pos: left.At(), Operands: []Expr{left}}
	for {
		op, bind := p.operator()
		if bind != bindComparison {
			return c
		}
		p.at++
		c.Ops = append(c.Ops, op)
		c.Operands = append(c.Operands, p.binding(bindComparison+1))
	}
}

func (p *parser) predicate(left Expr, op string) Expr {
	p.at++
	switch op {
	case "IS":
		op = "IS NULL"
		if p.accept("NOT") {
			op = "IS NOT NULL"
		}
		p.expect("NULL")
		return &Unary{Pos: left.At(), Op: op, X: left}
	case "STARTS", "ENDS":
		p.expect("WITH")
		op += " WITH"
	}
	return &Binary{Pos: left.At(), Op: op, L: left, R: p.binding(bindPredicate + 1)}
}

// postfix reads the suffixes of an operand: .key, [index], [from..to], :Label.
func (p *parser) postfix(x Expr) Expr {
	for {
		t := p.peek()
		switch {
		case t.symbol("."):
			p.at++
			x = &Property{Pos: x.At(), Of: x, Key: p.name("a property key")}
			if p.peek().symbol("(") {
				x = p.namespacedCall(x)
			}
		case t.symbol("["):
			p.at++
			x = p.subscript(x)
		case t.symbol(":"):
			x = &HasLabels{Pos: x.At(), X: x, Labels: p.labels()}
		default:
			return x
		}
	}
}

// namespacedCall reads the arguments of a.b.c(…).
func (p *parser) namespacedCall(x Expr) Expr {
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
		p.expected("an operator")
	}
}

func (p *parser) subscript(x Expr) Expr {
	var from, to Expr
	if !p.peek().symbol("..") {
		from = p.expression()
	}
	if !p.acceptSymbol("..") {
		p.expectSymbol("]")
		return &Index{Pos: x.At(), Of: x, Index: from}
	}
	if !p.peek().symbol("]") {
		to = p.expression()
	}
	p.expectSymbol("]")
	return &Slice{Pos: x.At(), Of: x, From: from, To: to}
}
