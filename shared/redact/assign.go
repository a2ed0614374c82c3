package redact

import (
	"strings"
)

// look finds the secrets that belong to a name: right behind it, in a list, on the next
// line, in a sibling member, in its column, or in the sentence around it.
func (n *name) look(t *text) {
	i, quotes, tags := t.closers(n.to)
	closed := i
	before := i
	i = t.blanks(i)
	blank := i > before || i > n.to && tags
	if n.direct(t, i, quotes, tags, blank) {
		return
	}
	if n.typed(t, n.to) || n.sibling(t, i) || n.column(t) || n.inserted(t, i) {
		return
	}
	if n.heads(t, i) && n.nextLine(t, i, false) {
		return
	}
	if n.phrase(t, closed, blank) || n.behindAs(t) {
		return
	}
	if blank && n.word != `"auth"` {
		n.plain(t, i)
	}
}

// direct finds the value behind an operator.
func (n *name) direct(t *text, i int, quotes, tags, blank bool) bool {
	s := t.s
	if blank {
		i += aside(t.window(i, 60))
	}
	rest := s[i:]
	if j := t.fallback(i, quotes); j > 0 {
		return n.expression(t, j)
	}
	for _, op := range operators {
		if !strings.HasPrefix(rest, op.text) {
			continue
		}
		if op.text == "|" && i > 0 && tags {
			break
		}
		e := evidence{kind: op.kind}
		from := i + len(op.text)
		to := t.blanks(from)
		e.tight = !blank && to == from && op.kind != said
		if op.kind == colon { // "password: is x", "password: string = x"
			if n.typed(t, i) {
				return true
			}
		}
		if op.kind == said && (!blank || to == from) {
			return false
		}
		return n.value(t, to, e)
	}
	if !blank {
		if op := letterOperators.match(rest); op != "" {
			return n.value(t, t.blanks(i+len(op)), evidence{kind: said})
		}
	}
	if tags && n.from > 0 && t.between(n.from) { // an element of its own
		return n.value(t, t.opening(t.space(i)), evidence{kind: cell})
	}
	if op := copulas.match(rest); op != "" && (blank || !is(op[0], letter)) {
		return n.value(t, t.blanks(i+len(op)), evidence{kind: said})
	}
	if strings.HasPrefix(rest, "{\"") || strings.HasPrefix(rest, "{ \"") {
		return n.list(t, i, evidence{kind: argument})
	}
	atom := n.from > 0 && strings.IndexByte("({:", s[n.from-1]) >= 0
	if strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, ",") && (quotes || atom) { // f("DB_PASSWORD", "…"), setPassword("…")
		j := t.space(i + 1)
		if from, _ := t.quoteAt(j); from > 0 {
			return n.value(t, j, evidence{kind: argument, tight: true})
		}
		return n.expression(t, j)
	}
	dashed := strings.HasPrefix(n.text, "-") || n.from > 0 && s[n.from-1] == '/'
	if blank && (dashed || n.kind == granted || n.kind == password && t.byteAt(i) == '\'' || n.kind == password && (t.byteAt(i) == '"' && !quotes)) {
		return n.value(t, i, evidence{kind: option, tight: dashed})
	}
	return false
}

// fallbacks are methods and filters whose argument is the value when there is no other, or is compared with the value.
var fallbacks = byFirst(".unwrap_or(", ".unwrap_or_else(", ".orelse(", ".orelseget(", ".getorelse(", ".or_else(", ".ifempty(", ".ifblank(", ".equals(", ".equalsignorecase(", ".equals?(", ".eql?(", ".isequalto(", ".compareto(",
	"| default(", "|default(", "| default: ", "|default: ", "| default ", "or ", "?: ", "?:")

