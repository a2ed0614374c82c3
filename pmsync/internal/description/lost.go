package description

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/text"
)

// parts counts what a reader tells apart in a document.
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

// Lost compares a document with what a tracker made of it, and names the parts that it
// does not have as such any more: their words are still there, as plain text.
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

// Pictures is how many pictures a Markdown text shows.
func Pictures(markdown string) int { return len(pictures().FindAllString(markdown, -1)) }

var tags = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`</?[A-Za-z][A-Za-z0-9]*(\s[^<>]*)?/?>`) })

// WithoutHTML is a Markdown text in which HTML is written as Markdown, as far as it has a
// form there: for a tracker that shows tags as text. Pictures become links. A text without
// tags is returned as it is.
func WithoutHTML(markdown string) string {
	if !tags().MatchString(markdown) {
		return markdown
	}
	linked := pictures().ReplaceAllStringFunc(markdown, func(picture string) string {
		m := pictures().FindStringSubmatch(picture)
		return fmt.Sprintf("[%s](%s)", cmp.Or(m[1], m[2]), m[2])
	})
	doc, err := Parse(linked, Markdown)
	if err != nil || doc.Truncated {
		return markdown
	}
	guard(doc.Blocks)
	return strings.TrimSpace(doc.Markdown())
}

// guard keeps words that look like tags from being some when they are read as Markdown.
func guard(blocks []Block) {
	for i := range blocks {
		if blocks[i].Kind == Code {
			continue
		}
		for j, s := range blocks[i].Spans {
			if s.Style&Mono == 0 {
				blocks[i].Spans[j].Text = tags().ReplaceAllStringFunc(s.Text, func(tag string) string { return "&lt;" + tag[1:] })
			}
		}
		guard(blocks[i].Children)
	}
}
