package syntax

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// string reads a quoted string and returns its decoded text.
func (l *lexer) string(quote byte) string {
	start := l.pos
	l.advance(1)
	var b strings.Builder
	for {
		r, size := l.rune()
		switch {
		case size == 0:
			panic(Errorf(start, "UnexpectedSyntax", "the string has no end"))
		case byte(r) == quote && size == 1:
			l.advance(1)
			return b.String()
		case r == '\\':
			b.WriteRune(l.escape())
		default:
			if r == utf8.RuneError && size == 1 {
				panic(Errorf(l.pos, "InvalidUnicodeCharacter", "the string is not valid UTF-8"))
			}
			b.WriteRune(r)
			l.advance(size)
		}
	}
}

func (l *lexer) escape() rune {
	at := l.pos
	l.advance(1)
	r, size := l.rune()
	if size == 0 {
		panic(Errorf(at, "UnexpectedSyntax", "the string has no end"))
	}
	if r == 'u' || r == 'U' {
		return l.unicodeEscape(at, r)
	}
	const from, to = `\'"nrtbf`, "\\'\"\n\r\t\b\f"
	i := strings.IndexRune(from, r)
	if i < 0 {
		panic(Errorf(at, "UnexpectedSyntax", "\\%c is not an escape sequence", r))
	}
	l.advance(size)
	return rune(to[i])
}

func (l *lexer) unicodeEscape(at Pos, letter rune) rune {
	digits := 4
	if letter == 'U' {
		digits = 8
	}
	begin := l.pos.Offset + 1
	end := min(begin+digits, len(l.text))
	code, err := strconv.ParseUint(l.text[begin:end], 16, 32)
	if err != nil || end-begin < digits {
		panic(Errorf(at, "InvalidUnicodeLiteral", "\\%c needs %d hexadecimal digits", letter, digits))
	}
	if !utf8.ValidRune(rune(code)) {
		panic(Errorf(at, "InvalidUnicodeLiteral", "\\%c%s is not a character", letter, l.text[begin:end]))
	}
	l.advance(1 + digits)
	return rune(code)
}

// number reads an integer or a float. A point is part of the number only when a
// digit follows, so that 1..3 stays a range.
func (l *lexer) number() (Kind, string) {
	start := l.pos.Offset
	digits := func() {
		for isDigit(l.peek(0)) {
			l.advance(1)
		}
	}
	kind := Integer
	if c := l.peek(1); l.peek(0) == '0' && (c == 'x' || c == 'X' || c == 'o') {
		l.advance(2)
	} else {
		digits()
		if l.peek(0) == '.' && isDigit(l.peek(1)) {
			kind = Float
			l.advance(1)
			digits()
		}
		if c := l.peek(0); c == 'e' || c == 'E' {
			sign := 1
			if s := l.peek(1); s == '+' || s == '-' {
				sign = 2
			}
			if isDigit(l.peek(sign)) {
				kind = Float
				l.advance(sign)
				digits()
			}
		}
	}
	l.ident() // hexadecimal digits, or letters that are not part of a number
	return kind, l.text[start:l.pos.Offset]
}

func checkNumber(t Token) error {
	if t.Kind == Float {
		f, err := strconv.ParseFloat(t.Text, 64)
		switch {
		case err == nil:
			return nil
		case f > 1:
			return Errorf(t.Pos, "FloatingPointOverflow", "%s is too large for a float", t.Text)
		}
	} else if !strings.Contains(t.Text, "_") {
		_, err := parseInteger(t.Text)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, strconv.ErrRange):
			return Errorf(t.Pos, "IntegerOverflow", "%s is too large for an integer", t.Text)
		}
	}
	return Errorf(t.Pos, "InvalidNumberLiteral", "%s is not a number", t.Text)
}

// parseInteger returns the magnitude of an integer literal. The caller knows the sign and checks whether it fits.
func parseInteger(text string) (uint64, error) {
	switch {
	case len(text) > 1 && (text[1] == 'x' || text[1] == 'X'):
		return strconv.ParseUint(text[2:], 16, 64)
	case len(text) > 1 && text[1] == 'o':
		return strconv.ParseUint(text[2:], 8, 64)
	}
	return strconv.ParseUint(text, 10, 64)
}
