package find

import (
	"slices"
	"strings"
	"unicode"
)

// meaning is the kind of text that a heading or label announces.
type meaning uint8

const (
	unknown     meaning = iota // announces nothing
	accepts                    // acceptance criteria
	requires                   // requirements
	prose                      // prose; only its sentences may be criteria
	excluded                   // lists of another kind
	scenarioOne                // one scenario ("Scenario: login")
	criterion                  // one criterion ("AC1: login works")
)

// maxLabel bounds the length of a heading that can have a meaning, in bytes.
const maxLabel = 300

// meaningOf returns the meaning of a heading or label.
func meaningOf(heading string) meaning {
	if len(heading) > maxLabel {
		return unknown
	}
	key := labelKey(heading)
	if key == "" {
		return unknown
	}
	if isScenarioTitle(heading) {
		return scenarioOne
	}
	if label, _ := cutLabel(heading); label != "" {
		return criterion
	}
	words := strings.Fields(key)
	if saysWhenDone(heading, words) {
		return accepts
	}
	return phraseMeaning(key, words)
}

// saysWhenDone reports a line that introduces the list of conditions: "We consider this complete once all of these are true:".
func saysWhenDone(line string, words []string) bool {
	if len(words) < 4 || len(words) > 16 || !strings.HasSuffix(strings.TrimSpace(line), ":") {
		return false
	}
	done := slices.IndexFunc(words, finished.has)
	when := slices.IndexFunc(words, conditions.has)
	return done >= 0 && when > done && when-done <= 4 && beginners.has(words[0]) && !slices.Contains(words, "not")
}

var (
	finished   = set("done complete completed finished accepted resolved closed satisfied fertig erledigt terminé")
	conditions = set("when if once wenn sobald quand lorsque")
	beginners  = set("we this it the i you that our dies das diese ce cette")
)

// labelKey lowers a heading and keeps its words, without leading numbers, signs and emoji.
func labelKey(s string) string {
	var b strings.Builder
	space, lower := true, false
	for _, r := range s {
		if unicode.IsUpper(r) && lower { // #AcceptanceCriteria
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		r = unicode.ToLower(r)
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r) && r != 0xFE0F || unicode.IsDigit(r):
			b.WriteRune(r)
			space = false
		case r == '\'' || r == '’':
			if !space {
				b.WriteByte('\'')
			}
		case !space:
			b.WriteByte(' ')
			space = true
		}
	}
	key := strings.TrimSpace(b.String())
	for {
		first, rest, found := strings.Cut(key, " ")
		if !found || strings.Trim(first, "0123456789") != "" {
			return key
		}
		key = rest
	}
}

// cutLabel cuts an author's name for one criterion ("AC1:", "AC-2 –", "[AC 3]", "Criterion 4:") from the text, and returns both.
func cutLabel(s string) (label, rest string) {
	s = strings.TrimSpace(s)
	t := strings.TrimLeft(s, "([#*")
	word := len(t) - len(strings.TrimLeftFunc(t, unicode.IsLetter))
	if !labelWords.has(strings.ToLower(t[:word])) {
		two := strings.ToLower(t[:min(len(t), 24)])
		if !strings.HasPrefix(two, "acceptance criteria") && !strings.HasPrefix(two, "acceptance criterion") {
			return "", s
		}
		word = len("acceptance criteria")
		if strings.HasPrefix(two, "acceptance criterion") {
			word = len("acceptance criterion")
		}
	}
	at := word
	for at < len(t) && (t[at] == ' ' || t[at] == '-' || t[at] == '#' || t[at] == '_' || t[at] == '.') {
		at++
	}
	digits := at
	for at < len(t) && (t[at] >= '0' && t[at] <= '9' || t[at] == '.' && at > digits && at+1 < len(t) && t[at+1] >= '0' && t[at+1] <= '9') {
		at++
	}
	if at == digits || at-digits > 6 {
		return "", s
	}
	if at < len(t) && t[at] >= 'a' && t[at] <= 'z' && (at+1 == len(t) || !unicode.IsLetter(rune(t[at+1]))) { // AC1a
		at++
	}
	label = t[:at]
	rest = strings.TrimLeft(t[at:], " \t:.-–—)]*#|")
	if rest == t[at:] && rest != "" {
		return "", s // "AC2something"
	}
	return label, rest
}
