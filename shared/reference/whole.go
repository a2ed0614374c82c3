package reference

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// joined reports whether the text at a place continues a name that began before it: b.go in a,b.go or c#b.go is the tail of a file's name,
// not a file of its own. The value of an option, as in --file=b.go, is a file of its own.
func joined(text []byte, at int) bool {
	if at < 2 || strings.IndexByte(",#&'=;!", text[at-1]) < 0 {
		return false
	}
	before, _ := utf8.DecodeLastRune(text[:at-1])
	if !pathRune(before) || before == '(' || before == '[' {
		return false
	}
	if text[at-1] != '=' {
		return true
	}
	start := len(bytes.TrimRightFunc(text[:at-1], pathRune))
	return bytes.ContainsAny(text[start:at-1], "/.")
}

// longestPath is the greatest length in bytes of a path that Whole reads.
const longestPath = 400

// Whole reads a text that is one reference from beginning to end, such as code that is set apart. Its path may hold any character, as in
// "src/my dir/a,b.go:12". It is for texts in which Find finds only a part.
func Whole(text []byte) (f Reference, ok bool) {
	at := bytes.LastIndexByte(text, ':')
	if hash := bytes.LastIndex(text, []byte("#L")); hash > at {
		at = hash
	}
	if at <= 0 || at > longestPath {
		return f, false
	}
	if column := bytes.LastIndexByte(text[:at], ':'); column > 0 && allDigits(text[column+1:at]) {
		at = column // path:12:5
	}
	path := text[:at]
	if bytes.Contains(path, []byte("://")) || bytes.IndexByte(path, ':') >= 0 || path[0] == '-' || unicode.IsSpace(rune(path[0])) || !FileName(path) || !utf8.Valid(path) ||
		bytes.ContainsFunc(path, func(r rune) bool {
			return unicode.IsControl(r) || r == '`' || r == '"' || r == '|' || r == '<' || r == '>' || r == '*'
		}) {
		return f, false
	}
	f, ok = After(text[at:])
	if !ok || at+f.Stop != len(text) {
		return f, false
	}
	f.Path, f.PathAt = Clean(string(path)), Span{0, at}
	f.LineAt, f.EndAt, f.Stop = f.LineAt.moved(at), f.EndAt.moved(at), len(text)
	return f, true
}

func allDigits(text []byte) bool {
	return len(text) > 0 && len(bytes.Trim(text, "0123456789")) == 0
}

// moved returns the span moved by some bytes; an empty span stays.
func (s Span) moved(by int) Span {
	if s.End == 0 {
		return s
	}
	return Span{s.Start + by, s.End + by}
}

// TailOfPath reports whether a reference that Find found inside a whole one is only the end of a path with spaces, and not the argument of
// a command: the path has a folder in its first word, and the tail has none.
func (f Reference) TailOfPath(whole Reference) bool {
	first, _, spaced := strings.Cut(whole.Path, " ")
	return spaced && f.Stop == whole.Stop && strings.Contains(first, "/") && !strings.Contains(f.Path, "/")
}
