package uses

import (
	"slices"
	"strings"
)

// added are the lines that a new text has and the old one lacks.
type added struct {
	lines  map[int32]bool  // from 1, of the new text
	anchor map[int32]int32 // for each added line, the line of the old text that it follows; 0 for the beginning
}

// compare finds the lines that were added to a text.
func compare(before, now string) added {
	a, b := splitLines(before), splitLines(now)
	match := make([]int, len(b)) // the line of a, -1 for none
	for i := range match {
		match[i] = -1
	}
	matchLines(a, b, 0, 0, match)
	found := added{lines: map[int32]bool{}, anchor: map[int32]int32{}}
	last := 0
	for i, m := range match {
		if m >= 0 {
			last = m + 1
			continue
		}
		found.lines[int32(i+1)], found.anchor[int32(i+1)] = true, int32(last)
	}
	return found
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// smallGap bounds the product of the numbers of lines that are compared each with each.
const smallGap = 1 << 20

// matchLines pairs equal lines in order: first those at both ends, then lines that occur once on both sides, then, between those, the
// longest common subsequence.
func matchLines(a, b []string, offA, offB int, match []int) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		match[offB] = offA
		a, b, offA, offB = a[1:], b[1:], offA+1, offB+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		match[offB+len(b)-1] = offA + len(a) - 1
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return
	}
	anchors := uniqueInBoth(a, b)
	if len(anchors) == 0 {
		if len(a)*len(b) <= smallGap {
			longest(a, b, offA, offB, match)
		}
		return
	}
	fromA, fromB := 0, 0
	for _, p := range anchors {
		matchLines(a[fromA:p[0]], b[fromB:p[1]], offA+fromA, offB+fromB, match)
		match[offB+p[1]] = offA + p[0]
		fromA, fromB = p[0]+1, p[1]+1
	}
	matchLines(a[fromA:], b[fromB:], offA+fromA, offB+fromB, match)
}

// uniqueInBoth returns the longest increasing sequence of lines that occur once in a and once in b.
func uniqueInBoth(a, b []string) [][2]int {
	type place struct{ inB, countA, countB int }
	at := make(map[string]*place, len(a))
	for _, line := range a {
		if p := at[line]; p != nil {
			p.countA++
		} else {
			at[line] = &place{countA: 1}
		}
	}
	for i, line := range b {
		if p := at[line]; p != nil {
			p.countB++
			p.inB = i
		}
	}
	var row [][2]int
	for i, line := range a {
		if p := at[line]; p.countA == 1 && p.countB == 1 {
			row = append(row, [2]int{i, p.inB})
		}
	}
	var ends []int // indexes into row: for each length, the smallest end of an increasing sequence
	back := make([]int, len(row))
	for i, p := range row {
		k, _ := slices.BinarySearchFunc(ends, p[1], func(e, inB int) int { return row[e][1] - inB })
		back[i] = -1
		if k > 0 {
			back[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	var best [][2]int
	for i := ends[len(ends)-1]; i >= 0; i = back[i] {
		best = append(best, row[i])
	}
	slices.Reverse(best)
	return best
}

// longest pairs the lines of the longest common subsequence.
func longest(a, b []string, offA, offB int, match []int) {
	width := len(b) + 1
	length := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			if a[i] == b[k] {
				length[i*width+k] = length[(i+1)*width+k+1] + 1
			} else {
				length[i*width+k] = max(length[(i+1)*width+k], length[i*width+k+1])
			}
		}
	}
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i] == b[k]:
			match[offB+k] = offA + i
			i, k = i+1, k+1
		case length[(i+1)*width+k] >= length[i*width+k+1]:
			i++
		default:
			k++
		}
	}
}
