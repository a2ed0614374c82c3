package uses

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind uint8

const (
	name   kind = iota // a word: identifier or keyword
	number             // begins with a digit
	quoted             // a string; its text is between the quotes
	symbol             // one character, or one of the pairs in symbols
)

// token is a piece of code. Comments and white space are not tokens.
type token struct {
	text   string
	line   int32 // from 1
	indent int16 // of its line, in columns
	kind   kind
	first  bool // on its line
	inside bool // within a string that holds code
}

// pairs are the symbols of two characters.
var pairs = map[string]bool{"::": true, "->": true, "=>": true, ":=": true, "==": true, "!=": true, "<=": true, ">=": true, "?.": true, "&&": true, "||": true, "<<": true, "+=": true, "-=": true, "*=": true, "/=": true}

// lexer walks over a text once. A malformed token ends at the end of its line or of the text.
type lexer struct {
	text   string
	family *family
	at     int
	line   int32
	fresh  bool // the line has had no token yet
	indent int16
	inside bool
	depth  int
	tokens []token
}

func (l *lexer) run() {
	for l.at < len(l.text) {
		c := l.text[l.at]
		switch {
		case c == '\n':
			if l.comment() {
				continue
			}
			l.at++
			l.line++
			l.fresh, l.indent = true, 0
		case c == ' ' || c == '\t' || c == '\r':
			switch {
			case l.fresh && c == '\t':
				l.indent += 4
			case l.fresh:
				l.indent++
			}
			l.at++
		case l.comment():
		case l.str():
		default:
			l.word()
		}
	}
}

func (l *lexer) add(k kind, text string) {
	l.tokens = append(l.tokens, token{text: text, line: l.line, indent: l.indent, kind: k, first: l.fresh, inside: l.inside})
	l.fresh = false
}

// skip moves on to an offset and counts the lines between.
func (l *lexer) skip(to int) {
	l.line += int32(strings.Count(l.text[l.at:to], "\n"))
	l.at = to
}

// comment skips a comment that begins here.
func (l *lexer) comment() bool {
	rest := l.text[l.at:]
	for _, b := range l.family.blocks {
		if strings.HasPrefix(rest, b[0]) {
			l.skip(l.at + l.blockEnd(rest, b))
			return true
		}
	}
	for _, mark := range l.family.lineComments {
		if !strings.HasPrefix(rest, mark) || mark == "#" && l.hashIsCode(rest) {
			continue
		}
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		l.at += end
		return true
	}
	return false
}

// hashIsCode recognizes $# and ${x#y} of shells and attributes of PHP.
func (l *lexer) hashIsCode(rest string) bool {
	return l.family == familyShell && l.at > 0 && !strings.ContainsRune(" \t\n;", rune(l.text[l.at-1])) ||
		l.family == familyPHP && strings.HasPrefix(rest, "#[")
}

func (l *lexer) blockEnd(rest string, b [2]string) int {
	depth := 1
	for i := len(b[0]); i < len(rest); {
		switch {
		case strings.HasPrefix(rest[i:], b[1]):
			i += len(b[1])
			if depth--; depth == 0 {
				return i
			}
		case l.family.nested && strings.HasPrefix(rest[i:], b[0]):
			i += len(b[0])
			depth++
		default:
			i++
		}
	}
	return len(rest)
}

// str reads a string that begins here.
func (l *lexer) str() bool {
	rest := l.text[l.at:]
	f := l.family
	for _, q := range f.long {
		if strings.HasPrefix(rest, q) {
			l.quote(q, len(q), true, !strings.Contains(f.rawLong, q))
			return true
		}
	}
	c := rest[0]
	switch {
	case strings.IndexByte(f.quotes, c) >= 0:
		l.quote(string(c), 1, false, !f.doubled)
		return true
	case c == '\'' && f.chars:
		return l.char(rest)
	case c == '/' && f.regexp && l.regexpMayBegin():
		return l.regexp(rest)
	}
	return false
}

// quote reads a string up to its closing delimiter.
func (l *lexer) quote(q string, open int, multi, escapes bool) {
	f, start := l.family, l.at+open
	closing := q
	if q == "[[" {
		closing = "]]"
	}
	format := f == familyPython && l.prefixed("fF")
	if f == familyPython && l.prefixed("rR") || f == familyRust && l.prefixed("r") {
		escapes = false
	}
	if f == familyRust && l.at > 0 && l.text[l.at-1] == '#' { // r#"…"#
		closing += "#"
		escapes = false
	}
	var code []string
	i := start
	for i < len(l.text) {
		c := l.text[i]
		if c == '\\' && escapes && !(f.inString == `\(` && strings.HasPrefix(l.text[i:], `\(`)) {
			i += 2
			continue
		}
		if strings.HasPrefix(l.text[i:], closing) {
			if f.doubled && strings.HasPrefix(l.text[i+len(closing):], closing) {
				i += 2 * len(closing)
				continue
			}
			break
		}
		if c == '\n' && !multi {
			break
		}
		mark := l.codeMark(q, format)
		if mark != "" && l.depth < 8 && strings.HasPrefix(l.text[i:], mark) {
			if text, end := balanced(l.text, i+len(mark), mark); end > 0 {
				code = append(code, text)
				i = end
				continue
			}
		}
		i++
	}
	i = min(i, len(l.text))
	l.add(quoted, l.text[start:i])
	for _, text := range code {
		sub := &lexer{text: text, family: f, line: l.line, inside: true, depth: l.depth + 1}
		sub.run()
		l.tokens = append(l.tokens, sub.tokens...)
	}
	if strings.HasPrefix(l.text[i:], closing) {
		i += len(closing)
	}
	l.skip(i)
}

