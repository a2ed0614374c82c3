package filetree

import (
	"strings"

	"github.com/agit-suite/agit/shared/git/ignore"
)

// attributes are the settings of .gitattributes for a path, in linguist's terms.
type attributes struct {
	out          bool // vendored or generated
	in           bool // set to be neither generated nor vendored
	docs         bool
	undetectable bool
	language     string
}

func parseAttributes(base string, text []byte) rules {
	rs := rules{base: base}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0][0] == '#' || !strings.Contains(line, "linguist-") || len(rs.patterns) == maxRules {
			continue
		}
		// For git, a pattern that names a folder does not apply to its files, but people write it so.
		text, folder := strings.CutSuffix(fields[0], "/**")
		if p, ok := ignore.Parse(text); ok && !p.Negated { // .gitattributes knows no "!"
			if folder {
				p = p.FoldersOnly()
			}
			rs.patterns, rs.attrs = append(rs.patterns, p), append(rs.attrs, fields[1:])
		}
	}
	return rs
}

// attributes collects the settings for a path; a folder's path ends in a slash.
func (w *walker) attributes(path string) (a attributes) {
	if len(w.attrs) == 0 {
		return a
	}
	path, dir := strings.CutSuffix(path, "/")
	full := w.prefix + path
	for _, rs := range w.attrs {
		rel, ok := strings.CutPrefix(full, rs.base)
		if !ok {
			continue
		}
		for i, p := range rs.patterns {
			if p.MatchWithin(&w.left, rel, dir) {
				a.apply(rs.attrs[i])
			}
		}
	}
	return a
}

func (a *attributes) apply(attrs []string) {
	for _, attr := range attrs {
		name, value, set := strings.Cut(attr, "=")
		on := !set || value == "true"
		if rest, ok := strings.CutPrefix(name, "-"); ok {
			name, on = rest, false
		}
		switch name {
		case "linguist-vendored", "linguist-generated":
			a.out, a.in = on, !on
		case "linguist-documentation":
			a.docs = on
		case "linguist-detectable":
			a.undetectable = !on
		case "linguist-language":
			a.language = strings.ToLower(value)
		}
	}
}
