package description

import (
	"bytes"
	"cmp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// commonMark parses without extensions: tidy reads tables, task states and struck text of every format alike, even where GFM refuses them
// (a table without its second line). It is made when the first description needs it, since most commands read none.
var commonMark = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
})

// readMarkdown reads the blocks of a text; exact keeps what Parse leaves out or guesses.
func readMarkdown(s string, exact bool) []Block {
	if hardToParse(s) {
		return parseLines(s)
	}
	m := &markdownReader{src: []byte(strings.ReplaceAll(s, "\x00", "")), exact: exact}
	return m.blocks(commonMark().Parse(text.NewReader(m.src)), 0)
}

// parseLines reads text as paragraphs of lines; tidy finds lists in them.
func parseLines(s string) []Block {
	var blocks []Block
	var w writer
	flush := func() {
		blocks = append(blocks, paragraph(w.take())...)
	}
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line == "" {
			flush()
			continue
		}
		w.text(line, 0, "")
		w.breakLine()
	}
	flush()
	return blocks
}

type markdownReader struct {
	src   []byte
	exact bool
}

func (m *markdownReader) blocks(parent ast.Node, depth int) []Block {
	var blocks []Block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		blocks = m.block(blocks, n, depth)
	}
	return blocks
}

func (m *markdownReader) block(blocks []Block, n ast.Node, depth int) []Block {
	if depth > maxDepth {
		return append(blocks, Block{Kind: Paragraph, Spans: []Span{{Text: words(n, m.src)}}})
	}
	switch n := n.(type) {
	case *ast.Heading:
		return append(blocks, Block{Kind: Heading, Level: n.Level, Spans: m.inline(n)})
	case *ast.Paragraph, *ast.TextBlock:
		return append(blocks, paragraph(m.inline(n))...)
	case *ast.List:
		list := Block{Kind: List, Ordered: n.IsOrdered()}
		if list.Ordered {
			list.Start = min(n.Start, 1<<20)
		}
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			list.Children = append(list.Children, Block{Kind: Item, Children: m.blocks(item, depth+1)})
		}
		return append(blocks, list)
	case *ast.Blockquote:
		return append(blocks, Block{Kind: Quote, Children: m.blocks(n, depth+1)})
	case *ast.FencedCodeBlock:
		return append(blocks, Block{Kind: Code, Language: strings.ToLower(string(n.Language(m.src))), Spans: []Span{{Text: m.raw(n)}}})
	case *ast.CodeBlock:
		s := m.raw(n)
		if m.exact || readMarker(strings.TrimSpace(s)).kind == noMarker {
			return append(blocks, Block{Kind: Code, Spans: []Span{{Text: s}}})
		}
		inner := &markdownReader{src: []byte(dedent(s))} // a list that its author indented too far
		return append(blocks, inner.blocks(commonMark().Parse(text.NewReader(inner.src)), depth+1)...)
	case *ast.HTMLBlock:
		html := m.raw(n)
		if n.HasClosure() {
			html += string(n.ClosureLine.Value(m.src))
		}
		return append(blocks, parseHTML(html, true)...)
	case *ast.ThematicBreak:
		return append(blocks, Block{Kind: Rule})
	}
	return blocks
}

// dedent removes the indentation of the first line from every line.
func dedent(s string) string {
	indent := s[:len(s)-len(strings.TrimLeft(s, " \t"))]
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimPrefix(line, indent))
	}
	return b.String()
}

func (m *markdownReader) raw(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(m.src))
	}
	return b.String()
}

func (m *markdownReader) inline(n ast.Node) []Span {
	in := &inlineReader{src: m.src, exact: m.exact, w: writer{exact: m.exact}}
	if lines := n.Lines(); lines.Len() > 0 {
		first := lines.At(0)
		in.table = bytes.HasPrefix(bytes.TrimLeft(first.Value(m.src), " "), []byte("|"))
	}
	in.children(n, 0, "", 0)
	return in.w.take()
}

// inlineReader collects the spans of one block. HTML tags among them open and
// close styles.
type inlineReader struct {
	src   []byte
	exact bool
	w     writer
	html  Style
	table bool // a <br> does not end a row
}

func (r *inlineReader) children(n ast.Node, style Style, link string, depth int) {
	if depth > maxDepth {
		r.w.text(words(n, r.src), style, link)
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.node(c, style, link, depth)
	}
}

func (r *inlineReader) node(n ast.Node, style Style, link string, depth int) {
	switch n := n.(type) {
	case *ast.Text:
		value := n.Value(r.src)
		if !n.IsRaw() && style&Mono == 0 {
			if bytes.Contains(value, []byte(`\|`)) {
				value = bytes.ReplaceAll(value, []byte(`\|`), []byte(escapedBar))
			}
			value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
		}
		r.w.text(string(value), style|r.html, link)
		switch {
		case n.HardLineBreak() && r.exact:
			r.w.raw("\n", HardBreak, "")
		case n.SoftLineBreak() || n.HardLineBreak():
			r.w.breakLine()
		}
	case *ast.String:
		r.w.text(string(n.Value), style|r.html, link)
	case *ast.CodeSpan:
		if r.exact {
			if code := words(n, r.src); code != "" {
				r.w.raw(code, style|Mono|r.html, link)
			}
			return
		}
		r.children(n, style|Mono, link, depth+1)
	case *ast.Emphasis:
		if n.Level == 2 {
			style |= Strong
		} else {
			style |= Emphasis
		}
		r.children(n, style, link, depth+1)
	case *ast.Link:
		r.children(n, style, string(n.Destination), depth+1)
	case *ast.Image:
		if to := string(n.Destination); r.exact {
			r.w.text(cmp.Or(words(n, r.src), to), style|r.html|Picture, to)
		}
	case *ast.AutoLink:
		url := string(n.URL(r.src))
		r.w.text(string(n.Label(r.src)), style|r.html, url)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			r.tag(string(segment.Value(r.src)), style, link)
		}
	}
}

// words returns the text of all nodes below one, without markup.
func words(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Value(src))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
			b.Write(n.Lines().Value(src))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// tag reads HTML among words. Elements that HTML does not know, such as <role>, are the author's own words.
func (r *inlineReader) tag(raw string, style Style, link string) {
	name := leadingTag(strings.Replace(raw, "</", "<", 1))
	closing := strings.HasPrefix(raw, "</")
	if s, ok := styleTags[name]; ok {
		if closing {
			r.html &^= s
		} else {
			r.html |= s
		}
		return
	}
	switch {
	case strings.HasPrefix(raw, "<!"), strings.HasPrefix(raw, "<?"):
	case name == "br" && (r.table || r.exact):
		r.w.raw(cellBreak, 0, "")
	case name == "br":
		r.w.breakLine()
	case name == "input" && strings.Contains(raw, "checkbox"):
		r.w.text(checkboxes[strings.Contains(raw, "checked")], style, link)
	case inlineTags[name] || blockTags[name]:
	default:
		r.w.text(raw, style|r.html, link)
	}
}

// escapedBar stands for a "\|" until tables are cut into cells.
const escapedBar = "\uFDD0"

// cellBreak stands for a <br> in a row until tables are cut into cells.
const cellBreak = "\uFDD1"
