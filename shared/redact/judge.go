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
