package redact

import (
	"strings"
	"unicode/utf8"
)

// A literal is a value as it stands in a text.
type literal struct {
	from, to int  // without its quotes
	after    int  // behind its quotes
	quoted   bool // it stands in quotes
}

// Bounds in bytes.
const (
	longestQuoted = 8 << 10
	longestStyled = 400 // of what tags hold
	mostEscaped   = 32  // quotes inside a quoted value
)

// pairsOfQuotes open and close, beside the three of programs.
var pairsOfQuotes = [][2]string{{"“", "”"}, {"„", "“"}, {"«", "»"}, {"‘", "’"}, {"「", "」"}, {"『", "』"}, {"&quot;", "&quot;"}, {"&#34;", "&#34;"}, {"&#39;", "&#39;"}, {"&#x27;", "&#x27;"}, {"{{", "}}"}, {"{code}", "{code}"}, {"{noformat}", "{noformat}"}}

// quoteAt returns the start of the text of the quotes that begin at t.s[i:], including a language's prefix: b"…", @"…", r#"…"#. It also
// returns how many backslashes precede the quote; 0 for no quotes.
func (t *text) quoteAt(i int) (from, escapes int) {
	for n := 0; n < 4 && strings.IndexByte("bBrRfFuULNEe@$#", t.byteAt(i)) >= 0; n++ {
		i++
	}
	for t.byteAt(i) == '\\' && escapes < 8 {
		i++
		escapes++
	}
	if strings.IndexByte("\"'`", t.byteAt(i)) < 0 || t.byteAt(i) == 0 {
		return 0, 0
	}
	return i + 1, escapes
}

// quoted reads the quoted text that begins at t.s[i:].
func (t *text) quoted(i int) (l literal, ok bool) {
	for _, q := range pairsOfQuotes {
		if strings.HasPrefix(t.s[i:], q[0]) {
			from := i + len(q[0])
			w := t.window(from, longestStyled)
			t.count(len(q[0]))
			if end := strings.Index(w, q[1]); end > 0 && (q[0] != "{{" || !strings.ContainsAny(w[:end], " \n$")) {
				t.count(end)
				return literal{from, from + end, from + end + len(q[1]), true}, true
			}
			return l, false
		}
	}
	from, escapes := t.quoteAt(i)
	if from == 0 {
		return l, false
	}
	c := t.s[from-1]
	triple := strings.HasPrefix(t.s[from:], string([]byte{c, c})) && escapes == 0
	limit := min(len(t.s), from+longestQuoted)
	if triple {
		from += 2
	} else {
		limit = min(limit, t.line(from))
	}
	at := from
	for range mostEscaped {
		at = t.find(c, at)
		if at >= limit {
			return l, false
		}
		slashes := at - t.begin(backslash, at, 16)
		switch {
		case triple && !strings.HasPrefix(t.s[at:], string([]byte{c, c, c})), escapes == 0 && slashes%2 == 1 && c != '`', escapes > 0 && slashes > escapes:
		case escapes == 0 && c != '`' && t.byteAt(at+1) == c && is(t.byteAt(at+2), alphanum) && at > from: // doubled
			at++
		default:
			if escapes > 0 && slashes <= escapes {
				return literal{from, at - slashes, at + 1, true}, true
			}
			return literal{from, at, at + 1, true}, true
		}
		at++
	}
	return l, false
}

// literal reads a value, in quotes or without.
func (t *text) literal(n *name, i int, e evidence) (l literal, ok bool) {
	if l, ok = t.quoted(i); !ok {
		l, ok = t.bare(n, i, e)
	}
	return l, ok
}

// bare reads the value without quotes that begins at t.s[i:].
func (t *text) bare(n *name, i int, e evidence) (l literal, ok bool) {
	end := t.end(written, i)
	for end < len(t.s) && t.s[end] >= utf8.RuneSelf && isLetterAt(t.s, end) && t.s[end] < 0xe0 && end-i < longestJudged {
		_, size := utf8.DecodeRuneInString(t.s[end:])
		end = t.end(written, end+size)
	}
	if n.kind == password && e.tight && t.byteAt(end) == '\'' && is(t.byteAt(end+1), alphanum) && end > i {
		end = t.end(written, end+1)
	}
	to := min(end, i+longestJudged)
	t.count(to - i)
	for j := i; j < to; j++ {
		if t.stops(n, i, j, e) {
			end = j
			break
		}
	}
	for end > i && strings.IndexByte(".,:!?*)_", t.s[end-1]) >= 0 && !(e.tight && n.constant && t.s[end-1] != ',') {
		end--
	}
	for n.constant && end > i && n.from > 0 && t.s[n.from-1] == '(' && strings.IndexByte(".,:)", t.s[end-1]) >= 0 {
		end--
	}
	return literal{i, end, end, false}, end > i
}

// stops reports whether the character at t.s[j] ends the unquoted value that begins at t.s[i:].
func (t *text) stops(n *name, i, j int, e evidence) bool {
	switch t.s[j] {
	case ';', '<', '>':
		return true
	case '{', '}':
		return !(e.tight && n.constant) || t.s[j] == '}' && j+1 >= len(t.s)
	case '&':
		return n.from > 0 && strings.IndexByte("?&", t.s[n.from-1]) >= 0 || strings.HasPrefix(t.s[j:], "&amp;") || strings.HasPrefix(t.s[j:], "&quot;") || strings.HasPrefix(t.s[j:], "&lt;") || strings.HasPrefix(t.s[j:], "&#")
	case ',':
		return strings.ContainsAny(upTo(t.window(j+1, 40), ", \n"), "=:\"'")
	case '\\':
		c := t.byteAt(j + 1)
		return c != 0 && strings.IndexByte("\"'nrt", c) >= 0 || j+1 >= len(t.s) || c == '\n'
	case '[':
		return j == i
	case ']':
		return j == i || j+1 >= len(t.s) || !is(t.s[j+1], alphanum) && strings.IndexByte(t.s[i:j], '[') < 0
	case ')':
		return !is(t.byteAt(j+1), alphanum) && strings.IndexByte(t.s[i:j], '(') < 0 && !(e.tight && n.constant)
	case '|':
		return e.kind == cell || e.kind == spread
	}
	return false
}
