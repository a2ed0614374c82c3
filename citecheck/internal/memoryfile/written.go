package memoryfile

import (
	"bytes"
	"slices"
	"strconv"
)

// Written returns a function that reports whether a line of an older version of the memory contains the citation as it is now: the same
// place, at the same position among those of its file in the line. When several were renumbered at once, an equal number at another
// position does not count.
func (m *Memory) Written(c Citation) func(line []byte) bool {
	if c.Form == Table {
		path, line := []byte(c.Path), c.Line
		return func(row []byte) bool { return bytes.Contains(row, path) && holdsNumber(row, line) }
	}
	nth, at := -1, 0
	for _, other := range m.ofForm(c.Form) {
		if other.At != c.At || other.Path != c.Path {
			continue
		}
		if other.line == c.line && other.destination == c.destination {
			nth = at
		}
		at++
	}
	form, place, count := c.Form, c.Place, at
	return func(line []byte) bool {
		same := Parse(bytes.TrimSpace(line), Citations|References).ofForm(form)
		same = slices.DeleteFunc(same, func(other Citation) bool { return other.Path != place.Path })
		return nth >= 0 && len(same) == count && place == same[nth].Place
	}
}

// ofForm lists the references in prose, or the citations of the given form.
func (m *Memory) ofForm(form Form) []Citation {
	if form == Prose {
		return m.References
	}
	return slices.DeleteFunc(slices.Clone(m.Citations), func(c Citation) bool { return c.Form != form })
}

// holdsNumber reports whether a text contains a whole number n.
func holdsNumber(text []byte, number int) bool {
	digits := []byte(strconv.Itoa(number))
	for at := 0; ; {
		i := bytes.Index(text[at:], digits)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(digits)
		if (start == 0 || !digit(text[start-1])) && (end == len(text) || !digit(text[end])) {
			return true
		}
		at = end
	}
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
