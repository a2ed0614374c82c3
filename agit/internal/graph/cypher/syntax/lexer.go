package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxQuery is the length of the longest query accepted, in bytes.
const MaxQuery = 64 << 10

// Tokens splits a query into its tokens, ending with EOF, and pairs the brackets.
func Tokens(text string) (tokens []Token, err error) {
	if len(text) > MaxQuery {
		return nil, Errorf(Pos{Line: 1, Column: 1}, "UnexpectedSyntax", "the query has %d bytes, more than the %d accepted", len(text), MaxQuery)
	}
	defer Catch(&err)
	l := &lexer{text: text, pos: Pos{Line: 1, Column: 1}}
	var open []int
	for {
		t := l.next()
		l.tokens = append(l.tokens, t)
		if t.Kind == EOF {
			return l.tokens, nil
		}
		if t.Kind != Symbol {
			continue
		}
		switch t.Text {
		case "(", "[", "{":
			open = append(open, len(l.tokens)-1)
		case ")", "]", "}":
			if n := len(open); n > 0 {
				l.tokens[open[n-1]].Match = len(l.tokens) - 1
				open = open[:n-1]
			}
		}
	}
}

// lexer reads text. Its methods panic with an *Error at the first mistake.
type lexer struct {
	text   string
	pos    Pos
	tokens []Token
}

func (l *lexer) peek(ahead int) byte {
	if l.pos.Offset+ahead < len(l.text) {
		return l.text[l.pos.Offset+ahead]
	}
	return 0
}

// advance moves over n bytes, which must end on a character boundary.
func (l *lexer) advance(n int) {
	for _, r := range l.text[l.pos.Offset : l.pos.Offset+n] {
		if r == '\n' {
			l.pos.Line++
			l.pos.Column = 1
		} else {
			l.pos.Column++
		}
	}
	l.pos.Offset += n
}

func (l *lexer) rune() (rune, int) {
	return utf8.DecodeRuneInString(l.text[l.pos.Offset:])
}

func (l *lexer) next() Token {
	l.skipBlank()
	t := Token{Pos: l.pos}
	t.Kind, t.Text = l.read()
	t.End = l.pos.Offset
	if t.Kind == Integer || t.Kind == Float {
		t.Bad = checkNumber(t)
	}
	return t
}

func (l *lexer) read() (Kind, string) {
	r, size := l.rune()
	switch {
	case size == 0:
		return EOF, ""
	case isIdentStart(r):
		return Ident, l.ident()
	case r == '`':
		return Quoted, l.quotedIdent()
	case r == '$':
		return Param, l.param()
	case r == '\'' || r == '"':
		return String, l.string(byte(r))
	case isDigit(byte(r)) && size == 1, r == '.' && isDigit(l.peek(1)):
		return l.number()
	}
	for _, s := range [...]string{"<>", "<=", ">=", "=~", "..", "+="} {
		if strings.HasPrefix(l.text[l.pos.Offset:], s) {
			l.advance(2)
			return Symbol, s
		}
	}
	if strings.ContainsRune("()[]{}<>=+-*/%^|,.:;!&", r) {
		l.advance(size)
		return Symbol, string(r)
	}
	detail := "UnexpectedSyntax"
	if r > unicode.MaxASCII {
		detail = "InvalidUnicodeCharacter"
	}
	panic(Errorf(l.pos, detail, "character %q has no meaning here", r))
}

// skipBlank moves over white space and comments.
func (l *lexer) skipBlank() {
	for {
		r, size := l.rune()
		switch {
		case size > 0 && unicode.IsSpace(r):
			l.advance(size)
		case r == '/' && l.peek(1) == '/':
			end := strings.IndexByte(l.text[l.pos.Offset:], '\n')
			if end < 0 {
				end = len(l.text) - l.pos.Offset
			}
			l.advance(end)
		case r == '/' && l.peek(1) == '*':
			end := strings.Index(l.text[l.pos.Offset+2:], "*/")
			if end < 0 {
				panic(Errorf(l.pos, "UnexpectedSyntax", "the comment has no end"))
			}
			l.advance(end + 4)
		default:
			return
		}
	}
}

func isIdentStart(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Pc, r) }

func isIdentPart(r rune) bool {
	return isIdentStart(r) || unicode.IsDigit(r) || unicode.Is(unicode.Sc, r) && r != '$' || unicode.Is(unicode.Mn, r)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (l *lexer) ident() string {
	start := l.pos.Offset
	for {
		r, size := l.rune()
		if size == 0 || !isIdentPart(r) {
			return l.text[start:l.pos.Offset]
		}
		l.advance(size)
	}
}

// quotedIdent reads `name`; two back quotes inside it stand for one.
func (l *lexer) quotedIdent() string {
	start := l.pos
	var name strings.Builder
	l.advance(1)
	for {
		end := strings.IndexByte(l.text[l.pos.Offset:], '`')
		if end < 0 {
			panic(Errorf(start, "UnexpectedSyntax", "the quoted name has no end"))
		}
		name.WriteString(l.text[l.pos.Offset : l.pos.Offset+end])
		l.advance(end + 1)
		if l.peek(0) != '`' {
			return name.String()
		}
		name.WriteByte('`')
		l.advance(1)
	}
}

func (l *lexer) param() string {
	start := l.pos
	l.advance(1)
	if l.peek(0) == '`' {
		return l.quotedIdent()
	}
	name := l.ident()
	if name == "" {
		panic(Errorf(start, "UnexpectedSyntax", "a parameter needs a name after $"))
	}
	return name
}

// Kind is the kind of a token.
type Kind uint8

// The kinds of token.
const (
	EOF Kind = iota
	Ident
	Quoted // `an identifier in back quotes`
	Integer
	Float
	String
	Param
	Symbol // an operator or bracket, in Text
)

// Token is one word of a query.
type Token struct {
	Kind  Kind
	Text  string // identifier or parameter name, symbol, decoded string, digits of a number
	Pos   Pos
	End   int   // byte offset after the token
	Match int   // for an opening bracket: the index of the closing one, or 0 if there is none
	Bad   error // a malformed number: an error only where a number is expected
}

// is reports whether t is the keyword word, given in capitals.
func (t Token) is(word string) bool {
	return t.Kind == Ident && len(t.Text) == len(word) && strings.EqualFold(t.Text, word)
}

// symbol reports whether t is the symbol s.
func (t Token) symbol(s string) bool { return t.Kind == Symbol && t.Text == s }

// describe returns the name of t for an error message.
func (t Token) describe() string {
	switch t.Kind {
	case EOF:
		return "the end of the query"
	case String:
		return "a string"
	case Param:
		return "parameter $" + t.Text
	case Quoted:
		return "`" + t.Text + "`"
	}
	return t.Text
}
