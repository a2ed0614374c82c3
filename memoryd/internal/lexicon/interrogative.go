package lexicon

import "strings"

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
		if end == 0 {
			end = len(s)
		}
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
