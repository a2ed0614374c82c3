package term

import "strings"

// Nearest is the candidate most like word, for "did you mean" hints, or ""
// when none is near: at most a third of the letters may differ. A word that
// is the beginning of a single candidate means that one.
func Nearest(word string, candidates []string) string {
	if begun := begunBy(word, candidates); begun != "" {
		return begun
	}
	best, bestDistance := "", max(1, len([]rune(word))/3)+1
	for _, c := range candidates {
		if d := distance([]rune(word), []rune(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// begunBy is the only candidate that begins with word, when word is long enough
// to mean something.
func begunBy(word string, candidates []string) string {
	found := ""
	for _, c := range candidates {
		if len(word) >= 3 && strings.HasPrefix(c, word) {
			if found != "" {
				return ""
			}
			found = c
		}
	}
	return found
}

// distance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b.
func distance(a, b []rune) int {
	before, last, this := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		this[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			this[j] = min(last[j]+1, this[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				this[j] = min(this[j], before[j-2]+1)
			}
		}
		before, last, this = last, this, before
	}
	return last[len(b)]
}
