// Package reference finds the places in code that texts name by path and line.
package reference

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reference is a place in a file, as a text names it (path:line), and where it stands in the text.
type Reference struct {
	Path          string // with slashes, without a leading ./
	Line, EndLine int    // EndLine is 0 for one line
	PathAt        Span
	LineAt, EndAt Span // of the digits; EndAt is empty for one line
	Stop          int  // where the reference ends
}

// Span is a part of a text, in bytes.
type Span struct{ Start, End int }

// MayHold reports whether a text can hold a reference at all. It is cheap.
func MayHold(src []byte) bool {
	for at := 0; ; {
		i := bytes.IndexByte(src[at:], ':')
		if i < 0 {
			break
		}
		at += i + 1
		if at < len(src) && (digit(src[at]) || src[at] == 'L' && at+1 < len(src) && digit(src[at+1])) {
			return true
		}
	}
	word, _ := wordLine(src)
	return word >= 0 || bytes.Contains(src, []byte("#L"))
}

// digit and letter accept ASCII only.
func digit(c byte) bool { return c >= '0' && c <= '9' }

// Find returns the references of a text: path.ext:12, path.ext:12-14, path.ext:12:5 (a column, left out), path.ext:12,20 or path.ext:12/20
// (two), path.ext#L12-L14, path.ext#L12C3-L14C1 (columns, left out), and those with the word "line". The path may be code of its own, as in `path.ext`:12. Lookalikes (a URL's port,
// a time, a version) are left out.
func Find(text []byte) []Reference {
	refs := findMarked(text)
	if worded := findWorded(text); len(worded) > 0 {
		refs = append(refs, worded...)
		slices.SortStableFunc(refs, func(a, b Reference) int { return a.LineAt.Start - b.LineAt.Start })
	}
	return refs
}

func findMarked(text []byte) (refs []Reference) {
	for i := 0; i < len(text); i++ {
		var at int // of the digits
		switch {
		case text[i] == ':' && i+1 < len(text) && digit(text[i+1]):
			at = i + 1
		case (text[i] == '#' || text[i] == ':') && i+2 < len(text) && text[i+1] == 'L' && digit(text[i+2]):
			at = i + 2
		default:
			continue
		}
		p, ok := fileBefore(text, i)
		if !ok || joined(text, p.Start) && (len(refs) == 0 || refs[len(refs)-1].Stop < p.Start-1) {
			continue
		}
		f := Reference{Path: Clean(string(text[p.Start:p.End])), PathAt: p}
		n, digits, ok := Number(text, Span{at, len(text)})
		if !ok {
			continue
		}
		f.Line, f.LineAt, f.Stop = n, digits, pastColumn(text, digits)
		f.readEnd(text)
		others := f.slashed(text)
		if len(others) == 0 {
			if !endsHere(text, f.Stop) {
				continue
			}
			others = f.further(text)
		}
		refs = append(append(refs, f), others...)
		i = refs[len(refs)-1].Stop - 1
	}
	return refs
}

// readEnd reads the last line of a range, or a column, which is ignored.
func (f *Reference) readEnd(text []byte) {
	at := f.Stop
	for _, dash := range []string{"-", "–", "—"} {
		rest, ok := bytes.CutPrefix(text[at:], []byte(dash))
		if !ok || len(rest) == 0 {
			continue
		}
		if n, digits, ok := Number(text, Span{at + len(dash), len(text)}); ok && n >= f.Line {
			f.EndAt, f.Stop = digits, pastColumn(text, digits)
			if n > f.Line {
				f.EndLine = n
			}
		}
		return
	}
	if at+1 < len(text) && text[at] == ':' && digit(text[at+1]) {
		for at++; at < len(text) && digit(text[at]); at++ {
		}
		f.Stop = at
	}
}

// pastColumn returns the end of a line's digits, or of the column that forges write behind one with an L: L12C3.
func pastColumn(text []byte, digits Span) int {
	at := digits.End
	if text[digits.Start-1] != 'L' || at+1 >= len(text) || text[at] != 'C' || !digit(text[at+1]) {
		return at
	}
	for at++; at < len(text) && digit(text[at]); at++ {
	}
	return at
}

// further reads the other lines of path:12,20 or path:12, 20-22.
func (f Reference) further(text []byte) (refs []Reference) {
	for at := f.Stop; at < len(text) && text[at] == ','; {
		next := at + 1
		if next < len(text) && text[next] == ' ' {
			next++
		}
		n, digits, ok := Number(text, Span{next, len(text)})
		if !ok || n <= f.Line || next > at+1 && !plainEnd(text, digits.End) {
			return refs
		}
		g := Reference{Path: f.Path, PathAt: f.PathAt, Line: n, LineAt: digits, Stop: digits.End}
		g.readEnd(text)
		if !endsHere(text, g.Stop) {
			return refs
		}
		refs = append(refs, g)
		at, f.Line = g.Stop, n
	}
	return refs
}

// slashed reads the other lines of path:12/20/31. It returns none unless their numbers rise up to the end of the word, because a fraction
// (3/2) or a folder can look the same.
func (f Reference) slashed(text []byte) (refs []Reference) {
	last := max(f.Line, f.EndLine)
	at := f.Stop
	for at+1 < len(text) && text[at] == '/' && digit(text[at+1]) {
		n, digits, ok := Number(text, Span{at + 1, len(text)})
		if !ok || n <= last {
			return nil
		}
		g := Reference{Path: f.Path, PathAt: f.PathAt, Line: n, LineAt: digits, Stop: digits.End}
		g.readEnd(text)
		refs, at, last = append(refs, g), g.Stop, max(n, g.EndLine)
	}
	if !endsHere(text, at) {
		return nil
	}
	return refs
}

