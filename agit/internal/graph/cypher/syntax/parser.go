package syntax

import "strings"

// maxDepth is how deeply expressions may nest: far deeper than people write, and far less than the stack allows.
const maxDepth = 200

// Parse reads a query.
func Parse(text string) (q *Query, err error) {
	tokens, err := Tokens(text)
	if err != nil {
		return nil, err
	}
	defer Catch(&err)
	p := &parser{text: text, tokens: tokens}
	if t := p.peek(); t.is("EXPLAIN") || t.is("PROFILE") {
		p.take()
	}
	tree := p.query(false)
	p.acceptSymbol(";")
	if p.peek().Kind != EOF {
		p.expected("the end of the query")
	}
	return tree, nil
}

// parser reads tokens. Its methods panic with an *Error at the first mistake.
type parser struct {
	text   string
	tokens []Token
	at     int
	depth  int
}

func (p *parser) peek() Token { return p.tokens[p.at] }

// ahead returns the token n places on, or EOF beyond the end.
func (p *parser) ahead(n int) Token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) take() Token {
	t := p.tokens[p.at]
	if t.Kind != EOF {
		p.at++
	}
	return t
}

func (p *parser) accept(word string) bool {
	if p.peek().is(word) {
		p.at++
		return true
	}
	return false
}

func (p *parser) acceptSymbol(s string) bool {
	if p.peek().symbol(s) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(word string) {
	if !p.accept(word) {
		p.expected(word)
	}
}

func (p *parser) expectSymbol(s string) {
	if !p.acceptSymbol(s) {
		p.expected("'" + s + "'")
	}
}

// expected fails at the current token, which is not the wanted one.
func (p *parser) expected(wanted string) {
	t := p.peek()
	panic(Errorf(t.Pos, "UnexpectedSyntax", "expected %s, found %s", wanted, t.describe()))
}

// separated calls read for every part of a list with commas.
func (p *parser) separated(read func()) {
	for read(); p.acceptSymbol(","); {
		read()
	}
}

// name reads any identifier, including keywords: labels, types and keys may have any name.
func (p *parser) name(what string) string {
	t := p.peek()
	if t.Kind != Ident && t.Kind != Quoted {
		p.expected(what)
	}
	p.at++
	return t.Text
}

// variable reads an identifier that may name a variable.
func (p *parser) variable() *Variable { return p.variableOr("a variable") }

// variableOr is variable where something else could stand too, which an error names.
func (p *parser) variableOr(what string) *Variable {
	t := p.peek()
	if t.Kind != Quoted && (t.Kind != Ident || reserved(t.Text)) {
		p.expected(what)
	}
	p.at++
	return &Variable{Pos: t.Pos, Name: t.Text}
}

// reserved reports whether word cannot be a variable without back quotes,
// because a clause or an operator could begin there.
func reserved(word string) bool {
	switch strings.ToUpper(word) {
	case "MATCH", "OPTIONAL", "WHERE", "RETURN", "WITH", "UNWIND", "UNION", "ORDER", "SKIP", "LIMIT",
		"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "FOREACH",
		"AND", "OR", "XOR", "NOT", "IN", "IS", "STARTS", "ENDS", "CONTAINS", "AS", "DISTINCT",
		"NULL", "TRUE", "FALSE", "CASE", "WHEN", "THEN", "ELSE":
		return true
	}
	return false
}

// nest guards against input that nests too deeply; leave undoes it.
func (p *parser) nest() {
	if p.depth++; p.depth > maxDepth {
		panic(Errorf(p.peek().Pos, "UnexpectedSyntax", "the query nests more than %d levels deep", maxDepth))
	}
}

func (p *parser) leave() { p.depth-- }
