package find

import (
	"slices"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/text"
)

// maxLabelWords bounds the length, in words, of a heading that is searched for wordings.
const maxLabelWords = 8

// phraseMeaning looks for known wordings. Acceptance wins over all others, so that "Acceptance criteria / definition of done" counts.
func phraseMeaning(key string, words []string) meaning {
	w := wordings()
	if w.accept.whole(key) || len(words) <= maxLabelWords && (w.accept.within(words, 1) || misspelt(words)) {
		if excludesAcceptance(key, words) {
			return excluded
		}
		return accepts
	}
	switch {
	case w.acceptWhole.whole(key):
		return accepts
	case namesThings(words), words[0] == "checklist", w.excluded.whole(key), len(words) <= maxLabelWords && w.excluded.within(words, 2), len(words) <= 3 && w.excluded.atEnd(words):
		return excluded
	case w.require.whole(key), len(words) <= 5 && w.require.atEnd(words):
		return requires
	case w.prose.whole(key), len(words) <= 5 && w.prose.within(words, 1):
		return prose
	}
	return unknown
}

// phrases is a set of wordings to look for in the words of a heading.
type phrases struct {
	all     map[string]bool
	byFirst map[string][][]string // wordings by their first word
	inside  []string              // in scripts without spaces between words
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

// within reports whether a wording of at least so many words occurs anywhere among words. A single word, such as "status", means little
// inside a longer heading.
func (p *phrases) within(words []string, atLeast int) bool {
	for i, word := range words {
		for _, phrase := range p.byFirst[word] {
			if len(phrase) >= atLeast && hasPrefix(words[i:], phrase) {
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

// wordings are made when the first heading is read, since most commands read none.
var wordings = sync.OnceValue(func() (w struct{ accept, acceptTests, acceptWhole, excluded, require, prose, groups *phrases }) {
	w.accept, w.acceptTests = newPhrases(slices.Concat(acceptPhrases, acceptTestPhrases)), newPhrases(acceptTestPhrases)
	w.acceptWhole, w.excluded = newPhrases(acceptWhole), newPhrases(excludedPhrases)
	w.require, w.prose, w.groups = newPhrases(requirePhrases), newPhrases(prosePhrases), newPhrases(groupPhrases)
	return w
})

// excludesAcceptance reports headings that name criteria only to mark them as missing, met or outdated, or as those of a standard ("WCAG
// success criteria") or of another ticket.
func excludesAcceptance(key string, words []string) bool {
	if words[len(words)-1] == "met" || slices.Contains(words, "wcag") && !slices.Contains(words, "acceptance") || ofAnotherTicket(words) ||
		startsWith(key, "not ", "no ", "non ", "out of scope ") {
		return true
	}
	return slices.ContainsFunc(outdated, func(p string) bool { return strings.HasPrefix(key, p+" ") || strings.HasSuffix(key, " "+p) }) || slices.ContainsFunc(forReference, func(p string) bool { return strings.Contains(key, p) })
}

// outdated, at either end of a heading, marks its section as no longer valid; forReference, anywhere in it, as never valid for this ticket.
var (
	outdated     = []string{"old", "previous", "previously", "obsolete", "outdated", "deprecated", "superseded", "replaced", "veraltet", "alt", "alte", "bisherige", "obsolète", "obsolètes", "anciens", "obsoleto", "obsoletos"}
	forReference = []string{"for reference", "do not use", "don't use", "no longer valid", "no longer apply", "copied from", "taken from", "zur referenz", "nicht mehr gültig", "nicht verwenden", "pour référence", "pour mémoire", "ne plus utiliser", "como referencia", "ya no válidos"}
)

// ofAnotherTicket reports "acceptance criteria of ACC 77": a ticket does not name itself so. "For" decides nothing, since a ticket does
// name itself in "criteria for ACC-77".
func ofAnotherTicket(words []string) bool {
	for i, word := range words {
		if i+2 < len(words) && (word == "of" || word == "from" || word == "von" || word == "aus" || word == "de") &&
			len(words[i+1]) <= 10 && !slices.Contains(countedThings, words[i+1]) && strings.Trim(words[i+2], "0123456789") == "" {
			return true
		}
	}
	return false
}

// countedThings are numbered parts of one ticket.
var countedThings = []string{"phase", "step", "part", "release", "version", "sprint", "milestone", "iteration", "stage", "scenario", "story", "teil", "schritt", "étape"}

// misspelt recognises near misses of "acceptance criteria".
func misspelt(words []string) bool {
	for i := 0; i+1 < len(words); i++ {
		if len(words[i]) >= 8 && text.Distance(words[i], "acceptance", 4) < 4 && len(words[i+1]) >= 6 && text.Distance(words[i+1], "criteria", 4) < 4 {
			return true
		}
	}
	return false
}

// namesThings reports headings of lists of things to work on: "Files to change", "Indexes to create".
func namesThings(words []string) bool {
	n := len(words)
	return n >= 3 && n <= 6 && words[n-2] == "to" && !slices.Contains(words, "how") && works.has(words[n-1]) ||
		n >= 5 && n <= 8 && slices.Contains(words, "files") && slices.Contains(words, "to")
}

var works = set("create modify change migrate update touch review delete remove edit refactor move rename replace convert investigate audit")
