package description

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// styleTags are the elements that style words.
var styleTags = map[string]Style{
	"b": Strong, "strong": Strong, "i": Emphasis, "em": Emphasis,
	"code": Mono, "tt": Mono, "kbd": Mono, "samp": Mono,
	"s": Struck, "strike": Struck, "del": Struck,
}

func set(names string) map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		m[name] = true
	}
	return m
}

// inlineTags surround words and have no meaning here.
var inlineTags = set("a abbr font img ins label mark q small span sub sup u input picture source video cite time var wbr dfn center nobr big object")

// blockTags begin a block.
var blockTags = set("html body div p section article main header footer aside nav ul ol li table thead tbody tfoot tr td th caption " +
	"colgroup col h1 h2 h3 h4 h5 h6 pre blockquote hr br details summary dl dt dd form fieldset figure figcaption address")

// parseHTML reads a fragment. In a markdown description, elements that HTML
// does not know are the author's own words (<role>).
func parseHTML(s string, inMarkdown bool) []Block {
	root, err := html.Parse(strings.NewReader(s))
	if err != nil { // nested too deep
		return parseLines(s)
	}
	r := &htmlReader{inMarkdown: inMarkdown, lines: linesCount(s)}
	r.children(root, 0, "", 0)
	r.flush()
	return r.out
}

// linesCount reports whether line breaks in the source are line breaks of the text, as in Asana, which has neither paragraphs nor <br>.
func linesCount(s string) bool {
	lower := strings.ToLower(s[:min(len(s), 64<<10)])
	return strings.HasPrefix(strings.TrimSpace(lower), "<body") && !strings.Contains(lower, "<p>") && !strings.Contains(lower, "<p ") &&
		!strings.Contains(lower, "<div") && !strings.Contains(lower, "<br")
}

// htmlReader makes blocks from elements. Words collect in w until a block
// begins or ends.
type htmlReader struct {
	out        []Block
	w          writer
	lines      bool
	inMarkdown bool
	pre        bool
}

func (r *htmlReader) flush() {
	r.out = append(r.out, paragraph(r.w.take())...)
}

// inside reads the children of a block separately and returns them as blocks.
func (r *htmlReader) inside(n *html.Node, style Style, depth int) []Block {
	inner := &htmlReader{lines: r.lines, inMarkdown: r.inMarkdown, pre: r.pre}
	inner.children(n, style, "", depth)
	inner.flush()
	return inner.out
}

func (r *htmlReader) children(n *html.Node, style Style, link string, depth int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.node(c, style, link, depth+1)
	}
}

func (r *htmlReader) node(n *html.Node, style Style, link string, depth int) {
	switch n.Type {
	case html.TextNode:
		if r.lines && !r.pre { // an empty line separates paragraphs
			for i, part := range strings.Split(n.Data, "\n\n") {
				if i > 0 {
					r.flush()
				}
				r.w.lines(part, style, link)
			}
		} else if r.pre {
			r.w.lines(n.Data, style, link)
		} else {
			r.w.text(n.Data, style, link)
		}
		return
	case html.ElementNode:
	default:
		r.children(n, style, link, depth)
		return
	}
	if s, styled := styleTags[n.Data]; styled || depth > 4*maxDepth { // counts elements that only wrap others, too
		r.children(n, style|s, link, depth)
		return
	}
	if css := attribute(n, "style"); css != "" {
		style |= cssStyle(css)
	}
	r.element(n, style, link, depth)
}

