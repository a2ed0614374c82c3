package description

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
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

var tags = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`</?[A-Za-z][A-Za-z0-9]*(\s[^<>]*)?/?>`) })

// WithoutHTML rewrites the HTML in a Markdown text as Markdown where that has a form for it, for a tracker that shows tags as text.
// Pictures become links. A text without tags is returned unchanged.
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

// guard escapes words that look like tags, so that Markdown does not read them as tags.
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
