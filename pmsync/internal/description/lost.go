package description

import (
	"regexp"
	"sync"

	"github.com/agit-suite/agit/shared/text"
)

// tally adds by to the number of elements of each kind; items count for their checkboxes.
func tally(n map[Kind]int, blocks []Block, by int) {
	for _, b := range blocks {
		if b.Kind != Item || b.Task != NoTask {
			n[b.Kind] += by
		}
		tally(n, b.Children, by)
	}
}

// Lost compares a document with the tracker's version of it, and names the elements that are missing there, such as "2 headings". Their
// words are still there, as plain text.
func Lost(wanted, kept Document) (lost []string) {
	missing := map[Kind]int{}
	tally(missing, wanted.Blocks, 1)
	tally(missing, kept.Blocks, -1)
	for _, part := range []struct {
		kind      Kind
		one, many string
	}{
		{Heading, "heading", "headings"}, {List, "list", "lists"}, {Item, "checkbox", "checkboxes"}, {Table, "table", "tables"}, {Code, "block of code", "blocks of code"},
		{Quote, "quotation", "quotations"}, {Rule, "line across", "lines across"},
	} {
		if n := missing[part.kind]; n > 0 {
			lost = append(lost, text.Count(n, part.one, part.many))
		}
	}
	return lost
}

var pictures = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!\[([^\]]*)\]\(([^)\s]+)[^)]*\)`) })

// Pictures returns how many pictures a Markdown text shows.
func Pictures(markdown string) int { return len(pictures().FindAllString(markdown, -1)) }

// own are the elements of trackers' formats that Markdown has no form for. A nil pattern finds none.
var own = []struct {
	one, many string
	adf, html *text.Pattern
}{
	{"picture", "pictures", nodes("media|mediaInline"), &text.Pattern{Expr: `(?i)<img\b`}},
	{"mention", "mentions", nodes("mention"), &text.Pattern{Expr: `(?i)<[^>]*\bdata-(?:vss-mention|asana-gid)=`}},
	{"panel", "panels", nodes("panel|expand|nestedExpand"), nil},
	{"macro", "macros", nodes("extension|bodiedExtension|inlineExtension"), nil},
	{"part with columns", "parts with columns", nodes("layoutSection"), nil},
	{"coloured or underlined part", "coloured or underlined parts", nodes("textColor|backgroundColor|underline"), &text.Pattern{Expr: `(?i)<[^>]*\bcolor\s*[:=]|<u\b`}},
}

// nodes returns a pattern for nodes or marks of ADF, by the alternatives of their types.
func nodes(types string) *text.Pattern {
	return &text.Pattern{Expr: `"type"\s*:\s*"(?:` + types + `)"`}
}

// Dropped names the elements that a tracker's own text has, that a later version of it lacks, and that Markdown has no form for, such as
// "2 mentions".
func Dropped(was, now string, format Format) (dropped []string) {
	for _, o := range own {
		form := map[Format]*text.Pattern{ADF: o.adf, HTML: o.html}[format]
		if form == nil {
			continue
		}
		count := func(s string) int { return len(form.Regexp().FindAllStringIndex(s, -1)) }
		if n := count(was) - count(now); n > 0 {
			dropped = append(dropped, text.Count(n, o.one, o.many))
		}
	}
	return dropped
}
