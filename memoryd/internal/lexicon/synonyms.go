// Package lexicon knows the English words of questions and their answers: synonyms, words that fit any question, the kind of thing a
// question asks for, and whether a text contains one. It reads no registry.
package lexicon

import (
	_ "embed"
	"strings"

	"github.com/agit-suite/agit/shared/text/words"
)

// Each line lists words that are used for each other: abbreviations and short forms first, then the different words of developers, then
// those of other people. A question searches for the others too, with less weight. The word before a colon is the general term for the
// kinds after it, which are not used for each other. A joined word ("bringup") stands for two words that a question may write apart.
//
//go:embed synonyms.txt
var synonymLines string

// Synonyms returns the stems that a stem may stand for, without the stem itself.
func Synonyms(stem string) (others []string) {
	for line := range strings.Lines(synonymLines) {
		if !mayStem(line, stem) || !holdsStem(line, stem) {
			continue
		}
		if general, _, isKinds := strings.Cut(line, ":"); isKinds && !holdsStem(general, stem) {
			line = general
		}
		for word := range strings.FieldsSeq(line) {
			if other := words.Stem(strings.TrimSuffix(word, ":")); other != stem {
				others = append(others, other)
			}
		}
	}
	return others
}

// holdsStem reports whether a word of a line has the stem.
func holdsStem(line, stem string) bool {
	for word := range strings.FieldsSeq(line) {
		if mayStem(word, stem) && words.Stem(strings.TrimSuffix(word, ":")) == stem {
			return true
		}
	}
	return false
}

// mayStem reports whether a word of a line may have the stem, because it begins alike. Stemming all lines would take a command longer than
// the search itself.
func mayStem(line, stem string) bool {
	begins := stem[:min(len(stem), 2)]
	return strings.HasPrefix(line, begins) || strings.Contains(line, " "+begins)
}

// Filler reports whether a word may be in a question about any subject, so that an answer need not contain it.
func Filler(t words.Term) bool {
	switch t.Raw {
	case "manager", "managers", "completion", "completions": // they share only a stem with a filler word
		return false
	}
	for line := range strings.Lines(fillerWords) {
		if mayStem(line, t.Text) && holdsStem(line, t.Text) {
			return true
		}
	}
	return false
}

// The words around the subject of a question: verbs, adverbs and nouns that fit every subject. Words that name a property (cost, colour,
// owner) are not among them, since an answer needs them.
//
//go:embed filler.txt
var fillerWords string

// Aimless reports whether a word, in lower case, is a verb of questions such as "how do releases work?", which does not describe their
// subject.
func Aimless(word string) bool { return aimless()[word] }

var aimless = wordsOf(`work works working happen happens handle handled manage managed behave behaves operate operates function functions go goes done`)
