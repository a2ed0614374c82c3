package lexicon

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/text/words"
)

// Synonyms are looked up by the beginning of a stem, which must be that of its word. The kinds of a thing stand only for the thing, not for
// each other.
func TestListsAreFoundByStem(t *testing.T) {
	for line := range strings.Lines(synonymLines) {
		general, kinds, isKinds := strings.Cut(line, ":")
		for _, stem := range stemsOf(line) {
			others := stemsOf(line)
			if isKinds && !slices.Contains(stemsOf(general), stem) {
				others = stemsOf(general)
			}
			for _, other := range others {
				if other != stem && !slices.Contains(Synonyms(stem), other) {
					t.Errorf("%s does not stand for %s", other, stem)
				}
			}
		}
		if isKinds && len(stemsOf(kinds)) == 0 {
			t.Errorf("%q has no kinds", line)
		}
	}
	if slices.Contains(Synonyms("firefox"), "chrome") {
		t.Error("one kind of browser stands for another")
	}
	for _, word := range words.Terms(fillerWords) {
		if !Filler(word) {
			t.Errorf("%s is not a filler", word.Raw)
		}
	}
}

func stemsOf(s string) (stems []string) {
	for _, t := range words.Terms(s) {
		stems = append(stems, t.Text)
	}
	return stems
}
