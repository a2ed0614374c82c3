// Package fuzzy measures how similar two lines are.
//
// It compares bytes, keeps no state and is safe for concurrent use.
package fuzzy

// MaxLength bounds the compared part of a line: comparing two lines takes the product of their lengths in steps.
const MaxLength = 400

// Similarity returns 1 for equal texts and 0 for texts with nothing in common: the share of the longer text that need not be edited.
func Similarity(a, b []byte) float64 {
	a, b = a[:min(len(a), MaxLength)], b[:min(len(b), MaxLength)]
	longer := max(len(a), len(b))
	if longer == 0 {
		return 1
	}
	return 1 - float64(distance(a, b))/float64(longer)
}

// Bound returns an upper bound of Similarity, much faster.
func Bound(a, b []byte) float64 {
	a, b = a[:min(len(a), MaxLength)], b[:min(len(b), MaxLength)]
	longer := max(len(a), len(b))
	if longer == 0 {
		return 1
	}
	var count [256]int16
	for _, c := range a {
		count[c]++
	}
	common := 0
	for _, c := range b {
		if count[c] > 0 {
			count[c]--
			common++
		}
	}
	return float64(common) / float64(longer)
}

// Part returns the share of the shorter text a that occurs, in order and with few edits, somewhere inside b.
func Part(a, b []byte) float64 {
	a, b = a[:min(len(a), MaxLength)], b[:min(len(b), 4*MaxLength)]
	if len(a) == 0 {
		return 1
	}
	row := make([]int, len(a)+1)
	for i := range row {
		row[i] = i
	}
	best := len(a)
	for _, c := range b {
		before := 0 // starting anywhere in b costs nothing
		for i := range a {
			cost := before
			if a[i] != c {
				cost++
			}
			before = row[i+1]
			row[i+1] = min(cost, row[i]+1, before+1)
		}
		best = min(best, row[len(a)])
	}
	return 1 - float64(best)/float64(len(a))
}

// distance is Levenshtein's.
func distance(a, b []byte) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	row := make([]int, len(a)+1)
	for i := range row {
		row[i] = i
	}
	for j, c := range b {
		before := row[0]
		row[0] = j + 1
		for i := range a {
			cost := before
			if a[i] != c {
				cost++
			}
			before = row[i+1]
			row[i+1] = min(cost, row[i]+1, before+1)
		}
	}
	return row[len(a)]
}
