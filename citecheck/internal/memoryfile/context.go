package memoryfile

import (
	"bytes"
	"path"
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
