package asana

import (
	stdhtml "html"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// richText converts Markdown to Asana's HTML: a few elements in strict XML, with line ends between blocks instead of paragraphs
// (https://developers.asana.com/docs/rich-text). Comments allow fewer elements; story selects them. Markdown without a matching element
// stays text.
func richText(source string, story bool) string {
	w := richWriter{story}
	return "<body>" + strings.TrimSpace(w.blocks(description.Written(source), "\n\n")) + "</body>"
}

// markedText is richText with a marker at its end.
func markedText(source, marker string, story bool) string {
	body := strings.TrimSuffix(richText(source, story), "</body>")
	if body != "<body>" {
		body += "\n\n"
	}
	return body + "[" + marker + "]</body>"
}

type richWriter struct{ story bool }

func element(name, inside string) string { return "<" + name + ">" + inside + "</" + name + ">" }

// escaped returns words without characters that XML forbids.
func escaped(s string) string {
	return stdhtml.EscapeString(strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

// linked reports whether Asana accepts an address.
func linked(to string) bool {
	return strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "mailto:")
}

var inline = description.Inline{Words: escaped, Linked: linked, Soft: "\n", Hard: "\n"}

// blocks returns blocks with a separator between them.
func (w richWriter) blocks(blocks []description.Block, between string) string {
	out := make([]string, len(blocks))
	for i, b := range blocks {
		out[i] = w.block(b)
	}
	return strings.Join(out, between)
}

func (w richWriter) block(b description.Block) string {
	switch b.Kind {
	case description.Heading:
		name := map[int]string{1: "h1", 2: "h2"}[b.Level]
		if w.story || name == "" {
			name = "strong"
		}
		return element(name, inline.HTML(b.Spans))
	case description.List:
		var items strings.Builder
		for _, item := range b.Children {
			items.WriteString(element("li", w.inside(item.Boxed())))
		}
		if b.Ordered {
			return element("ol", items.String())
		}
		return element("ul", items.String())
	case description.Quote:
		return element("blockquote", w.inside(b.Children))
	case description.Code:
		return element("pre", escaped(strings.TrimSuffix(description.Text(b.Spans), "\n")))
	case description.Rule:
		if w.story {
			return ""
		}
		return "<hr/>"
	case description.Table:
		return w.table(b)
	}
	if len(b.Children) == 0 {
		return inline.HTML(b.Spans)
	}
	return strings.TrimPrefix(inline.HTML(b.Spans)+"\n"+w.blocks(b.Children, "\n"), "\n") // a group with its title
}

// inside returns the blocks of a list item or a quotation, with an empty line before its later paragraphs.
func (w richWriter) inside(blocks []description.Block) string {
	var out strings.Builder
	for i, b := range blocks {
		if i > 0 {
			out.WriteString("\n")
			if b.Kind == description.Paragraph {
				out.WriteString("\n")
			}
		}
		out.WriteString(w.block(b))
	}
	return out.String()
}

// table returns a table; in a comment, a line for each row.
func (w richWriter) table(b description.Block) string {
	var rows strings.Builder
	for _, row := range b.Children {
		cells := make([]string, len(row.Children))
		for i, cell := range row.Children {
			if cells[i] = w.inside(cell.Children); !w.story {
				cells[i] = element("td", cells[i])
			}
		}
		if w.story {
			rows.WriteString(strings.Join(cells, " | ") + "\n")
		} else {
			rows.WriteString(element("tr", strings.Join(cells, "")))
		}
	}
	if w.story {
		return rows.String()
	}
	return element("table", rows.String())
}
