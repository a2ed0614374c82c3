package words

import (
	"strings"
	"sync"
)

// Empty reports whether a folded word is so common in English that it does not tell texts apart; it is neither indexed nor searched for.
func Empty(word string) bool {
	if len(word) > 5 {
		return false
	}
	switch word {
	case "a", "an", "the", "of", "to", "and", "or", "in", "on", "at", "by", "is", "it", "as", "be", "are", "was", "were", "been",
		"am", "for", "with", "that", "this", "from", "s", "t":
		return true
	}
	return false
}

// Weak reports whether a folded word is a question word or a connecting word, which
// rarely names the subject of a question. Such words are dropped while others are left.
func Weak(word string) bool { return weak()[word] }

var weak = sync.OnceValue(func() map[string]bool {
	const list = `about above after again against all also any because before being below between both but can could did do
		does doing done don doesn didn isn wasn weren aren couldn wouldn shouldn during each either few further get gets got had has have having he
		her here hers him his how however i if into its just let like ll make makes many me might more most much must my need
		myself no nor not now off once one only other our ours out over own please re same shall she should so some such
		than their theirs them then there these they thing things those through too under until up upon us use ve very
		want way we well what when where whether which while who whom whose why will would yes yet you your yours
		tell know explain describe remind say said`
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
})
