package linemap

// slide moves each stretch of unmapped lines of text to where a reader would see its borders. A stretch can move up by a line when the line
// above it equals its last line. Either of the two may then count as the new one, but braces and blank lines belong to the text above them.
// of is the map of text's lines, back the map of the other text's.
func slide(text Text, of, back []int) {
	lines := text.Exact
	for start := 0; start < len(of); {
		if of[start] >= 0 {
			start++
			continue
		}
		end := start
		for end < len(of) && of[end] < 0 {
			end++
		}
		up := 0
		for start-up > 0 && lines[start-up-1] == lines[end-up-1] && joined(of, start-up, end-up, -1) {
			up++
		}
		down := 0
		for end+down < len(of) && lines[start+down] == lines[end+down] && joined(of, start+down, end+down, 1) {
			down++
		}
		best, bestScore := 0, 0
		for by := -up; by <= down; by++ {
			if score := border(text, start+by, end+by); by == -up || score >= bestScore {
				best, bestScore = by, score
			}
		}
		for ; best < 0; best++ {
			start, end = start-1, end-1
			of[end], of[start] = of[start], -1
			back[of[end]] = end
		}
		for ; best > 0; best-- {
			of[start], of[end] = of[end], -1
			back[of[start]] = start
			start, end = start+1, end+1
		}
		for end < len(of) && of[end] < 0 {
			end++ // it met the next stretch
		}
		start = end
	}
}

// joined reports whether the stretch from start up to end can move by one line:
// the line that it passes over is mapped, and to a line beside the one on the
// stretch's other side, so that the map stays increasing.
func joined(of []int, start, end, by int) bool {
	if by < 0 {
		return of[start-1] >= 0
	}
	return of[end] >= 0
}

// border scores how natural a stretch from start up to end looks. The best one begins at the least indented line, after a blank line, with
// a distinctive line, and ends before such a line.
func border(text Text, start, end int) int {
	score := 0
	first := text.Indents[start]
	for k := start; first < 0 && k < end-1; k++ {
		first = text.Indents[k+1]
	}
	score -= 100 * max(first, 0)
	switch {
	case text.Indents[start] < 0:
		score -= 12 // blank lines belong to the text above them
	case text.Weights[start] == 0 || ends(text, start):
		score -= 40 // a closing brace does not begin a piece of its own
	default:
		score += 2 * min(text.Weights[start], 8)
	}
	if start == 0 || text.Indents[start-1] < 0 {
		score += 10
	}
	if end == len(text.Lines) || text.Indents[end-1] < 0 {
		score += 4
	}
	return score
}

// ends reports whether a short line, such as a closing word, follows a more indented line.
func ends(text Text, line int) bool {
	above := line - 1
	for above >= 0 && text.Indents[above] < 0 {
		above--
	}
	return above >= 0 && text.Weights[line] <= closing && text.Indents[above] > text.Indents[line]
}

// closing is the maximum weight of a word that ends a block: done, esac.
const closing = 4
