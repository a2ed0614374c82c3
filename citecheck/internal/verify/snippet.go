package verify

import (
	"bytes"
	"strings"

	"github.com/agit-suite/agit/shared/textfile"
)

// snippet is a citation's quoted text prepared for comparing: its lines without blank ones and without white space.
type snippet struct {
	lines [][]byte
	hash  []uint64
	open  bool // the snippet ends with an ellipsis, so its last line may continue
}

func newSnippet(text string) snippet {
	var c snippet
	for line := range strings.Lines(text) {
		squeezed := textfile.Squeeze(nil, []byte(line))
		if len(squeezed) > 0 {
			c.lines = append(c.lines, squeezed)
			c.hash = append(c.hash, textfile.Hash(squeezed))
		}
	}
	return c
}

// snippetOf makes a snippet of lines of a file.
func snippetOf(f *textfile.File, lines []int) snippet {
	var c snippet
	for _, i := range lines {
		squeezed := textfile.Squeeze(nil, f.Line(i))
		c.lines, c.hash = append(c.lines, squeezed), append(c.hash, textfile.Hash(squeezed))
	}
	return c
}

// shortened returns the snippet without the ellipsis at its end; ok is false when there is none.
func (c snippet) shortened() (snippet, bool) {
	if len(c.lines) == 0 {
		return c, false
	}
	last := len(c.lines) - 1
	for _, dots := range []string{"...", "…"} {
		if cut, ok := bytes.CutSuffix(c.lines[last], []byte(dots)); ok && len(cut) > 0 {
			s := snippet{lines: append([][]byte(nil), c.lines...), hash: append([]uint64(nil), c.hash...), open: true}
			s.lines[last], s.hash[last] = cut, textfile.Hash(cut)
			return s, true
		}
	}
	return c, false
}

// weight returns how distinctive the snippet is.
func (c snippet) weight() int {
	n := 0
	for _, line := range c.lines {
		n += textfile.Weight(line)
	}
	return n
}

// heaviest returns the index of the snippet's most distinctive line.
func (c snippet) heaviest() int {
	best := 0
	for i, line := range c.lines {
		if textfile.Weight(line) > textfile.Weight(c.lines[best]) {
			best = i
		}
	}
	return best
}

// fit is how a snippet fits a place.
type fit int

const (
	none  fit = iota
	part      // the line contains the snippet and more
	whole     // line and snippet are equal
)

// at returns how the snippet fits the lines of f from line on; blank lines between them are ignored. A snippet without letters, such as a
// brace, is never a part of other lines.
func (c snippet) at(f *textfile.File, line int) fit {
	if line < 0 || line >= f.Len() || f.Blank(line) {
		return none
	}
	result := whole
	for k := range c.lines {
		for k > 0 && line < f.Len() && f.Blank(line) {
			line++
		}
		if line >= f.Len() {
			return none
		}
		if squeezed := textfile.Squeeze(nil, f.Line(line)); !bytes.Equal(squeezed, c.lines[k]) {
			if !holds(squeezed, c.lines[k], k > 0, k < len(c.lines)-1, c.open) {
				return none
			}
			result = part
		}
		line++
	}
	if result == part && c.weight() == 0 {
		return none
	}
	return result
}

// places returns the lines of f where the snippet fits, in order. When it fits a whole line anywhere, partial fits are left out.
func (c snippet) places(f *textfile.File) (lines []int, kind fit) {
	var parts []int
	for _, i := range c.holders(f) {
		switch c.at(f, i) {
		case whole:
			lines = append(lines, i)
		case part:
			parts = append(parts, i)
		}
	}
	if len(lines) > 0 {
		return lines, whole
	}
	return parts, part
}

// stands reports whether the snippet may quote line: it equals the line, or is a part of it and equals no line of f.
func (c snippet) stands(f *textfile.File, line int) bool {
	switch c.at(f, line) {
	case whole:
		return true
	case part:
		_, kind := c.places(f)
		return kind == part
	}
	return false
}

// alone reports whether the snippet occurs once in f.
func (c snippet) alone(f *textfile.File) bool {
	if len(c.lines) == 0 {
		return false
	}
	places, _ := c.places(f)
	return len(places) == 1
}

// holders returns the lines of f that may contain the snippet's first line.
func (c snippet) holders(f *textfile.File) (lines []int) {
	f.Containing(longestWord(c.lines[0]), func(i int) bool {
		lines = append(lines, i)
		return true
	})
	return lines
}

// longestWord returns the longest part of a squeezed line that has no white space in any spelling of the line: letters and digits, else one
// character.
func longestWord(squeezed []byte) []byte {
	best := squeezed[:0]
	start := -1
	for i := 0; i <= len(squeezed); i++ {
		if i < len(squeezed) && textfile.Word(squeezed[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && i-start > len(best) {
			best = squeezed[start:i]
		}
		start = -1
	}
	if len(best) == 0 && len(squeezed) > 0 {
		best = squeezed[:1]
	}
	return best
}

// holds reports whether the squeezed line contains snippet, not in the middle of a word. begin and end require it at the line's beginning
// or end; open allows the last word to continue.
func holds(line, snippet []byte, begin, end, open bool) bool {
	for at := 0; at+len(snippet) <= len(line); {
		hit := bytes.Index(line[at:], snippet)
		if hit < 0 {
			return false
		}
		at += hit
		after := at + len(snippet)
		left := at == 0 || !begin && (!textfile.Word(line[at-1]) || !textfile.Word(snippet[0]))
		right := after == len(line) || !end && (open || !textfile.Word(line[after]) || !textfile.Word(snippet[len(snippet)-1]))
		if left && right {
			return true
		}
		at++
	}
	return false
}
