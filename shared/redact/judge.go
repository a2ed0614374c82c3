package redact

import "strings"

// longestJudged is how many bytes of a value are judged: its beginning shows what kind of text it is.
const longestJudged = 128

// judged returns the part of the value t.s[from:to] that is judged.
func (t *text) judged(from, to int) string {
	to = min(to, from+longestJudged)
	t.count(to - from)
	return t.s[from:to]
}

// various reports whether a value has as many different characters as a random text: xxxxxxxx and 00000000 are placeholders, not secrets.
func various(value string) bool {
	if len(value) > 40 && different(value) >= 8 {
		return different(value) >= 10 || only(value, hexadecimal|digit)
	}
	return different(value) >= min(8, len(value)/2+1)
}

// different counts the characters of a value, each once.
func different(value string) (n int) {
	var seen [256]bool
	for i := range len(value) {
		if !seen[value[i]] {
			seen[value[i]] = true
			n++
		}
	}
	return n
}

// A makeup holds what kinds of characters a value consists of.
type makeup struct {
	letters, digits, marks int
	changes                int // how often a letter follows a digit, or a digit a letter
}

func makeupOf(value string) (m makeup) {
	const atLetter, atDigit = 1, 2
	last := 0
	for i := range len(value) {
		class := 0
		switch c := value[i]; {
		case is(c, digit):
			class = atDigit
			m.digits++
		case is(c, letter):
			class = atLetter
			m.letters++
		case c > ' ':
			m.marks++
		}
		if class != 0 && last != 0 && class != last {
			m.changes++
		}
		last = class
	}
	return m
}

// madeUp reports whether a value looks generated: letters and digits alternate inside its words, or its letters belong to no language.
func madeUp(value string) bool {
	m := makeupOf(value)
	switch {
	case m.letters < 2 || !various(value):
		return false
	case m.digits >= 2 && m.changes >= max(3, len(value)/10):
		return true
	}
	return len(value) >= 16 && m.letters >= 10 && !wordy(value)
}

// weights are how often two letters follow each other in English and in names of programs: a row for the first, a column for the second,
// from a to z. Each is the binary logarithm of the frequency relative to chance, plus five. They were counted in this repository's
// documents and in Go's standard library.
const weights = "46773462615868161878554452" + "64426300531621520443600040" + "73537347607643843647533140" + "63358431731533531563532231" +
	"74786663413778465988465641" + "53455722700522640554500030" + "41427235600435630653421011" + "61237200601231620534401020" +
	"65776570112779751678260405" + "20103100201000300021300000" + "42116222500323220253201010" + "73358331703723740355522060" +
	"74437211603352661263500010" + "74777583615445642378553031" + "45763551524668560766756320" + "72437434602631650756512030" +
	"00110000100201011121500000" + "83559442705455741676543050" + "62638246704543663368624161" + "73538436802543650776523461" +
	"55545541501657350666110201" + "61217210500121420121020000" + "61125104500224520441000000" + "42434401400120140125020310" +
	"22213000300234350154102001" + "30005000200000200010000011"

// wordy reports whether a value's letters look like words, by the mean weight of their pairs. One in a hundred texts of sixteen random
// letters passes.
func wordy(value string) bool {
	sum, pairs, changes := 0, 0, 0
	for i := 1; i < len(value); i++ {
		a, b := value[i-1], value[i]
		if !is(a, letter) || !is(b, letter) {
			continue
		}
		if isLower(a) != isLower(b) {
			changes++
		}
		if isLower(a) && isUpper(b) { // a word begins
			continue
		}
		sum += int(weights[int(lower(a)-'a')*26+int(lower(b)-'a')] - '0')
		pairs++
	}
	switch {
	case changes >= 4 && changes*3 > pairs:
		return false
	case pairs < 4:
		return true
	case pairs < 8:
		return sum*10 >= pairs*43
	}
	return sum*10 >= pairs*49
}

// likeWords is wordy for lower-case letters alone, however few.
func likeWords(value string) bool {
	sum := 0
	for i := 1; i < len(value); i++ {
		sum += int(weights[int(value[i-1]-'a')*26+int(value[i]-'a')] - '0')
	}
	return sum*10 >= (len(value)-1)*45
}

func isDigits(s string) bool { return only(s, digit) }

// uuid reports whether a value has the form of a UUID.
func uuid(value string) bool {
	return len(value) == 36 && value[8] == '-' && value[13] == '-' && only(strings.ReplaceAll(value, "-", ""), hexadecimal)
}

// strong reports whether a value is a secret even if only a name stands near it.
func strong(value string) bool {
	m := makeupOf(value)
	switch {
	case len(value) < 8 || strings.ContainsAny(value, " \t") || !various(value) || m.letters == 0:
		return false
	case len(value) >= 12 && m.letters >= 11 && !wordy(value):
		return true
	case m.digits == 0:
		return false
	case m.changes >= 3 && (m.marks == 0 || m.changes >= 4 || strings.ContainsAny(value, strongMarks)):
		return true
	}
	return m.marks > 0 && m.marks <= len(value)/2 && m.letters >= 3 && strings.ContainsAny(value[:len(value)-1], strongMarks)
}

// strongMarks are marks that occur in passwords, but not in names, versions and dates.
const strongMarks = "!#^&~+@$*%?"

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
