package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxQuery is the length of the longest query accepted, in bytes.
const MaxQuery = 64 << 10

// Tokens splits a query into its tokens, ending with EOF, and pairs the brackets.
func Tokens(text string) ([]Token, error) {
	if len(text) > MaxQuery {
		return nil, Errorf(Pos{Line: 1, Column: 1}, "UnexpectedSyntax", "the query has %d bytes, more than the %d accepted", len(text), MaxQuery)
	}
	l := &lexer{text: text, pos: Pos{Line: 1, Column: 1}}
	var open []int
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
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

func (l *lexer) next() (Token, error) {
	if err := l.skipBlank(); err != nil {
		return Token{}, err
	}
	start := l.pos
	r, size := l.rune()
	switch {
	case size == 0:
		return Token{Kind: EOF, Pos: start, End: start.Offset}, nil
	case isIdentStart(r):
		return Token{Kind: Ident, Text: l.ident(), Pos: start, End: l.pos.Offset}, nil
	case r == '`':
		name, err := l.quotedIdent()
		return Token{Kind: Quoted, Text: name, Pos: start, End: l.pos.Offset}, err
	case r == '$':
		return l.param(start)
	case r == '\'' || r == '"':
		s, err := l.string(byte(r))
		return Token{Kind: String, Text: s, Pos: start, End: l.pos.Offset}, err
	case isDigit(byte(r)) && size == 1, r == '.' && isDigit(l.peek(1)):
		return l.number(start)
	}
	for _, s := range [...]string{"<>", "<=", ">=", "=~", "..", "+="} {
		if strings.HasPrefix(l.text[start.Offset:], s) {
			l.advance(2)
			return Token{Kind: Symbol, Text: s, Pos: start, End: l.pos.Offset}, nil
		}
	}
	if strings.ContainsRune("()[]{}<>=+-*/%^|,.:;!&", r) {
		l.advance(size)
		return Token{Kind: Symbol, Text: string(r), Pos: start, End: l.pos.Offset}, nil
	}
	if r > unicode.MaxASCII {
		return Token{}, Errorf(start, "InvalidUnicodeCharacter", "character %q has no meaning here", r)
	}
	return Token{}, Errorf(start, "UnexpectedSyntax", "character %q has no meaning here", r)
}

// skipBlank moves over white space and comments.
func (l *lexer) skipBlank() error {
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
				return Errorf(l.pos, "UnexpectedSyntax", "the comment has no end")
			}
			l.advance(end + 4)
		default:
			return nil
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
func (l *lexer) quotedIdent() (string, error) {
	start := l.pos
	var name strings.Builder
	l.advance(1)
	for {
		end := strings.IndexByte(l.text[l.pos.Offset:], '`')
		if end < 0 {
			return "", Errorf(start, "UnexpectedSyntax", "the quoted name has no end")
		}
		name.WriteString(l.text[l.pos.Offset : l.pos.Offset+end])
		l.advance(end + 1)
		if l.peek(0) != '`' {
			return name.String(), nil
		}
		name.WriteByte('`')
		l.advance(1)
	}
}

func (l *lexer) param(start Pos) (Token, error) {
	l.advance(1)
	if l.peek(0) == '`' {
		name, err := l.quotedIdent()
		return Token{Kind: Param, Text: name, Pos: start, End: l.pos.Offset}, err
	}
	begin := l.pos.Offset
	for {
		r, size := l.rune()
		if size == 0 || !isIdentPart(r) {
			break
		}
		l.advance(size)
	}
	if begin == l.pos.Offset {
		return Token{}, Errorf(start, "UnexpectedSyntax", "a parameter needs a name after $")
	}
	return Token{Kind: Param, Text: l.text[begin:l.pos.Offset], Pos: start, End: l.pos.Offset}, nil
}