func (r *htmlReader) element(n *html.Node, style Style, link string, depth int) {
	switch n.Data {
	case "script", "style", "head", "title", "template", "noscript", "iframe":
	case "br":
		r.w.breakLine()
	case "hr":
		r.flush()
		r.out = append(r.out, Block{Kind: Rule})
	case "h1", "h2", "h3", "h4", "h5", "h6":
		r.heading(n, depth)
	case "ul", "ol":
		r.flush()
		r.out = append(r.out, Block{Kind: List, Ordered: n.Data == "ol", Start: listStart(attribute(n, "start")), Children: r.items(n, style, depth)})
	case "li": // outside a list
		r.flush()
		r.out = append(r.out, Block{Kind: List, Children: []Block{{Kind: Item, Children: r.inside(n, style, depth)}}, typed: true})
	case "table":
		r.flush()
		r.out = append(r.out, Block{Kind: Table, Children: r.rows(n, style, depth)})
	case "pre":
		r.flush()
		inner := &htmlReader{pre: true}
		inner.children(n, 0, "", depth)
		r.out = append(r.out, Block{Kind: Code, Spans: []Span{{Text: Text(inner.w.take())}}})
	case "blockquote":
		r.flush()
		r.out = append(r.out, Block{Kind: Quote, Children: r.inside(n, style, depth)})
	case "details":
		r.flush()
		r.details(n, style, depth)
	case "a":
		r.children(n, style, attribute(n, "href"), depth)
	case "input":
		if attribute(n, "type") == "checkbox" {
			r.w.text(checkboxes[slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" })], style, "")
		}
	case "img":
		src := attribute(n, "src")
		if !strings.HasPrefix(src, "http://") && !strings.HasPrefix(src, "https://") {
			src = ""
		}
		r.w.text(pictured(strings.TrimSpace(attribute(n, "alt")), src), style, cmp.Or(link, src))
	default:
		r.other(n, style, link, depth)
	}
}

func (r *htmlReader) other(n *html.Node, style Style, link string, depth int) {
	switch {
	case blockTags[n.Data]:
		r.flush()
		r.children(n, style, link, depth)
		r.flush()
	case r.inMarkdown && !inlineTags[n.Data] && !strings.Contains(n.Data, ":"):
		r.w.text("<"+n.Data+">", style, link)
		r.children(n, style, link, depth)
	default:
		r.children(n, style, link, depth)
	}
}

// heading takes the words at the start as the heading. Any blocks behind them are inside only because the heading was not closed; they
// are added after it.
func (r *htmlReader) heading(n *html.Node, depth int) {
	r.flush()
	blocks := r.inside(n, 0, depth)
	level, _ := strconv.Atoi(n.Data[1:])
	head := Block{Kind: Heading, Level: level}
	for len(blocks) > 0 && blocks[0].Kind == Paragraph {
		if len(head.Spans) > 0 {
			head.Spans = append(head.Spans, Span{Text: " "})
		}
		head.Spans = append(head.Spans, blocks[0].Spans...)
		blocks = blocks[1:]
	}
	if len(head.Spans) > 0 {
		r.out = append(r.out, head)
	}
	r.out = append(r.out, blocks...)
}

func (r *htmlReader) details(n *html.Node, style Style, depth int) {
	group := Block{Kind: Group}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.Data == "summary" {
			for _, b := range (&htmlReader{}).inside(c, 0, depth) {
				group.Spans = append(group.Spans, b.Spans...)
			}
			n.RemoveChild(c)
			break
		}
	}
	group.Children = r.inside(n, style, depth)
	if len(group.Children) == 0 { // markdown: the content follows as blocks of its own
		r.out = append(r.out, paragraph(group.Spans)...)
		return
	}
	r.out = append(r.out, group)
}

// items reads a list's items. A list directly inside a list, as some editors write it, belongs to the item before it.
func (r *htmlReader) items(n *html.Node, style Style, depth int) []Block {
	var items []Block
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.ElementNode && c.Data == "li":
			items = append(items, Block{Kind: Item, Children: r.inside(c, style, depth+1)})
		case c.Type == html.ElementNode && depth < 4*maxDepth:
			inner := &htmlReader{lines: r.lines, inMarkdown: r.inMarkdown}
			inner.node(c, style, "", depth+1)
			inner.flush()
			if len(inner.out) == 0 {
				continue
			}
			if len(items) == 0 {
				items = append(items, Block{Kind: Item})
			}
			last := &items[len(items)-1]
			last.Children = append(last.Children, inner.out...)
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
			var w writer
			w.text(c.Data, style, "")
			items = append(items, Block{Kind: Item, Children: paragraph(w.take())})
		}
	}
	return items
}

func (r *htmlReader) rows(n *html.Node, style Style, depth int) []Block {
	var rows []Block
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		switch c.Data {
		case "thead", "tbody", "tfoot":
			rows = append(rows, r.rows(c, style, depth+1)...)
		case "tr":
			row := Block{Kind: Row}
			for d := c.FirstChild; d != nil; d = d.NextSibling {
				if d.Type == html.ElementNode && (d.Data == "td" || d.Data == "th") {
					row.Children = append(row.Children, Block{Kind: Cell, Head: d.Data == "th" || n.Data == "thead", Children: r.inside(d, style, depth+2)})
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// listStart returns the number that a list begins with, 0 when none is given.
func listStart(given string) int {
	n, err := strconv.Atoi(given)
	if err != nil || n < 0 || n > 1<<20 {
		return 0
	}
	return n
}

// checkboxes are the glyphs of a checkbox, by whether it is checked.
var checkboxes = map[bool]string{false: "☐ ", true: "☑ "}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// cssStyle reads the styles that editors write as CSS.
func cssStyle(css string) Style {
	var style Style
	for rule := range strings.SplitSeq(strings.ToLower(css), ";") {
		name, value, _ := strings.Cut(rule, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "font-weight":
			if weight, err := strconv.Atoi(value); value == "bold" || value == "bolder" || err == nil && weight >= 600 {
				style |= Strong
			}
		case "font-style":
			if value == "italic" {
				style |= Emphasis
			}
		case "text-decoration", "text-decoration-line":
			if strings.Contains(value, "line-through") {
				style |= Struck
			}
		}
	}
	return style
}
