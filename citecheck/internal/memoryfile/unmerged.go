package memoryfile

import "bytes"

// unmerged reports each place where git left conflict markers (git-merge(1), "How conflicts are presented"). It returns the text with the
// markers turned into words, so that the rows of both sides are read: a line of = would turn the rows above into a heading. Positions stay.
// Markers in fenced code are an example.
func (m *Memory) unmerged(src []byte) []byte {
	if !bytes.Contains(src, []byte("<<<<<<<")) {
		return src
	}
	var open, middle []span // markers of the conflict that is being read
	var hidden []span
	fenced := false
	for at := 0; at < len(src); {
		line, next := nextLine(src, at)
		here := span{at, at + len(line)}
		switch {
		case len(open) == 0 && (bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))):
			fenced = !fenced
		case fenced:
		case conflictMark(line, '<'):
			open, middle = []span{here}, nil
		case len(open) > 0 && conflictMark(line, '|'), len(open) > 0 && string(line) == "=======":
			middle = append(middle, here)
		case len(middle) > 0 && conflictMark(line, '>'):
			m.Problems = append(m.Problems, Problem{lineOf(src, open[0].start), "the conflict of a merge stands here; choose what holds, and take the markers out"})
			hidden = append(append(append(hidden, open...), middle...), here)
			open, middle = nil, nil
		}
		at = next
	}
	if len(hidden) == 0 {
		return src
	}
	visible := bytes.Clone(src)
	for _, s := range hidden {
		for i := s.start; i < s.end; i++ {
			visible[i] = '.'
		}
	}
	return visible
}

// conflictMark reports whether a line is a marker of seven signs, with a name or without.
func conflictMark(line []byte, sign byte) bool {
	rest, ok := bytes.CutPrefix(line, bytes.Repeat([]byte{sign}, 7))
	return ok && (len(rest) == 0 || rest[0] == ' ')
}
