package text

import "strings"

// Nearest returns the known name closest to the one given, or "" when none is
// close: at most one letter in three wrong, counting a swap as one, without
// case. A word that begins only one of the names means that one.
func Nearest(given string, known []string) string {
	given = Key(given)
	if begun := begunBy(given, known); begun != "" {
		return begun
	}
	length := len([]rune(given))
	if length < 2 {
		return ""
	}
	best, distance := "", max(length/3, 1)+1
	for _, name := range known {
		if d := Distance(given, Key(name), distance); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// begunBy returns the only known name that begins with given, if given is long enough to be meaningful.
func begunBy(given string, known []string) string {
	found := ""
	for _, name := range known {
		if len(given) >= 3 && strings.HasPrefix(Key(name), given) {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

// Distance returns how many insertions, deletions, replacements and swaps of neighbouring letters turn one text into the other (the optimal
// string alignment distance), or limit when it takes at least that many.
func Distance(from, to string, limit int) int {
	a, b := []rune(from), []rune(to)
	if max(len(a)-len(b), len(b)-len(a)) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
