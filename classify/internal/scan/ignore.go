package scan

import (
	"path"
	"strings"
)

// rule is one line of .gitignore or .gitattributes (gitignore(5), "PATTERN
// FORMAT").
type rule struct {
	negated bool
	dirOnly bool
	base    bool   // matches the last part of a path alone
	exact   bool   // holds no wildcard
	suffix  string // of "*suffix" without further wildcards
	pattern string // with slashes; relative to the rules' folder
	attrs   []string
}

// rules are one file's lines. base is its folder within the repository, "" or
// ending in a slash.
type rules struct {
	base  string
	lines []rule
}

// maxRules bounds one file's lines.
const maxRules = 5000

func parseIgnore(base string, text []byte) rules {
	rs := rules{base: base}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		line = trimUnescaped(line)
		if line == "" || line[0] == '#' || len(rs.lines) == maxRules {
			continue
		}
		negated := line[0] == '!'
		if negated {
			line = line[1:]
		}
		if r, ok := newRule(line); ok {
			r.negated = negated
			rs.lines = append(rs.lines, r)
		}
	}
	return rs
}

// trimUnescaped drops trailing spaces, unless a backslash keeps them.
func trimUnescaped(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

func newRule(pattern string) (r rule, ok bool) {
	if strings.HasPrefix(pattern, `\#`) || strings.HasPrefix(pattern, `\!`) {
		pattern = pattern[1:]
	}
	if strings.HasSuffix(pattern, "/") {
		r.dirOnly, pattern = true, strings.TrimSuffix(pattern, "/")
	}
	for strings.Contains(pattern, "**/**/") { // no more than one
		pattern = strings.ReplaceAll(pattern, "**/**/", "**/")
	}
	r.base = !strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	if rest, found := strings.CutPrefix(pattern, "**/"); found && !strings.Contains(rest, "/") {
		r.base, pattern = true, rest
	}
	if pattern == "" {
		return r, false
	}
	r.pattern = strings.ReplaceAll(pattern, "[!", "[^")
	r.exact = !strings.ContainsAny(pattern, `*?[\`)
	if rest, found := strings.CutPrefix(pattern, "*"); found && r.base && !strings.ContainsAny(rest, `*?[\`) {
		r.suffix = rest
	}
	return r, true
}

// last gives the last rule that fits a path of the repository. left bounds the
// work, over all calls: when it is used up nothing with "**" fits any more.
func (rs rules) last(full string, dir bool, left *int) (rule, bool) {
	rel, ok := strings.CutPrefix(full, rs.base)
	if !ok {
		return rule{}, false
	}
	for i := len(rs.lines) - 1; i >= 0; i-- {
		if r := &rs.lines[i]; (!r.dirOnly || dir) && r.fits(rel, left) {
			return *r, true
		}
	}
	return rule{}, false
}

func (r *rule) fits(rel string, left *int) bool {
	if r.base {
		name := rel[strings.LastIndexByte(rel, '/')+1:]
		switch {
		case r.exact:
			return name == r.pattern
		case r.suffix != "":
			return strings.HasSuffix(name, r.suffix)
		}
		fits, _ := path.Match(r.pattern, name)
		return fits
	}
	if r.exact {
		return rel == r.pattern
	}
	return fitParts(r.pattern, rel, left)
}

// fitParts matches a pattern part by part; "**" stands for any number of parts.
func fitParts(pattern, rel string, left *int) bool {
	for {
		if *left--; *left < 0 {
			return false
		}
		part, rest, more := strings.Cut(pattern, "/")
		if part == "**" {
			if !more {
				return rel != ""
			}
			for {
				if fitParts(rest, rel, left) {
					return true
				}
				_, after, ok := strings.Cut(rel, "/")
				if !ok {
					return false
				}
				rel = after
			}
		}
		name, after, deeper := strings.Cut(rel, "/")
		if fits, err := path.Match(part, name); err != nil || !fits {
			return false
		}
		if more != deeper {
			return false
		}
		if !more {
			return true
		}
		pattern, rel = rest, after
	}
}

// maxSteps bounds the parts of paths that a walk compares with parts of patterns,
// of which hostile rules can ask for any number: half a second's worth, a hundred
// times what a large repository needs.
const maxSteps = 20_000_000
