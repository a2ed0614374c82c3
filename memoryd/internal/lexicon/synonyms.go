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