// fallback returns the start of a default value, or 0: os.environ.get("X") or "v", X.unwrap_or("v").
func (t *text) fallback(i int, quotes bool) int {
	if t.byteAt(i) == ')' && t.byteAt(i+1) == '.' { // ofNullable(password).orElse("v")
		i++
	}
	op := fallbacks.match(t.window(i, 24))
	if op == "" {
		return 0
	}
	j := t.blanks(i + len(op))
	if op[0] == '.' || strings.HasSuffix(op, "(") {
		if strings.HasPrefix(t.window(j, 4), "|_| ") {
			j += len("|_| ")
		}
	} else if op == "or " && !quotes {
		return 0
	}
	if from, _ := t.quoteAt(j); from == 0 {
		return 0
	}
	return j
}

// value judges the text at t.s[i:], behind an operator.
func (n *name) value(t *text, i int, e evidence) bool {
	i = t.opening(i)
	if n.kind == granted || n.kind == secret {
		i += len(schemes.match(t.window(i, 24)))
	}
	switch c := t.byteAt(i); {
	case c == '\n' || c == '\r' || c == 0 || c == '#' && t.byteAt(i-1) == ' ' || (c == '|' || c == '>') && e.kind == colon && t.indicator(i):
		return n.nextLine(t, i, c == '|' || c == '>')
	case (c == '[' || c == '{' && e.kind != cell || c == '(') && (c != '{' || t.byteAt(i+1) != '{'):
		if n.list(t, i, e) {
			return true
		}
		if c == '{' {
			return n.member(t, i+1)
		}
	}
	if n.kind == cookie {
		return n.cookies(t, i)
	}
	if l, ok := t.quoted(i); ok {
		if n.hidden(t, l, e) {
			n.more(t, l, e)
			return true
		}
		if (e.kind == assigned || e.kind == argument) && n.expression(t, l.after) {
			return true
		}
		return n.kind == login && n.second(t, l.after, e)
	}
	if e.kind == argument {
		return false
	}
	if from, _ := t.quoteAt(i); from > 0 { // quotes that do not end
		i = from
	}
	l, ok := t.bare(n, i, e)
	if !ok {
		return e.kind == assigned && n.expression(t, i)
	}
	if n.kind == login && n.second(t, l.after, e) {
		return true
	}
	if n.hidden(t, l, e) {
		n.rest(t, l, e)
		return true
	}
	return (e.kind == assigned || e.kind == colon) && n.expression(t, i)
}

// hidden adds the literal if it is a secret.
func (n *name) hidden(t *text, l literal, e evidence) bool {
	value := t.judged(l.from, l.to)
	if n.kind == login && !l.quoted {
		if user, pass, ok := strings.Cut(value, ":"); ok && user != "" {
			value = pass
			l.from += len(user) + 1
		} else if user, pass, ok = strings.Cut(value, "/"); ok && user != "" {
			value = pass
			l.from += len(user) + 1
		} else if len(value) < 32 || !madeUp(value) || !only(value, word) {
			return false
		}
	}
	if value == "" {
		return false
	}
	ok := n.secretValue(value, l.quoted, e)
	if !ok && n.kind == password && e.kind != none && e.kind != spread {
		var end int
		if end, ok = n.passphrase(t, l); ok {
			l.to = max(l.to, end)
		}
	}
	if !ok {
		return false
	}
	kind := n.told()
	if l.to-l.from == 40 && strings.Contains(strings.ToLower(n.text), "aws") {
		kind = "AWS key"
	}
	t.add(l.from, l.to, kind, rankAssigned)
	return true
}

// more continues behind a quoted secret: with texts that are joined to it, and with the next items of its list.
func (n *name) more(t *text, l literal, e evidence) {
	for range 50 {
		i := t.space(l.after)
		switch c := t.byteAt(i); {
		case c == '+' || c == '.' && t.byteAt(i+1) != '.' || c == '&' || c == '\\':
			i++
		case c == '.' || c == '|' && t.byteAt(i+1) == '|' || c == '<' && t.byteAt(i+1) == '>':
			i += 2
		case i > l.after && (c == '"' || c == '\'') && c == t.byteAt(l.after-1) && e.kind == assigned && strings.IndexByte(t.s[l.after:i], '\n') >= 0:
		default:
			return
		}
		next, ok := t.quoted(t.space(i))
		if !ok || next.to-next.from < 4 || placeholder(t.judged(next.from, next.to)) {
			return
		}
		t.add(next.from, next.to, n.kind, rankAssigned)
		l = next
	}
}

