package azuredevops

import (
	"fmt"
	stdhtml "html"
	"regexp"
	"strings"
	"sync"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// htmlOf converts Markdown to the service's HTML, with a link for each bare address.
func htmlOf(markdown string) string {
	return strings.Join(htmlBlocks(description.Written(markdown)), "\n")
}

var inline = description.Inline{Words: stdhtml.EscapeString, Linked: safe, Pictures: true, Soft: "\n", Hard: "<br>\n"}

// safe reports whether an address opens a page or a message: it runs nothing in the reader's browser.
func safe(to string) bool {
	scheme, _, found := strings.Cut(to, ":")
	return !found || strings.ContainsAny(scheme, "/?#") || strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https") ||
		strings.EqualFold(scheme, "mailto") || strings.EqualFold(scheme, "ftp") || strings.EqualFold(scheme, "tel")
}

var address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:https?|ftp)://[^\s<>"]*[^\s<>"'.,:;!?)\]*_~]`) })

// words returns spans as HTML.
func words(spans []description.Span) string {
	var out []description.Span
	for _, s := range spans {
		if s.Link == "" && s.Style&description.Mono == 0 {
			for at := address().FindStringIndex(s.Text); at != nil; at = address().FindStringIndex(s.Text) {
				to := s.Text[at[0]:at[1]]
				out = append(out, description.Span{Text: s.Text[:at[0]], Style: s.Style}, description.Span{Text: to, Style: s.Style, Link: to})
				s.Text = s.Text[at[1]:]
			}
		}
		out = append(out, s)
	}
	return inline.HTML(out)
}

func element(name, inside string) string { return "<" + name + ">" + inside + "</" + name + ">" }

func htmlBlocks(blocks []description.Block) (out []string) {
	for _, b := range blocks {
		switch b.Kind {
		case description.Heading:
			out = append(out, element(fmt.Sprintf("h%d", b.Level), words(b.Spans)))
		case description.List:
			out = append(out, listOf(b))
		case description.Quote:
			out = append(out, element("blockquote", "\n"+strings.Join(htmlBlocks(b.Children), "\n")+"\n"))
		case description.Code:
			out = append(out, element("pre", element("code", stdhtml.EscapeString(description.Text(b.Spans)))))
		case description.Rule:
			out = append(out, "<hr>")
		case description.Table:
			out = append(out, tableOf(b))
		default: // a paragraph, or a group with its title
			if len(b.Spans) > 0 {
				out = append(out, element("p", words(b.Spans)))
			}
			out = append(out, htmlBlocks(b.Children)...)
		}
	}
	return out
}

func listOf(b description.Block) string {
	var items strings.Builder
	for _, item := range b.Children {
		items.WriteString("\n" + element("li", within(item.Boxed())))
	}
	switch {
	case !b.Ordered:
		return element("ul", items.String()+"\n")
	case b.Start > 1:
		return fmt.Sprintf("<ol start=\"%d\">%s\n</ol>", b.Start, items.String())
	}
	return element("ol", items.String()+"\n")
}

// within returns the blocks of an item or a cell. The first paragraph stands as bare words.
func within(blocks []description.Block) string {
	if len(blocks) == 0 || blocks[0].Kind != description.Paragraph {
		return strings.Join(htmlBlocks(blocks), "\n")
	}
	return strings.Join(append([]string{words(blocks[0].Spans)}, htmlBlocks(blocks[1:])...), "\n")
}

func tableOf(b description.Block) string {
	var rows strings.Builder
	for _, row := range b.Children {
		rows.WriteString("<tr>")
		for _, cell := range row.Children {
			name := "td"
			if cell.Head {
				name = "th"
			}
			rows.WriteString(element(name, within(cell.Children)))
		}
		rows.WriteString("</tr>\n")
	}
	return element("table", "\n"+rows.String())
}
