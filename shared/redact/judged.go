package redact

import "strings"

// evidence is how a name and a value are connected.
type evidence struct {
	kind  link
	tight bool // name=value without blanks
}

// A link is the text between a name and its value.
type link int

const (
	assigned link = iota // = := =>
	colon                // :
	said                 // is, was, ist
	option               // --password value
	argument             // f("password", "value")
	cell                 // | password | value |
	spread               // other text between the two: a type, a line's end, words
	none                 // a blank alone
)

// secretValue reports whether a value that belongs to a name is its secret.
func (n *name) secretValue(value string, quoted bool, e evidence) bool {
	if len(value) < 4 || placeholder(value) {
		return false
	}
	if strings.ContainsAny(value, " \t\n") {
		return quoted && n.kind != secret && n.kind != granted && n.kind != login && spaced(value, e)
	}
	switch n.kind {
	case password:
		return n.isPassword(value, quoted, e)
	case login:
		return strong(value) && !jargon(value, false) && !elsewhere(value) && !code(value)
	case cookie:
		return false
	case granted:
		return madeUp(value) || len(value) >= 16 && various(value) && !wordy(value)
	}
	return n.isKey(value, quoted, e)
}

// isPassword requires a digit or mark that words of prose and code do not have inside them, letters of no language, or an environment
// variable with a value that is not a placeholder.
func (n *name) isPassword(value string, quoted bool, e evidence) bool {
	m := makeupOf(value)
	switch {
	case len(value) < 6 || !various(value) && !(isDigits(value) && different(value) > 3):
		return false
	case elsewhere(value) || jargon(value, quoted && e.kind != spread) || hashName(value):
		return false
	case !quoted && code(value) && !(e.tight && n.constant && !strings.ContainsAny(value, "(")):
		return false
	case quoted && member(value) && !strong(value):
		return false
	case strong(value):
		return e.kind != none || m.marks == 0 || !strings.ContainsAny(value, "-/_.:")
	case e.kind == spread || e.kind == none || e.kind == cell && m.digits == 0:
		return false
	}
	marks := strings.ContainsAny(value[1:len(value)-1], "!#^&~+|\\?@%$*=")
	switch {
	case n.constant && e.tight && len(value) >= 8, n.constant && (e.tight || e.kind == colon) && (m.digits > 0 || marks):
		return true
	case m.digits > 0 && m.letters > 0:
		unsure := !quoted && !e.tight && e.kind != said && e.kind != option && (strings.ContainsAny(value, "_.[-/") || len(value) < 7)
		return !unsure || m.changes >= 3 && !strings.ContainsAny(value, "_.[-/") || grouped(value)
	case marks:
		return m.letters > 0 && (quoted || !strings.ContainsAny(value, "|&?")) || m.digits > 0
	}
	return m.digits >= 8 && m.letters == 0 && m.marks == 0 && n.word != "pass"
}

// grouped reports whether a value is a password in groups, as Xk29-vbTq-81mz: capital and small letters, and digits beside letters in more
// than one group.
func grouped(value string) bool {
	mixed := 0
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("-_.", r) }) {
		if m := makeupOf(part); m.letters > 0 && m.digits > 0 {
			mixed++
		}
	}
	return mixed > 1 && strings.ToLower(value) != value && strings.ToUpper(value) != value && !strings.ContainsAny(value, "[/")
}

// isKey requires a value that looks generated.
func (n *name) isKey(value string, quoted bool, e evidence) bool {
	if elsewhere(value) || placePath(value) && !uuid(value) || code(value) {
		return false
	}
	m := makeupOf(value)
	tight := n.constant && e.tight
	switch {
	case e.kind == none:
		return len(value) >= 24 && madeUp(value) && only(value, wide)
	case n.word == "secret" && tight && len(value) >= 8 && len(value) < 16:
		return m.digits > 0 || !strings.ContainsAny(value, "-_./:")
	case n.word == "secret" && tight && len(value) >= 16 && only(value, alphanum):
		return true
	case strings.HasSuffix(n.word, "auth") || n.word == `"auth"`:
		return len(value) >= 12 && various(value) && only(value, base64) && (quoted || e.tight) && (madeUp(value) || !wordy(value))
	case n.word == "_salt" || n.word == "signature":
		return len(value) >= 24 && (madeUp(value) || quoted && strong(value) && m.marks > 3)
	case len(value) >= 16:
		return !jargon(value, false) && (madeUp(value) || m.marks > 2 && strong(value))
	}
	if e.kind != spread && e.kind != none && m.changes >= 4 && strong(value) && !jargon(value, false) && !strings.ContainsAny(value, "-_./") {
		return true
	}
	return len(value) >= 8 && (n.constant || quoted) && m.digits >= 2 && m.changes >= 3 && various(value) && e.kind != spread
}

// spaced reports whether a quoted text with blanks is a password: it has only a handful of words, and one of them is a password.
func spaced(value string, e evidence) bool {
	words := strings.Fields(value)
	if len(words) > 8 {
		return false
	}
	for _, w := range words {
		w = strings.Trim(w, ".,;:!?()")
		m := makeupOf(w)
		if len(w) >= 5 && m.letters > 1 && (m.changes >= 2 || e.tight && e.kind == assigned && m.changes == 1 && len(words) < 4) && !jargon(w, false) && !elsewhere(w) && !code(w) && is(w[0], letter) || len(w) >= 8 && strong(w) && !code(w) && !elsewhere(w) && !jargon(w, false) {
			return true
		}
	}
	return false
}

// hashName reports whether a value is the name of a hash method for passwords.
func hashName(value string) bool {
	for part := range strings.FieldsFuncSeq(strings.ToLower(value), func(r rune) bool { return strings.ContainsRune("-_/:+.,", r) }) {
		if !technical()[part] && !prose()[part] && (!isDigits(part) || len(part) > 4) {
			return false
		}
	}
	return true
}

// A passphrase is some plain words without a digit or a mark, as in passphrase = correct-horse-battery-staple. Only the name before it
// shows that it is a passphrase. Prose about passwords has as many words; one small word, or one about the subject, is enough to leave a
// text alone.

// longestPhrase bounds in bytes a passphrase.
const longestPhrase = 200

// passphrase reports whether a passphrase begins at a literal, and where it ends.
func (n *name) passphrase(t *text, l literal) (end int, ok bool) {
	if n.word == "pass" {
		return 0, false
	}
	named := strings.HasSuffix(n.word, "phrase") || n.word == "seed phrase" || n.word == "mnemonic"
	least := 4
	value, separator := t.judged(l.from, l.to), "-"
	switch {
	case !strings.ContainsAny(value, " ") && strings.Contains(value, "-"):
		if named {
			least = 3
		}
		end = l.to
	case l.quoted && strings.Contains(value, " "):
		separator, end = " ", l.to
	case !l.quoted && t.byteAt(l.to) == ' ' && named:
		stop := min(t.line(l.from), l.from+longestPhrase)
		separator, end = " ", l.from+len(strings.TrimRight(t.s[l.from:stop], " .,;:!?)\r"))
	default:
		return 0, false
	}
	if end-l.from > longestPhrase {
		return 0, false
	}
	t.count(end - l.from)
	words := strings.Split(t.s[l.from:end], separator)
	most := 10
	if named {
		most = 24
	}
	if len(words) < least || len(words) > most {
		return 0, false
	}
	for _, word := range words {
		if len(word) < 3 || len(word) > 10 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" || prose()[word] && len(words) < 12 {
			return 0, false
		}
	}
	return end, true
}
