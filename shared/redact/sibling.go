package redact

import "strings"

// A value can be in another member than its name: {"name": "DB_PASSWORD", "value": "…"}. The code below finds the two by the usual names of
// such members.

// naming are the names of members that hold a name.
var naming = set(`name key variable var id field label title parametername parameterkey parameter_key parameter_name parameter param optionname option_name setting property prop k envvar env_var env variablename secretname header column type for placeholder n`)

// holding are the names of members that hold the value.
var holding = set(`value val v default defaultvalue default_value string stringvalue string_value stringdata plaintext plain data text content parametervalue parameter_value optionvalue option_value setting_value currentvalue current secretstring secret_string result answer input raw`)

// nearSibling bounds in bytes how far apart the two members stand.
const nearSibling = 260

// sibling finds the value when the name is itself the value of a member, or the head of a block: variable "db_password" {.
func (n *name) sibling(t *text, i int) bool {
	s := t.s
	if t.byteAt(i) == '{' && n.to < i && (s[n.to] == '"' || s[n.to] == '\'' || s[n.to] == ' ') { // a block
		return n.member(t, i+1)
	}
	if !n.named(t) {
		return false
	}
	return n.member(t, n.to) || n.memberBefore(t)
}

// named reports whether the name stands as the value of a member such as name.
func (n *name) named(t *text) bool {
	s := t.s
	i := t.trim(max(0, n.from-12), n.from, "\"'`\\ \t")
	if i == n.from || i > 0 && s[i-1] == '/' { // of a path: /app/db_password
		i = t.begin(pathed, i, 60)
		i = t.trim(max(0, i-4), i, "\"'` \t")
	}
	if option := t.begin(word, i, 24); i < n.from && i > 0 && option < i && s[option] == '-' { // --name DB_PASSWORD --value x
		return naming()[strings.ToLower(strings.TrimLeft(s[option:i], "-"))]
	}
	if i == 0 || strings.IndexByte(":=>(", s[i-1]) < 0 {
		return false
	}
	if s[i-1] == '>' { // <name>DB_PASSWORD</name>
		from := strings.LastIndexByte(t.before(i, 40), '<')
		if from < 0 {
			return false
		}
		tag := t.before(i, 40)[from+1:]
		return naming()[strings.ToLower(strings.TrimRight(tag[:min(len(tag), 20)], ">"))]
	}
	i = t.trim(max(0, i-9), i-1, "\"'`\\ \t=:")
	from := t.begin(word, i, 24)
	low := strings.ToLower(s[from:i])
	return low != "" && (naming()[low] || naming()[strings.TrimLeft(low, "-")])
}

// member finds the value in a member that follows t.s[i:], up to the end of their object.
func (n *name) member(t *text, i int) bool {
	if t.nextHolding(i) > i+nearSibling {
		return false
	}
	w := t.window(i, nearSibling)
	depth, lines := 0, 0
	for k := 0; k < len(w); k++ {
		t.count(1)
		switch c := w[k]; {
		case c == '{' || c == '[' && k > 0:
			depth++
		case c == '}':
			if depth--; depth < 0 && k > 2 {
				return false
			}
		case c == '\n':
			if lines++; lines > 7 || strings.HasPrefix(strings.TrimLeft(w[k+1:], " \t"), "- ") || strings.HasPrefix(w[k:], "\n\n") {
				return false
			}
		case is(c, letter) && (k == 0 || !is(w[k-1], word) || w[k-1] == '-'):
			end := k + leading(w[k:], word)
			low := strings.ToLower(w[k:end])
			if end-k <= 20 && naming()[low] && k > 3 && low != "type" && (strings.HasPrefix(w[end:], ":") || strings.HasPrefix(w[end:], `":`) || strings.HasPrefix(w[end:], "=") || strings.HasPrefix(w[end:], ">") || strings.HasPrefix(w[end:], " =")) && w[k-1] != '/' && !strings.HasPrefix(w[max(0, k-2):], "</") {
				return false // the next one
			}
			if end-k <= 20 && holding()[low] && (n.held(t, i+end) || k > 0 && w[k-1] == '-' && end < len(w) && w[end] == ' ' && n.literalAt(t, t.blanks(i+end), evidence{kind: option})) {
				return true
			}
			k = end - 1
		}
	}
	return false
}

// held judges the value of the member whose name ends at t.s[i:].
func (n *name) held(t *text, i int) bool {
	i, _, tags := t.closers(i)
	i = t.blanks(i)
	c := t.byteAt(i)
	switch {
	case c == ':' || c == '=' || c == '>':
		i++
	case tags:
	default:
		return false
	}
	return n.literalAt(t, t.opening(t.space(i)), evidence{kind: colon})
}

// literalAt judges the literal at t.s[i:].
func (n *name) literalAt(t *text, i int, e evidence) bool {
	l, ok := t.literal(n, i, e)
	return ok && n.hidden(t, l, e)
}

// memberBefore finds the value in a member that stands before the one of the name.
func (n *name) memberBefore(t *text) bool {
	w := t.before(n.from, nearSibling)
	from := max(strings.LastIndexByte(w, '{'), strings.LastIndex(w, "- "), strings.LastIndexByte(w, '<')-60)
	if from < 0 {
		return false
	}
	base := n.from - len(w)
	for k := from; k < len(w); k++ {
		t.count(1)
		if !is(w[k], letter) || k > 0 && is(w[k-1], word) {
			continue
		}
		end := k + leading(w[k:], word)
		if end-k <= 20 && holding()[strings.ToLower(w[k:end])] && end < len(w) && n.held(t, base+end) {
			return true
		}
		k = end
	}
	return false
}