// plainEnd reports whether a number after ", " ends a clause; "a.go:12, 3 of
// them" is about three things.
func plainEnd(text []byte, at int) bool {
	return at >= len(text) || strings.IndexByte("`),;.-]", text[at]) >= 0
}

// endsHere reports whether a number that ends at a place is complete: in 12px and 12.5 it is not a line number.
func endsHere(text []byte, at int) bool {
	if at >= len(text) {
		return true
	}
	r, size := utf8.DecodeRune(text[at:])
	switch {
	case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '%' || r == '/' || r == '@':
		return false
	case r == '.' || r == ':':
		next, _ := utf8.DecodeRune(text[at+size:])
		return at+size >= len(text) || !unicode.IsDigit(next)
	}
	return true
}

// fileBefore is PathBefore, and finds a path in code of its own: `src/x.py`:17.
func fileBefore(text []byte, end int) (Span, bool) {
	if end == 0 || text[end-1] != '`' {
		return PathBefore(text, end)
	}
	p, ok := PathBefore(text, end-1)
	return p, ok && p.Start > 0 && text[p.Start-1] == '`'
}

// PathBefore returns the path that ends at a place: the longest run of path characters that ends in a file's name.
func PathBefore(text []byte, end int) (Span, bool) {
	start := len(bytes.TrimRightFunc(text[:end], pathRune))
	for start < end && unbalanced(text[start:end]) {
		start++
	}
	if start > 0 && start < end && text[start-1] == ':' && (text[start] == '/' || digit(text[start])) {
		return Span{}, false // the rest of a URL
	}
	s := Span{start, end}
	path := text[start:end]
	if i := bytes.LastIndex(path, []byte("//")); i >= 0 || bytes.IndexByte(path, '@') == 0 {
		return s, false
	}
	return s, FileName(path)
}

// pathRune reports whether a character occurs unquoted in paths. Brackets do: routes are named app/[id]/page.tsx.
func pathRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || strings.ContainsRune(`_-./\@+~$%[]()`, r))
}

// unbalanced reports whether a path begins with a bracket that its sentence opened, or with another character that no path begins with.
func unbalanced(path []byte) bool {
	switch path[0] {
	case '(':
		return bytes.Count(path, []byte("(")) > bytes.Count(path, []byte(")")) || bytes.IndexByte(path, '/') < 0
	case '[':
		return bytes.Count(path, []byte("[")) > bytes.Count(path, []byte("]")) || bytes.IndexByte(path, '/') < 0
	case '+': // of a diff, but +page.svelte is a file
		return bytes.IndexByte(path, '/') >= 0 || len(path) < 2 || !letter(path[1])
	case ')', ']', '-', '%':
		return true
	}
	return false
}

// withoutExtension reports whether a base name is one of the files that have no extension.
func withoutExtension(base string) bool {
	switch base {
	case "Makefile", "makefile", "GNUmakefile", "Dockerfile", "Containerfile", "Justfile", "justfile", "Rakefile", "Gemfile",
		"Jenkinsfile", "Vagrantfile", "Procfile", "Brewfile", "Tiltfile", "LICENSE", "README", "CODEOWNERS", "BUILD", "WORKSPACE":
		return true
	}
	return false
}

// hostEnd reports whether an extension is the end of a host name, which with a port looks like a file and line.
func hostEnd(extension string) bool {
	switch strings.ToLower(extension) {
	case "com", "org", "net", "io", "dev", "local", "internal", "app", "ai", "cloud", "localhost", "localdomain", "eu", "de", "uk", "test", "example", "svc":
		return true
	}
	return false
}

// FileName reports whether a path ends in text that looks like a file's name.
func FileName(path []byte) bool {
	base := string(path)
	inFolder := false
	if i := strings.LastIndexAny(base, `/\`); i >= 0 {
		base, inFolder = base[i+1:], true
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 {
		return withoutExtension(base)
	}
	extension := base[dot+1:]
	if extension == "" || len(extension) > 12 || !letter(extension[0]) && extension != "7z" {
		return false
	}
	for i := range len(extension) {
		if c := extension[i]; !letter(c) && !digit(c) && c != '_' && c != '-' && c != '+' {
			return false
		}
	}
	return inFolder && !strings.Contains(string(path), "..../") || !hostEnd(extension)
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Clean drops a leading ./ and writes slashes.
func Clean(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	for strings.HasPrefix(path, "./") {
		path = path[2:]
	}
	return path
}

// maxLine bounds line numbers: no file has more lines.
const maxLine = 1 << 30

// Number reads the digits, optionally after an L, at the beginning of text.
func Number(text []byte, s Span) (n int, digits Span, ok bool) {
	at := s.Start
	if at < s.End && (text[at] == 'L' || text[at] == 'l') {
		at++
	}
	start := at
	for at < s.End && text[at] >= '0' && text[at] <= '9' {
		if n = n*10 + int(text[at]-'0'); n > maxLine {
			return 0, Span{}, false
		}
		at++
	}
	return n, Span{start, at}, at > start && n > 0
}