// rest continues behind an unquoted value that is part of a list with commas: API_KEYS=a,b.
func (n *name) rest(t *text, l literal, e evidence) {
	if e.kind != assigned && e.kind != colon {
		return
	}
	for range 20 {
		i := l.after
		if t.byteAt(i) != ',' {
			return
		}
		next, ok := t.bare(n, t.blanks(i+1), evidence{kind: spread})
		if !ok || !n.hidden(t, next, evidence{kind: spread}) {
			return
		}
		l = next
	}
}

// second finds the password behind a user's name: joe / x, joe:x, joe with password x.
func (n *name) second(t *text, i int, e evidence) bool {
	i = t.blanks(i)
	if c := t.byteAt(i); c != '/' && c != ':' && c != ',' && c != '|' {
		return false
	}
	i = t.opening(t.blanks(i + 1))
	l, ok := t.literal(n, i, e)
	return ok && n.judgedSecond(t, l)
}

func (n *name) judgedSecond(t *text, l literal) bool {
	value := t.judged(l.from, l.to)
	if value == "" || placeholder(value) || !strong(value) || jargon(value, l.quoted) || elsewhere(value) || code(value) {
		return false
	}
	t.add(l.from, l.to, password, rankAssigned)
	return true
}

// cookies adds the value of a Cookie header if it lets someone in, and reports whether it does.
func (n *name) cookies(t *text, i int) bool {
	if from, _ := t.quoteAt(i); from > 0 {
		i = from
	}
	if i < t.header {
		return false // it was read together with an earlier name
	}
	end := min(t.line(i), i+2048)
	t.header = end
	end = i + len(upTo(t.s[i:end], "\"'`<"))
	t.count(end - i)
	if !sessionCookie(t.s[i:end]) {
		return false
	}
	end = t.trim(i, end, " \t\r.,:!?*)")
	t.add(i, end, cookie, rankAssigned)
	return true
}

// sessionCookie reports whether a Cookie header lets someone in.
func sessionCookie(header string) bool {
	for pair := range strings.SplitSeq(header, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if value == "" || placeholder(value) || len(value) < 8 {
			continue
		}
		value = value[:min(len(value), longestJudged)]
		name = strings.ToLower(name)
		for _, telling := range []string{"sess", "sid", "auth", "token", "jwt", "sso", "login", "remember"} {
			if strings.Contains(name, telling) && (madeUp(value) || strings.ContainsAny(value, "0123456789")) {
				return true
			}
		}
		if len(value) >= 20 && madeUp(value) {
			return true
		}
	}
	return false
}

// plain finds a value after its name with only a blank between the two: requirepass x, use token x there.
func (n *name) plain(t *text, i int) {
	if n.word == "credential" || n.kind == login || n.kind == cookie {
		return
	}
	i = t.opening(i)
	if c := t.byteAt(i); c == '[' || c == '(' || c == '<' {
		i++
	}
	l, ok := t.literal(n, i, evidence{kind: none})
	if !ok {
		return
	}
	e := evidence{kind: none}
	if n.kind == password && !l.quoted && n.directive(t, l) {
		e.kind = option
		if value := t.judged(l.from, l.to); makeupOf(value).changes < 2 && !strong(value) {
			return
		}
	}
	if l.quoted && !strong(t.judged(l.from, l.to)) {
		return
	}
	n.hidden(t, l, e)
}

// directive reports whether name and value fill their line, as in settings files: bindpw x.
func (n *name) directive(t *text, l literal) bool {
	from := t.begin(indent, n.from, 40)
	return (from == 0 || t.s[from-1] == '\n') && (t.byteAt(l.after) == 0 || t.byteAt(l.after) == '\n' || t.byteAt(l.after) == '\r')
}
