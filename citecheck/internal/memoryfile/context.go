package memoryfile

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Meant returns the file that a reference with a shortened path means. It is the file that the memory names in full nearest above in the
// same section, else the only one that it names in full anywhere. It is "" when the memory names none, or several elsewhere.
func (m *Memory) Meant(r Citation, files []string) string {
	best, stop := "", -1
	for _, file := range files {
		if i := bytes.LastIndex(m.sectionUpTo(r.At), []byte(file)); i >= 0 && (i+len(file) > stop || i+len(file) == stop && len(file) > len(best)) {
			best, stop = file, i+len(file)
		}
	}
	if best != "" {
		return best
	}
	for _, file := range files {
		if bytes.Contains(m.src, []byte(file)) {
			if best != "" && !strings.HasSuffix(file, "/"+best) && !strings.HasSuffix(best, "/"+file) {
				return ""
			}
			if len(file) > len(best) {
				best = file
			}
		}
	}
	return best
}

// sectionUpTo returns the text from the last heading above a line, counted from 1, to the line's end.
func (m *Memory) sectionUpTo(line int) []byte {
	start, at := 0, 0
	for n := 1; n <= line && at < len(m.src); n++ {
		if m.src[at] == '#' && n < line {
			start = at
		}
		end := bytes.IndexByte(m.src[at:], '\n')
		if end < 0 {
			return m.src[start:]
		}
		at += end + 1
	}
	return m.src[start:at]
}

// CodeBeside returns the names of functions, types and variables in code quotes in a reference's line, which describe the place. It returns
// nil when the line has another reference, since a name may belong to that one.
func (m *Memory) CodeBeside(r Citation) (names []string) {
	for _, other := range m.References {
		if other.At == r.At && other.line != r.line {
			return nil
		}
	}
	stem, _, _ := strings.Cut(path.Base(r.Path), ".")
	for i, quoted := range bytes.Split(m.lineAt(r.At), []byte("`")) {
		if i%2 == 0 {
			continue
		}
		if name := codeName(string(quoted)); name != "" && !strings.EqualFold(name, stem) {
			names = append(names, name)
		}
	}
	return names
}

func (m *Memory) lineAt(line int) []byte {
	section := bytes.TrimRight(m.sectionUpTo(line), "\r\n")
	return section[bytes.LastIndexByte(section, '\n')+1:]
}

// codeName returns the last part of a quoted name such as pkg.readAll() or Log::write, "" for text that may be an ordinary word, a path or
// a piece of code.
func codeName(quoted string) string {
	name, called := strings.TrimSpace(quoted), false
	if i := strings.IndexAny(name, "(<["); i >= 0 {
		name, called = name[:i], name[i] == '('
	}
	if i := strings.LastIndexAny(name, ".:>#"); i >= 0 && !strings.Contains(name, "/") {
		name = name[i+1:]
	}
	lower, upper, joined := false, false, false
	for i, c := range name {
		switch {
		case c >= utf8.RuneSelf || !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) && c != '_':
			return ""
		case c == '_':
			joined = joined || i > 0
		default:
			lower, upper = lower || unicode.IsLower(c), upper || unicode.IsUpper(c) && i > 0
		}
	}
	if len(name) < shortestName || !called && !joined && !(lower && upper) {
		return ""
	}
	return name
}

// shortestName is the number of letters from which a name is specific enough.
const shortestName = 5

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
