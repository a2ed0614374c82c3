package lexicon

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/text/words"
)

// Interrogative returns the question word of a question, with the measure behind "how" ("how many", "how long"). It is empty for a text
// without one, such as a yes-or-no question. Only English is known.
func Interrogative(question string) string {
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return r < 'a' || r > 'z' })
	for i, word := range words {
		switch word {
		case "who", "whom", "whose":
			return "who"
		case "when", "where", "why", "which", "what":
			return word
		case "how":
			if i+1 < len(words) && measures[words[i+1]] {
				return "how " + words[i+1]
			}
			return word
		}
	}
	return ""
}

var measures = map[string]bool{"many": true, "much": true, "long": true, "old": true, "often": true, "far": true, "fast": true,
	"slow": true, "big": true, "large": true, "high": true, "cold": true, "hot": true, "tall": true}

// LastSentence returns the last sentence of a text.
func LastSentence(s string) string {
	s = strings.TrimRight(s, " \n?？؟!.")
	return s[strings.LastIndexAny(s, ".!?\n")+1:]
}

// mostSaid is how many words besides its questions a turn may have and still count as only asking.
const mostSaid = 12

// OnlyAsks reports whether a text contains little besides its question.
func OnlyAsks(s string) bool {
	said := 0
	for s != "" {
		end := strings.IndexAny(s, ".!?\n") + 1
		end = cmp.Or(end, len(s))
		if sentence := s[:end]; !strings.HasSuffix(sentence, "?") {
			said += len(strings.Fields(sentence))
		}
		s = s[end:]
	}
	return said <= mostSaid
}

// Proposes reports whether a question is a proposal, which names its own subject.
func Proposes(asks string) bool {
	last := strings.ToLower(strings.TrimSpace(LastSentence(asks)))
	return strings.HasPrefix(last, "what about ") || strings.HasPrefix(last, "how about ")
}

// PointsBack reports whether a turn begins by referring to the turn before it.
func PointsBack(says string) bool {
	for first := range letters(says) {
		switch first {
		case "it", "its", "that", "this", "these", "those", "he", "she", "they", "them", "his", "her", "their", "him", "then", "so", "both", "only",
			"neither", "because", "since", "by", "with", "about", "around", "almost", "exactly", "always", "never", "within", "after", "before", "not",
			"from", "in", "at", "on", "to", "yes", "no", "yeah", "nope", "yep", "done", "half", "two", "three", "four", "five", "six", "seven", "eight",
			"nine", "ten", "eleven", "twelve", "fifteen", "twenty", "thirty", "forty", "fifty", "ninety":
			return true
		}
		return false
	}
	return true
}

// Names returns the words that a question writes with a capital, except at the beginning of a sentence.
func Names(s string) map[string]bool {
	names := map[string]bool{}
	begins := true
	for word := range strings.FieldsSeq(s) {
		if first, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(first) && !begins {
			for _, t := range words.Terms(word) {
				names[t.Raw] = true
			}
		}
		begins = strings.ContainsAny(word[len(word)-1:], ".!?:")
	}
	return names
}

// Possessions returns the words of a question right behind a person's name in the possessive.
func Possessions(s string) map[string]bool {
	had := map[string]bool{}
	follows := false
	for word := range strings.FieldsSeq(strings.ReplaceAll(s, "’", "'")) {
		if first, _ := utf8.DecodeRuneInString(word); follows && !unicode.IsUpper(first) {
			for _, t := range words.Terms(word) {
				had[t.Raw] = true
			}
		}
		first, _ := utf8.DecodeRuneInString(word)
		follows = unicode.IsUpper(first) && (strings.HasSuffix(word, "'s") || strings.HasSuffix(word, "s'"))
	}
	return had
}

// IsNumber reports whether a word consists of digits.
func IsNumber(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// WritesName reports whether a text writes a word with a capital within a sentence.
func WritesName(says, word string) bool {
	begins := true
	for w := range strings.FieldsSeq(says) {
		first, _ := utf8.DecodeRuneInString(w)
		if !begins && unicode.IsUpper(first) && len(w) >= len(word) && strings.EqualFold(w[:len(word)], word) {
			return true
		}
		begins = strings.ContainsAny(w[len(w)-1:], ".!?:")
	}
	return false
}
