package find

import (
	"strings"
	"unicode"

	"github.com/agit-suite/agit/shared/text"
)

// meaning is what a heading or label says about what stands below it.
type meaning uint8

const (
	unknown     meaning = iota // says nothing
	accepts                    // acceptance criteria
	requires                   // requirements
	prose                      // text that may hold criteria as sentences only
	excluded                   // lists of another kind
	scenarioOne                // one scenario ("Scenario: login")
	criterion                  // one criterion ("AC1: login works")
)

// meaningOf reads a heading or label.
func meaningOf(heading string) meaning {
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
	if m := phraseMeaning(key, words); m != unknown {
		return m
	}
	return unknown
}

// phraseMeaning looks for known wordings. Acceptance beats all others, so that
// "Acceptance criteria / definition of done" counts.
func phraseMeaning(key string, words []string) meaning {
	short := len(words) <= 8
	for _, p := range acceptPhrases {
		if key == p || short && containsWords(key, p) {
			if excludesAcceptance(key) {
				return excluded
			}
			return accepts
		}
	}
	if short && misspelt(words) {
		return accepts
	}
	for _, p := range acceptWhole {
		if key == p {
			return accepts
		}
	}
	for _, p := range excludedPhrases {
		if key == p || short && containsWords(key, p) {
			return excluded
		}
	}
	for _, p := range requirePhrases {
		if key == p || len(words) <= 5 && (strings.HasPrefix(key, p+" ") || strings.HasSuffix(key, " "+p)) {
			return requires
		}
	}
	for _, p := range prosePhrases {
		if key == p || len(words) <= 5 && containsWords(key, p) {
			return prose
		}
	}
	return unknown
}

// excludesAcceptance reports headings that name criteria to say that they are
// not here.
func excludesAcceptance(key string) bool {
	for _, p := range []string{"not", "no", "non", "old", "previous", "obsolete", "out of scope"} {
		if strings.HasPrefix(key, p+" ") {
			return true
		}
	}
	return false
}

// misspelt recognises "acceptence critera" and the like.
func misspelt(words []string) bool {
	for i := 0; i+1 < len(words); i++ {
		if len(words[i]) >= 8 && text.Distance(words[i], "acceptance", 4) < 4 && len(words[i+1]) >= 6 && text.Distance(words[i+1], "criteria", 4) < 4 {
			return true
		}
	}
	return false
}

// labelKey lowers a heading and keeps its words: without numbers before it,
// signs, emoji, and what stands in brackets behind it.
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

// containsWords reports whether phrase stands in key as whole words. Scripts
// without spaces have no words to compare.
func containsWords(key, phrase string) bool {
	if phrase[0] >= 0xE0 { // CJK and others
		return strings.Contains(key, phrase)
	}
	for from := 0; ; {
		at := strings.Index(key[from:], phrase)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(phrase)
		if (at == 0 || key[at-1] == ' ') && (end == len(key) || key[end] == ' ' || key[end] == '\'') {
			return true
		}
		from = at + 1
	}
}

// cutLabel cuts the name that an author gives to one criterion ("AC1:", "AC-2 –",
// "[AC 3]", "Criterion 4:") from the text, and returns both.
func cutLabel(s string) (label, rest string) {
	s = strings.TrimSpace(s)
	t := strings.TrimLeft(s, "([#*")
	word := len(t) - len(strings.TrimLeftFunc(t, unicode.IsLetter))
	if !labelWords[strings.ToLower(t[:word])] {
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