// codeMark returns the mark that begins code within the string.
func (l *lexer) codeMark(q string, format bool) string {
	f := l.family
	switch {
	case format:
		return "{"
	case f.interpolate != "" && q == "`":
		return f.interpolate
	case q == "'" && f != familyKotlin:
		return ""
	}
	return f.inString
}

// prefixed reports whether letters before the quote hold one of set.
func (l *lexer) prefixed(set string) bool {
	for i := l.at - 1; i >= 0 && i >= l.at-3; i-- {
		c := l.text[i]
		if strings.IndexByte(set, c) >= 0 {
			return i == 0 || !isWord(l.text[i-1]) || i-1 > l.at-4 && strings.IndexByte("rRbBuUfF", l.text[i-1]) >= 0
		}
		if strings.IndexByte("rRbBuUfF#", c) < 0 {
			return false
		}
	}
	return false
}

// balanced returns the code up to the bracket that closes mark, if that is within a few lines.
func balanced(text string, from int, mark string) (code string, end int) {
	opening, closing := mark[len(mark)-1], byte('}')
	switch opening {
	case '(':
		closing = ')'
	case '$': // in shells: a bare name, or braces
		if from < len(text) && text[from] == '{' {
			from, opening = from+1, '{'
			break
		}
		i := from
		for i < len(text) && isWord(text[i]) {
			i++
		}
		return text[from:i], max(i, from)
	}
	depth := 1
	for i := from; i < len(text) && i < from+2000; i++ {
		switch text[i] {
		case opening:
			depth++
		case closing:
			if depth--; depth == 0 {
				return text[from:i], i + 1
			}
		}
	}
	return "", 0
}

// char reads 'x', '\n' and '\u0000'; any other quote begins a lifetime or a label.
func (l *lexer) char(rest string) bool {
	if len(rest) > 2 && rest[1] == '\\' {
		for i := 3; i < len(rest) && i < 14 && rest[i] != '\n'; i++ {
			if rest[i] == '\'' {
				l.add(quoted, rest[1:i])
				l.at += i + 1
				return true
			}
		}
	} else if len(rest) > 2 {
		_, size := utf8.DecodeRuneInString(rest[1:])
		if len(rest) > 1+size && rest[1+size] == '\'' {
			l.add(quoted, rest[1:1+size])
			l.at += size + 2
			return true
		}
		for i := 2; l.family == familyC && i < len(rest) && i < 6 && rest[i] != '\n'; i++ { // 'abcd'
			if rest[i] == '\'' {
				l.at += i + 1
				return true
			}
		}
	}
	l.at++
	if l.family == familyRust { // the name of a lifetime is not a use
		for l.at < len(l.text) && isWord(l.text[l.at]) {
			l.at++
		}
	}
	return true
}

func (l *lexer) regexpMayBegin() bool {
	if len(l.tokens) == 0 {
		return true
	}
	last := l.tokens[len(l.tokens)-1]
	switch last.kind {
	case number, quoted:
		return false
	case name:
		return last.text == "return" || last.text == "typeof" || last.text == "case" || last.text == "in"
	}
	return last.text != ")" && last.text != "]" && last.text != "}" && last.text != "<"
}

func (l *lexer) regexp(rest string) bool {
	class := false
	for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
		switch c := rest[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			l.add(quoted, "")
			l.at += i + 1
			for l.at < len(l.text) && isWord(l.text[l.at]) {
				l.at++
			}
			return true
		}
	}
	return false
}

// word reads a name, a number or a symbol.
func (l *lexer) word() {
	rest := l.text[l.at:]
	r, size := utf8.DecodeRuneInString(rest)
	if l.starts(r) || l.family.identifier == "$" && r == '$' || l.family == familyRuby && r == '@' {
		end := size
		for end < len(rest) {
			r, size := utf8.DecodeRuneInString(rest[end:])
			if !l.starts(r) && !unicode.IsDigit(r) {
				break
			}
			end += size
		}
		if end < len(rest) && strings.IndexByte("?!", rest[end]) >= 0 && strings.IndexByte(l.family.identifier, rest[end]) >= 0 && !strings.HasPrefix(rest[end+1:], "=") {
			end++
		}
		text := rest[:end]
		if l.family == familyPHP {
			text = strings.TrimPrefix(text, "$")
		}
		if l.family.fold {
			text = strings.ToLower(text)
		}
		l.add(name, text)
		l.at += end
		return
	}
	if r >= '0' && r <= '9' {
		end := 1
		for end < len(rest) && (isWord(rest[end]) || rest[end] == '.' && end+1 < len(rest) && rest[end+1] >= '0' && rest[end+1] <= '9') {
			end++
		}
		l.add(number, rest[:end])
		l.at += end
		return
	}
	if len(rest) > 1 && pairs[rest[:2]] {
		size = 2
	}
	l.add(symbol, rest[:size])
	l.at += size
}

func (l *lexer) starts(r rune) bool {
	return r == '_' || r == '$' && l.family == familyJS || r != utf8.RuneError && unicode.IsLetter(r)
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
