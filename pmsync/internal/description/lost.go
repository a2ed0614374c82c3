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
