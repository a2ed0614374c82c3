package redact

import "strings"

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
