package description

import (
	"regexp"
	"sync"

	"github.com/agit-suite/agit/shared/text"
)

// parts counts the visible elements of a document.
type parts struct{ headings, lists, tasks, tables, code, quotes, rules int }

func (p *parts) count(blocks []Block) {
	for _, b := range blocks {
		switch b.Kind {
		case Heading:
			p.headings++
		case List:
			p.lists++
		case Item:
			if b.Task != NoTask {
				p.tasks++
			}
		case Table:
			p.tables++
		case Code:
			p.code++
		case Quote:
			p.quotes++
		case Rule:
			p.rules++
		}
		p.count(b.Children)
	}
}

// Lost compares a document with the tracker's version of it, and names the elements that are missing there, such as "2 headings". Their
// words are still there, as plain text.
func Lost(wanted, kept Document) (lost []string) {
	var want, has parts
	want.count(wanted.Blocks)
	has.count(kept.Blocks)
	for _, part := range []struct {
		n         int
		one, many string
	}{
		{want.headings - has.headings, "heading", "headings"}, {want.lists - has.lists, "list", "lists"}, {want.tasks - has.tasks, "checkbox", "checkboxes"},
		{want.tables - has.tables, "table", "tables"}, {want.code - has.code, "block of code", "blocks of code"}, {want.quotes - has.quotes, "quotation", "quotations"},
		{want.rules - has.rules, "line across", "lines across"},
	} {
		if part.n > 0 {
			lost = append(lost, text.Count(part.n, part.one, part.many))
		}
	}
	return lost
}

var pictures = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!\[([^\]]*)\]\(([^)\s]+)[^)]*\)`) })

// Pictures returns how many pictures a Markdown text shows.
func Pictures(markdown string) int { return len(pictures().FindAllString(markdown, -1)) }