// Bounds of a table.
const (
	mostRows     = 40
	longestRow   = 1000
	mostDividers = 30
)

// column finds the values under the name where it stands in the head of a table.
func (n *name) column(t *text) (found bool) {
	if n.from > t.table.from && n.from < t.table.to {
		return false // its rows were read
	}
	from := t.bol
	if n.from-from > longestRow {
		return false
	}
	end := t.line(n.to)
	if end-from > longestRow || end >= len(t.s) {
		return false
	}
	head := t.s[from:end]
	divider := divides(head)
	if divider == "" {
		return false
	}
	t.count(len(head))
	at := strings.Count(head[:n.from-from], divider)
	total := strings.Count(head, divider)
	if total > mostDividers || divider != "|" && strings.TrimSpace(strings.Trim(n.text, "\"'")) == "" {
		return false
	}
	if divider != "|" && !n.alone(head, divider) {
		return false
	}
	for row, i := 0, end+1; row < mostRows && i < len(t.s); row++ {
		stop := t.line(i)
		if stop-i > longestRow {
			return found
		}
		text := t.s[i:stop]
		t.count(len(text))
		if got := strings.Count(text, divider); got == 0 || divider != "|" && got != total {
			if strings.Trim(text, "-+| :=\r") == "" && text != "" {
				i = stop + 1
				continue
			}
			return found
		}
		found = n.inCell(t, i, stop, at, total, divider) || found
		t.table = span{end, stop}
		i = stop + 1
	}
	return found
}

// inCell judges the cell of a row that has at dividers before it.
func (n *name) inCell(t *text, i, stop, at, total int, divider string) bool {
	doubled := strings.Count(t.s[i:stop], divider) < total && divider == "|" && at%2 == 0 && total%2 == 0 // ||a||b|| over |x|y|
	if doubled {
		at /= 2
	}
	for range at {
		k := strings.Index(t.s[i:stop], divider)
		if k < 0 {
			return false
		}
		i += k + len(divider)
	}
	i = t.opening(i)
	if i >= stop {
		return false
	}
	l, ok := t.quoted(i)
	if !ok || l.after > stop {
		if l, ok = t.bare(n, i, evidence{kind: cell}); !ok {
			return false
		}
		if k := strings.Index(t.s[i:l.to], divider); k >= 0 {
			l.to, l.after = i+k, i+k
		}
	}
	return l.to <= stop && l.to > l.from && n.hidden(t, l, evidence{kind: cell})
}

// divides is what stands between the cells of a table's head; "" for no table.
func divides(head string) string {
	for _, d := range []string{"|", "\t", ",", ";"} {
		if strings.Contains(head, d) {
			return d
		}
	}
	return ""
}

// alone reports whether the name fills its cell of a table's head, and the cells beside it hold names too.
func (n *name) alone(head, divider string) bool {
	if len(head) > 300 || strings.Contains(head, ": ") || strings.Contains(head, " = ") {
		return false
	}
	filled := false
	for cell := range strings.SplitSeq(strings.TrimRight(head, "\r"), divider) {
		cell = strings.Trim(cell, " \"'")
		if !only(strings.ReplaceAll(cell, " ", ""), dotted) || len(cell) > 40 || cell == "" || strings.Count(cell, " ") > 2 {
			return false
		}
		filled = filled || cell == n.text
	}
	return filled
}

// nextHolding returns the next place at or behind t.s[i:] of the name of a member that holds a value, or up to where there is none.
func (t *text) nextHolding(i int) int {
	if i >= t.holding.from && i < t.holding.to {
		return t.holding.to
	}
	from := i
	for limit := min(len(t.s), i+4*nearSibling); i < limit; {
		if !is(t.s[i], letter) {
			i++
			continue
		}
		end := i
		for end < len(t.s) && is(t.s[end], word) && end-i < longestName {
			end++
		}
		if end-i <= 20 && holding()[strings.ToLower(t.s[i:end])] {
			break
		}
		i = end
	}
	t.count(i - from)
	t.holding = span{from, i}
	return i
}

// inserted finds the value of a column in INSERT INTO users (name, password) VALUES ('joe', '…'): its position among the values is that of
// the name among the columns.
func (n *name) inserted(t *text, i int) bool {
	if c := t.byteAt(i); c != ',' && c != ')' {
		return false
	}
	head := t.before(n.from, nearSibling)
	open := strings.LastIndexByte(head, '(')
	if open < 0 || strings.ContainsAny(head[open:], "\"');") {
		return false
	}
	closing := t.find(')', i)
	w := t.window(closing, nearSibling)
	if closing-i > nearSibling || !hasFold(strings.TrimLeft(w[min(1, len(w)):], " \n"), "values") {
		return false
	}
	at := strings.IndexByte(w, '(')
	if at < 0 {
		return false
	}
	at += closing + 1
	for range strings.Count(head[open:], ",") {
		at = t.blanks(at)
		if l, ok := t.quoted(at); ok {
			at = l.after
		}
		comma := t.find(',', at)
		if comma-at > longestQuoted || comma >= len(t.s) {
			return false
		}
		at = comma + 1
	}
	l, ok := t.quoted(t.blanks(at))
	return ok && n.hidden(t, l, evidence{kind: argument})
}
