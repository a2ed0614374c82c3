package asana

import (
	stdhtml "html"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// markdown reads Markdown with tables.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))
})

// richText converts Markdown to Asana's HTML: a few elements in strict XML, with line ends between blocks instead of paragraphs
// (https://developers.asana.com/docs/rich-text). Comments allow fewer elements; story selects them. Markdown without a matching element
// stays text.
func richText(source string, story bool) string {
	w := &richWriter{source: []byte(description.WithoutHTML(source)), story: story}
	w.blocks(markdown().Parser().Parse(text.NewReader(w.source)), "\n\n")
	return "<body>" + strings.TrimSpace(w.String()) + "</body>"
}

// markedText is richText with a marker at its end.
func markedText(source, marker string, story bool) string {
	body := strings.TrimSuffix(richText(source, story), "</body>")
	if body != "<body>" {
		body += "\n\n"
	}
	return body + "[" + marker + "]</body>"
}

type richWriter struct {
	strings.Builder
	source []byte
	story  bool
}

// element writes an element around the output of inside.
func (w *richWriter) element(name string, inside func()) {
	w.WriteString("<" + name + ">")
	inside()
	w.WriteString("</" + name + ">")
}

// words writes text without characters that XML forbids.
func (w *richWriter) words(s string) {
	w.WriteString(stdhtml.EscapeString(strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))))
}

// blocks writes the blocks below a node, with a separator between them.
func (w *richWriter) blocks(parent ast.Node, between string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		w.block(n)
		if n.NextSibling() != nil {
			w.WriteString(between)
		}
	}
}

func (w *richWriter) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		name := map[int]string{1: "h1", 2: "h2"}[n.Level]
		if w.story || name == "" {
			name = "strong"
		}
		w.element(name, func() { w.inlines(n) })
	case *ast.Paragraph, *ast.TextBlock:
		w.inlines(n)
	case *ast.List:
		name := map[bool]string{true: "ol", false: "ul"}[n.IsOrdered()]
		w.element(name, func() {
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				w.element("li", func() { w.item(item) })
			}
		})
	case *ast.Blockquote:
		w.element("blockquote", func() { w.item(n) })
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		w.element("pre", func() { w.words(strings.TrimSuffix(string(n.Lines().Value(w.source)), "\n")) })
	case *ast.ThematicBreak:
		if !w.story {
			w.WriteString("<hr/>")
		}
	case *east.Table:
		w.table(n)
	case *ast.HTMLBlock:
		w.words(strings.TrimSpace(string(n.Lines().Value(w.source))))
	default:
		w.blocks(n, "\n")
	}
}

// item writes the content of a list item or a quotation: its paragraphs with an empty line between them.
func (w *richWriter) item(item ast.Node) {
	for n := item.FirstChild(); n != nil; n = n.NextSibling() {
		w.block(n)
		next := n.NextSibling()
		if next == nil {
			return
		}
		w.WriteString("\n")
		if next.Kind() == ast.KindParagraph || next.Kind() == ast.KindTextBlock {
			w.WriteString("\n")
		}
	}
}

// table writes a table; in a comment it writes a line for each row.
func (w *richWriter) table(t *east.Table) {
	rows := func() {
		for row := t.FirstChild(); row != nil; row = row.NextSibling() {
			cells := func() {
				for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
					if w.story {
						w.inlines(cell)
						if cell.NextSibling() != nil {
							w.WriteString(" | ")
						}
						continue
					}
					w.element("td", func() { w.inlines(cell) })
				}
			}
			if w.story {
				cells()
				w.WriteString("\n")
				continue
			}
			w.element("tr", cells)
		}
	}
	if w.story {
		rows()
		return
	}
	w.element("table", rows)
}

// inlines writes the inline nodes below a node.
func (w *richWriter) inlines(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			value := n.Segment.Value(w.source)
			if !n.IsRaw() {
				value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
			}
			w.words(string(value))
			if n.HardLineBreak() || n.SoftLineBreak() {
				w.WriteString("\n")
			}
		case *ast.String:
			w.words(string(n.Value))
		case *ast.CodeSpan:
			w.element("code", func() { w.code(n) })
		case *ast.Emphasis:
			w.element(map[bool]string{true: "strong", false: "em"}[n.Level >= 2], func() { w.inlines(n) })
		case *east.Strikethrough:
			w.element("s", func() { w.inlines(n) })
		case *ast.Link:
			w.link(string(n.Destination), func() { w.inlines(n) })
		case *ast.AutoLink:
			w.link(string(n.URL(w.source)), func() { w.words(string(n.Label(w.source))) })
		case *ast.Image:
			w.link(string(n.Destination), func() {
				if n.HasChildren() {
					w.inlines(n)
				} else {
					w.words(string(n.Destination))
				}
			})
		case *ast.RawHTML:
			w.words(string(n.Segments.Value(w.source)))
		default:
			w.inlines(n)
		}
	}
}

// link writes a link. An address without a scheme is left out, because Asana refuses it.
func (w *richWriter) link(to string, inside func()) {
	if !strings.HasPrefix(to, "https://") && !strings.HasPrefix(to, "http://") && !strings.HasPrefix(to, "mailto:") {
		inside()
		return
	}
	w.WriteString(`<a href="` + stdhtml.EscapeString(strings.ToValidUTF8(to, "")) + `">`)
	inside()
	w.WriteString("</a>")
}

// code writes a code span, which contains only text.
func (w *richWriter) code(span *ast.CodeSpan) {
	for n := span.FirstChild(); n != nil; n = n.NextSibling() {
		if t, ok := n.(*ast.Text); ok {
			w.words(string(t.Segment.Value(w.source)))
		}
	}
}
