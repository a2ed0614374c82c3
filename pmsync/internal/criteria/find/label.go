package find

import (
	"slices"
	"strings"
	"sync"
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

// maxLabel is how long, in bytes, a heading may be to be one of ours.
const maxLabel = 300

// meaningOf reads a heading or label.
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
	return phraseMeaning(key, strings.Fields(key))
}

// maxLabelWords is how long a heading may be in which a wording is looked for.
const maxLabelWords = 8

// phraseMeaning looks for known wordings. Acceptance beats all others, so that
// "Acceptance criteria / definition of done" counts.
func phraseMeaning(key string, words []string) meaning {
	w := wordings()
	if w.accept.whole(key) || len(words) <= maxLabelWords && (w.accept.within(words) || misspelt(words)) {
		if excludesAcceptance(key) {
			return excluded
		}
		return accepts
	}
	switch {
	case w.acceptWhole.whole(key):
		return accepts
	case w.excluded.whole(key), len(words) <= maxLabelWords && w.excluded.longWithin(words), len(words) <= 3 && w.excluded.atEnd(words):
		return excluded
	case w.require.whole(key), len(words) <= 5 && w.require.atEnd(words):
		return requires
	case w.prose.whole(key), len(words) <= 5 && w.prose.within(words):
		return prose
	}
	return unknown
}

// phrases is a set of wordings that can be looked for in the words of a heading.
type phrases struct {
	all     map[string]bool
	byFirst map[string][][]string // wordings by their first word
	inside  []string              // of scripts that write without spaces
}

func newPhrases(list []string) *phrases {
	p := &phrases{all: make(map[string]bool, len(list)), byFirst: make(map[string][][]string, len(list))}
	for _, phrase := range list {
		p.all[phrase] = true
		words := strings.Fields(phrase)
		p.byFirst[words[0]] = append(p.byFirst[words[0]], words)
		if phrase[0] >= 0xE3 {
			p.inside = append(p.inside, phrase)
		}
	}
	return p
}

func (p *phrases) whole(key string) bool { return p.all[key] }

// within reports whether a wording stands anywhere among words.
func (p *phrases) within(words []string) bool {
	for i, word := range words {
		for _, phrase := range p.byFirst[word] {
			if hasPrefix(words[i:], phrase) {
				return true
			}
		}
		for _, phrase := range p.inside {
			if word[0] >= 0xE3 && strings.Contains(word, phrase) {
				return true
			}
		}
	}
	return false
}

// longWithin does the same with wordings of several words alone: a single one,
// such as "status", says little inside a longer heading.
func (p *phrases) longWithin(words []string) bool {
	for i, word := range words {
		for _, phrase := range p.byFirst[word] {
			if len(phrase) > 1 && hasPrefix(words[i:], phrase) {
				return true
			}
		}
		for _, phrase := range p.inside {
			if word[0] >= 0xE3 && strings.Contains(word, phrase) {
				return true
			}
		}
	}
	return false
}

// atEnd reports whether a wording begins or ends words.
func (p *phrases) atEnd(words []string) bool {
	for i, word := range words {
		for _, phrase := range p.byFirst[word] {
			if hasPrefix(words[i:], phrase) && (i == 0 || i+len(phrase) == len(words)) {
				return true
			}
		}
	}
	return false
}

func hasPrefix(words, phrase []string) bool {
	return len(words) >= len(phrase) && slices.Equal(words[:len(phrase)], phrase)
}

// wordings are made when the first heading is read, since most commands read
// none.
var wordings = sync.OnceValue(func() (w struct{ accept, acceptWhole, excluded, require, prose, hard *phrases }) {
	w.accept, w.acceptWhole, w.excluded = newPhrases(acceptPhrases), newPhrases(acceptWhole), newPhrases(excludedPhrases)
	w.require, w.prose, w.hard = newPhrases(requirePhrases), newPhrases(prosePhrases), newPhrases(hardPhrases)
	return w
})

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
