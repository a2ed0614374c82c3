package redact

import (
	"strings"
)

// space skips white space, including line ends, of at most 200 bytes.
func (t *text) space(i int) int {
	for n := 0; n < 200 && i < len(t.s); n++ {
		j := t.blanks(i)
		if c := t.byteAt(j); c == '\n' || c == '\r' {
			j++
		}
		if j == i {
			break
		}
		t.count(j - i)
		i = j
	}
	return i
}

// between reports whether t.s[i:] is the text of an element, right behind a tag.
func (t *text) between(i int) bool {
	i = t.trim(max(0, i-24), i, " \t\n*_\"'`")
	return i > 0 && t.s[i-1] == '>'
}

// typed finds a value behind a declared type: const apiToken string = "…". The value is quoted or an expression.
func (n *name) typed(t *text, i int) bool {
	w := upTo(t.window(i, 90), "\n")
	depth := 0
	for k := 0; k < len(w); k++ {
		t.count(1)
		switch c := w[k]; {
		case c == '<' || c == '{' || c == '(' || c == '[':
			depth++
		case c == '>' || c == '}' || c == ')' || c == ']':
			depth--
		case c == '=' && depth <= 0:
			if k == 0 || strings.IndexByte("=!<>~+-", w[k-1]) >= 0 || k+1 < len(w) && (w[k+1] == '=' || w[k+1] == '>' || w[k+1] == '~') {
				return false
			}
			j := t.opening(i + k + 1)
			if l, ok := t.quoted(j); ok && n.hidden(t, l, evidence{kind: assigned}) {
				n.more(t, l, evidence{kind: assigned})
				return true
			}
			return n.expression(t, j)
		case c == ';' && depth <= 0, c == ',' && depth <= 0, c == '"' || c == '`' || c == '#' || c == '$' || c == '%' || c == '/' || c == '+' || c == '~' || c == '\\':
			return false
		case c == '\'' && !(k+1 < len(w) && isLower(w[k+1]) && k > 0 && w[k-1] == '&'): // &'static
			return false
		case depth < 0 && c != ' ':
			return false
		case strings.HasPrefix(w[k:], "default '") || strings.HasPrefix(w[k:], "DEFAULT '"):
			return n.value(t, i+k+len("default "), evidence{kind: assigned})
		}
	}
	return false
}

// shellName reports whether a name in ${ stands before t.s[i:].
func (t *text) shellName(i int) bool {
	before := t.before(i, 80)
	t.count(len(before))
	_, name, ok := strings.Cut(before[strings.LastIndexByte(before, '$')+1:], "{")
	return ok && name != "" && only(name, word)
}

// longestExpression is how many bytes of an expression are searched for a value.
const longestExpression = 160

// expression finds the secrets among the texts in quotes of an expression, on its line:
// []byte("…"), getenv("X") || "…".
func (n *name) expression(t *text, i int) bool {
	end := min(t.line(i), i+longestExpression)
	found := false
	if min(t.find('"', i), t.find('\'', i), t.find('`', i), t.find('}', i)) >= end {
		return false
	}
	for depth := 0; i < end; i++ {
		t.count(1)
		switch c := t.s[i]; {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth < 0 {
				return found
			}
		case c == ';' || c == ',' && depth == 0 || c == '#' && t.byteAt(i-1) == ' ':
			return found
		case c == ':' && t.byteAt(i+1) == '-' || c == ':' && t.byteAt(i+1) == '=' || c == ':' && depth > 0 && is(t.byteAt(i-1), word) && is(t.byteAt(i+1), alphanum) || (c == '-' || c == '=') && t.shellName(i): // ${X:-v}, ${X-v}
			from := i + 1
			if c == ':' && strings.IndexByte("-=", t.s[from]) >= 0 {
				from++
			}
			to := from
			for to < end && strings.IndexByte("}) \"'\n", t.s[to]) < 0 {
				to++
			}
			if to > from && t.byteAt(to) == '}' && n.hidden(t, literal{from, to, to, false}, evidence{kind: assigned, tight: true}) {
				return true
			}
		case c == '"' || c == '\'' || c == '`':
			l, ok := t.quoted(i)
			if !ok {
				return found
			}
			if value := t.judged(l.from, l.to); value != "" && !is(t.byteAt(i-1), alphanum) || strings.IndexByte("bBrRfFuULNEe", t.byteAt(i-1)) >= 0 {
				if value != "" && (strong(value) || n.kind != password && madeUp(value)) && n.secretValue(value, true, evidence{kind: spread}) {
					t.add(l.from, l.to, n.told(), rankAssigned)
					found = true
				}
			}
			i = l.after - 1
		}
	}
	return found
}

