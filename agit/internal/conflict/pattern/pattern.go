// Package pattern matches paths as .gitignore does (gitignore(5)): "*" and "?"
// stop at a slash, "**" does not, a pattern without an inner slash matches at
// any depth, a trailing slash matches folders only, a match of a folder covers
// what is in it, and "!" takes back.
//
// It decides on names alone and reads no file. Patterns are immutable, so they
// are safe for concurrent use.
package pattern

import "strings"

// Pattern is one line of a .gitignore.
type Pattern struct {
	text     string // without "!", leading and trailing slash
	Negated  bool   // "!": take back what an earlier pattern matched
	dirOnly  bool
	anchored bool // matches from the folder of the file on, not at any depth
}

// Parse reads one line; ok is false for blank lines and comments.
func Parse(line string) (p Pattern, ok bool) {
	line = trimTrailingSpace(strings.TrimSuffix(line, "\r"))
	if line == "" || line[0] == '#' {
		return Pattern{}, false
	}
	if line[0] == '!' {
		p.Negated, line = true, line[1:]
	}
	if rest, found := strings.CutSuffix(line, "/"); found {
		p.dirOnly, line = true, rest
	}
	p.anchored = strings.Contains(line, "/")
	p.text = strings.TrimPrefix(line, "/")
	return p, p.text != ""
}

// ParseFile reads the lines of a .gitignore.
func ParseFile(text string) []Pattern {
	var all []Pattern
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		if p, ok := Parse(line); ok {
			all = append(all, p)
		}
	}
	return all
}

// trimTrailingSpace drops spaces at the end but for one that is escaped.
func trimTrailingSpace(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// MatchOne says whether p matches the path itself, not a folder it is in. path
// is relative to the folder of the pattern, slash-separated.
func (p Pattern) MatchOne(path string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	if !p.anchored {
		return Wild(p.text, path[strings.LastIndexByte(path, '/')+1:])
	}
	// Git compares the part before the first wildcard by itself, so that "a**/b"
	// finds "**" at a start; it says so of "ab".
	plain := strings.IndexAny(p.text, wildcards)
	if plain < 0 {
		return p.text == path
	}
	rest, ok := strings.CutPrefix(path, p.text[:plain])
	return ok && Wild(p.text[plain:], rest)
}

// wildcards are the bytes that do not stand for themselves.
const wildcards = `*?[\`

// Match says whether p covers the file at path: the path itself or a folder it
// is in.
func (p Pattern) Match(path string) bool {
	if p.MatchOne(path, false) {
		return true
	}
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' && p.MatchOne(path[:i], true) {
			return true
		}
	}
	return false
}

// Literal gives the path that p stands for when it has no wildcard and is tied
// to a place, and whether it is such a pattern.
func (p Pattern) Literal() (path string, ok bool) {
	return p.text, p.anchored && !strings.ContainsAny(p.text, wildcards)
}

// Last finds what the last pattern that matches path says: ignored, and whether
// any did.
func Last(all []Pattern, path string, isDir bool) (ignored, decided bool) {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].MatchOne(path, isDir) {
			return !all[i].Negated, true
		}
	}
	return false, false
}
