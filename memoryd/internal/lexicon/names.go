package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/text/words"
)

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