// told returns the kind that is written in place of the name's secrets.
func (n *name) told() string {
	if n.kind == login {
		return password
	}
	return n.kind
}

// list finds the secrets of a list: ["…", "…"], [x, y], {"…"}.
func (n *name) list(t *text, i int, e evidence) (found bool) {
	e.tight = false
	i++
	for limit := i + 512; i < min(limit, len(t.s)); {
		i = t.space(i)
		if strings.IndexByte("[({", t.byteAt(i)) >= 0 && t.byteAt(i) != 0 {
			return found
		}
		l, ok := t.quoted(i)
		if !ok {
			if l, ok = t.bare(n, i, evidence{kind: spread}); !ok {
				return found
			}
			e.kind = spread
		}
		next := t.space(l.after)
		c := t.byteAt(next)
		if c == ':' || c == '=' && l.quoted {
			return found
		}
		if n.hidden(t, l, e) {
			found = true
			limit = l.after + 512
		}
		if c != ',' {
			return found
		}
		i = next + 1
	}
	return found
}

// heads reports whether the name fills its line, as a heading does.
func (n *name) heads(t *text, i int) bool {
	if c := t.byteAt(i); c != '\n' && c != '\r' {
		return false
	}
	from := t.trim(max(0, n.from-12), n.from, "# *_=`\"")
	return from == 0 || t.s[from-1] == '\n'
}

// indicator reports whether the | or > at t.s[i] begins a block of YAML.
func (t *text) indicator(i int) bool {
	for i++; strings.IndexByte("+-123456789", t.byteAt(i)) >= 0 && t.byteAt(i) != 0; i++ {
	}
	i = t.blanks(i)
	return t.byteAt(i) == '\n' || t.byteAt(i) == '\r' || t.byteAt(i) == '#'
}

// mostBlank is how many empty lines may stand between a name and its value.
const mostBlank = 2

// nextLine finds the value, or the list of values, in the lines after the name's line.
func (n *name) nextLine(t *text, i int, block bool) (found bool) {
	i = t.line(i)
	fenced := false
	for skipped, items := 0, 0; i < len(t.s) && items < 50; {
		i++ // the line's end
		end := t.line(i)
		from := t.end(indent, i)
		if t.byteAt(from) == '\r' || from == end {
			if skipped++; skipped > mostBlank || items > 0 {
				return found
			}
			i = end
			continue
		}
		if end-from > longestQuoted {
			return found
		}
		if (strings.HasPrefix(t.s[from:], "```") || strings.HasPrefix(t.s[from:], "{code") || strings.HasPrefix(t.s[from:], "{noformat") || strings.HasPrefix(t.s[from:], "'''")) && !fenced {
			fenced = true
			i = end
			continue
		}
		bullet := false
		for _, b := range []string{"- ", "* ", "+ ", "• ", "> "} {
			if strings.HasPrefix(t.s[from:end], b) {
				from, bullet = t.end(indent, from+len(b)), true
			}
		}
		from = t.opening(from)
		if from >= end {
			return found
		}
		e := evidence{kind: spread}
		if block {
			e.kind = colon
		}
		l, ok := t.literal(n, from, e)
		if !ok || !t.ended(l.after, end) || !n.hidden(t, l, e) {
			return found || items == 0 && n.below(t, i)
		}
		found = true
		if items++; !bullet && (block || !l.quoted) {
			return true
		}
		i = end
	}
	return found
}

// below finds the value in the member of a YAML block that begins at t.s[i:] and is indented more than its name.
func (n *name) below(t *text, i int) bool {
	if t.trim(t.bol, n.from, " \t-\"'") != t.bol {
		return false
	}
	for row := 0; row < 6 && i < len(t.s); row++ {
		end := t.line(i)
		from := t.end(indent, i)
		if from-i <= n.from-t.bol || from >= end {
			return false
		}
		stop := t.end(word, from)
		t.count(stop - from)
		if stop-from <= 20 && holding()[strings.ToLower(t.s[from:stop])] && t.byteAt(stop) == ':' && n.literalAt(t, t.opening(stop+1), evidence{kind: colon}) {
			return true
		}
		i = end + 1
	}
	return false
}

// ended reports whether t.s[i:end] holds only marks.
func (t *text) ended(i, end int) bool {
	rest := t.s[i:max(i, min(end, i+60))]
	t.count(len(rest))
	return strings.HasPrefix(rest, "</") || strings.Trim(rest, " \t\r\"'`,;.)]}*_!|\\") == ""
}
