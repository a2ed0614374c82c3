package syntax

import "strings"

// maxDepth is how deeply expressions may nest: far deeper than people write, and far less than the stack allows.
const maxDepth = 200

// Parse reads a query.
func Parse(text string) (*Query, error) {
	tokens, err := Tokens(text)
	if err != nil {
		return nil, err
	}
	p := &parser{text: text, tokens: tokens}
	defer func() { p.tokens = nil }()
	mode := ""
	if t := p.peek(); t.is("EXPLAIN") || t.is("PROFILE") {
		mode = strings.ToUpper(p.take().Text)
	}
	q, err := p.query(false)
	if err != nil {
		return nil, err
	}
	q.Mode = mode
	p.acceptSymbol(";")
	if t := p.peek(); t.Kind != EOF {
		return nil, p.unexpected("the end of the query")
	}
	return q, nil
}

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

func (p *parser) expect(word string) error {
	if !p.accept(word) {
		return p.unexpected(word)
	}
	return nil
}

func (p *parser) expectSymbol(s string) error {
	if !p.acceptSymbol(s) {
		return p.unexpected("'" + s + "'")
	}
	return nil
}

func (p *parser) unexpected(wanted string) error {
	t := p.peek()
	return Errorf(t.Pos, "UnexpectedSyntax", "expected %s, found %s", wanted, t.describe())
}

// name reads any identifier, including keywords: labels, types and keys may have any name.
func (p *parser) name(what string) (string, error) {
	if t := p.peek(); t.Kind == Ident || t.Kind == Quoted {
		p.at++
		return t.Text, nil
	}
	return "", p.unexpected(what)
}

// variable reads an identifier that may name a variable.
func (p *parser) variable() (*Variable, error) {
	t := p.peek()
	if t.Kind == Quoted || t.Kind == Ident && !reserved(t.Text) {
		p.at++
		return &Variable{Pos: t.Pos, Name: t.Text}, nil
	}
	return nil, p.unexpected("a variable")
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
func (p *parser) nest() error {
	if p.depth++; p.depth > maxDepth {
		return Errorf(p.peek().Pos, "UnexpectedSyntax", "the query nests more than %d levels deep", maxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }
