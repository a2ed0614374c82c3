package instruct

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/shared/text"
)

var (
	headingLine = text.Pattern{Expr: `(?m)^[ \t]{0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$|^([^\n#>|-][^\n]*)\n[ \t]{0,3}(?:=+|-{2,})[ \t]*$`}
	ownAnchor   = text.Pattern{Expr: `(?:id|name)\s*=\s*["']([^"']+)["']|\{#([\w-]+)\}`}
	marks       = text.Pattern{Expr: `\[([^\]]*)\]\([^)]*\)|<[^>]*>`}
	counted     = text.Pattern{Expr: `-\d+$`}
	lines       = text.Pattern{Expr: `^L\d+`}
)

// anchor reports whether a link's anchor exists. Only anchors in Markdown files of the repository can be judged.
func (c *Checker) anchor(s spot) bool {
	file := s.src.Path
	if s.ref.Target != "" {
		file = ""
		places := s.places()
		if i := slices.IndexFunc(places, c.tree.Has); i >= 0 {
			file = places[i]
		}
	}
	if file == "" || s.src.outside || s.ref.Anchor == "" || !strings.EqualFold(path.Ext(file), ".md") || lines.Regexp().MatchString(s.ref.Anchor) {
		return true
	}
	src := s.src.text
	if s.ref.Target != "" {
		var err error
		if src, err = c.tree.Read(file); err != nil {
			return true
		}
	}
	return hasAnchor(string(src), s.ref.Anchor)
}

// hasAnchor reports whether a Markdown text has a heading or an anchor of that name. Forges and site generators form anchors differently,
// so only letters and digits are compared.
func hasAnchor(src, anchor string) bool {
	wanted := letters(anchor)
	plain := letters(counted.Regexp().ReplaceAllString(anchor, ""))
	for _, m := range headingLine.Regexp().FindAllStringSubmatch(src, -1) {
		if got := letters(marks.Regexp().ReplaceAllString(m[1]+m[2], "$1")); got == wanted || got == plain {
			return true
		}
	}
	return slices.ContainsFunc(ownAnchor.Regexp().FindAllStringSubmatch(src, -1), func(m []string) bool { return letters(m[1]+m[2]) == wanted })
}

// letters returns the letters and digits of a text in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
