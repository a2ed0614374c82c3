// Package ignore matches paths against patterns as .gitignore and
// .gitattributes write them (gitignore(5), "PATTERN FORMAT"): "*" and "?" stop
// at a slash, "**" does not, a pattern without an inner slash matches at any
// depth, a trailing slash matches folders only, a match of a folder covers what
// is in it, and "!" takes back.
//
// It decides on names alone and reads no file; the caller says which files hold
// patterns and in which order they count. Patterns are immutable, so they are
// safe for concurrent use.
package ignore

import "strings"

// Pattern is one line of a .gitignore.
type Pattern struct {
	text     string // without "!", leading and trailing slash
	plain    int    // index of the first wildcard in text, or its length
	Negated  bool   // "!": take back what an earlier pattern matched
	dirOnly  bool
	anchored bool // matches from the folder of the file on, not at any depth
}

// Parse reads one line of a .gitignore; ok is false for blank lines and
// comments.
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
	if p.plain = strings.IndexAny(p.text, wildcards); p.plain < 0 {
		p.plain = len(p.text)
	}
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

// FoldersOnly returns p so that it matches folders alone, as with a slash at its
// end.
func (p Pattern) FoldersOnly() Pattern {
	p.dirOnly = true
	return p
}

// wildcards are the bytes that do not stand for themselves.
const wildcards = `*?[\`

// maxSteps bounds one match: globs with many stars take exponential time on
// texts made for it.
const maxSteps = 1 << 17

// MatchOne reports whether p matches the path itself, not a folder it is in.
// path is relative to the folder of the pattern and has slashes.
func (p Pattern) MatchOne(path string, isDir bool) bool {
	left := maxSteps
	return p.MatchWithin(&left, path, isDir)
}

// MatchWithin is MatchOne with a limit over many calls, for untrusted patterns: each step of a comparison takes one from left, and below
// zero no pattern with wildcards matches.
func (p Pattern) MatchWithin(left *int, path string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	if !p.anchored {
		path = path[strings.LastIndexByte(path, '/')+1:]
		if p.plain == 0 && strings.LastIndexAny(p.text, wildcards) == 0 && p.text[0] == '*' { // "*.log"
			return strings.HasSuffix(path, p.text[1:])
		}
	}
	// Git compares the part before the first wildcard separately, so that "a**/b" finds "**" at a start and matches "ab".
	rest, ok := strings.CutPrefix(path, p.text[:p.plain])
	if !ok || p.plain == len(p.text) {
		return ok && rest == ""
	}
	if !p.anchored { // one part of a path: the whole glob, so that a class may begin anywhere
		return wild(left, p.text, path)
	}
	return wild(left, p.text[p.plain:], rest)
}

// Match reports whether p covers the file at path: the path itself or a folder
// it is in.
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

// Literal returns the path that p stands for when it has no wildcard and is tied to a place, and reports whether it is such a pattern.
func (p Pattern) Literal() (path string, ok bool) {
	return p.text, p.anchored && p.plain == len(p.text)
}

// Last returns the verdict of the last pattern that matches path: whether path is ignored, and whether any pattern matched.
func Last(all []Pattern, path string, isDir bool) (ignored, decided bool) {
	left := maxSteps * max(1, len(all))
	return LastWithin(&left, all, path, isDir)
}

// LastWithin is Last with a limit over many calls: see [Pattern.MatchWithin].
func LastWithin(left *int, all []Pattern, path string, isDir bool) (ignored, decided bool) {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].MatchWithin(left, path, isDir) {
			return !all[i].Negated, true
		}
	}
	return false, false
}
