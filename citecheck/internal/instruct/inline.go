package instruct

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/shared/reference"
	"github.com/agit-suite/agit/shared/text"
)

// inline reads a block of text: its code spans, links and plain text.
func (r *reading) inline(n ast.Node) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return // a heading without a text
	}
	from, to := lines.At(0).Start, lines.At(lines.Len()-1).Stop
	b := block{r: r, from: from, to: to, text: string(r.src[from:to])}
	b.walk(n)
}

// block is one block of text.
type block struct {
	r        *reading
	from, to int
	text     string
}

func (b *block) walk(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch at := c.(type) {
		case *ast.CodeSpan:
			if start, end, ok := memoryfile.Extent(at); ok {
				b.code(start, end)
			}
		case *ast.Link:
			b.link(at)
		case *ast.Text:
			start, end := at.Segment.Start, at.Segment.Stop
			for next, ok := c.NextSibling().(*ast.Text); ok && next.Segment.Start == end; next, ok = c.NextSibling().(*ast.Text) {
				c, end = next, next.Segment.Stop // marks that open no formatting split texts
			}
			b.prose(start, end)
		case *ast.Image, *ast.AutoLink, *ast.RawHTML:
		default:
			b.walk(c)
		}
	}
}

// add notes a reference with the sentence around it.
func (b *block) add(ref Reference) {
	ref.Around = sentence(b.text, max(ref.Start-b.from, 0), min(ref.End-b.from, len(b.text)))
	b.r.add(ref)
}

// code reads a code span: a place, a path, a command or a symbol.
func (b *block) code(start, end int) {
	for start < end && b.r.src[start] == ' ' {
		start++
	}
	for end > start && b.r.src[end-1] == ' ' {
		end--
	}
	span := string(b.r.src[start:end])
	switch {
	case span == "" || len(span) > 300 || strings.Contains(span, "\n"):
	case isPlace(span):
		b.add(Reference{Kind: Place, Text: span, Target: span, Start: start, End: end, in: inCode})
	case mayBePath(span):
		path := pathPart(span)
		b.add(Reference{Kind: Path, Text: span, Target: path, Start: start, End: start + len(path), in: inCode})
	case symbolName(span) != "":
		b.add(Reference{Kind: Symbol, Text: span, Target: symbolName(span), Start: start, End: start, in: inCode})
	case strings.Contains(span, " "):
		for _, ref := range commandRefs(span, "") {
			ref.in, ref.Start, ref.End = inCode, start+ref.Start, start+ref.End
			b.add(ref)
		}
	}
}

// isPlace reports whether a text names a line of a file.
func isPlace(span string) bool {
	f, ok := reference.Whole([]byte(span))
	return ok && f.Line > 0
}

// link reads the target of a link.
func (b *block) link(n *ast.Link) {
	dest := strings.TrimPrefix(string(n.Destination), "mdc:") // as Cursor writes links to files
	label, end, ok := memoryfile.Extent(n)
	if !ok {
		label, end = b.from, b.from
	}
	target, anchor, _ := strings.Cut(dest, "#")
	target, _, _ = strings.Cut(target, "?")
	if strings.Contains(dest, "://") || strings.HasPrefix(dest, "mailto:") || strings.HasPrefix(dest, "//") || dest == "" || dest == "#" {
		return
	}
	ref := Reference{Kind: Link, Text: dest, Target: target, Anchor: anchor, Start: label, End: label, in: inLink}
	if i := bytes.Index(b.r.src[end:b.to], []byte("](")); i >= 0 && n.Reference == nil && strings.HasPrefix(string(b.r.src[end+i+2:b.to]), target) {
		ref.Start, ref.End = end+i+2, end+i+2+len(target)
	} else if i >= 0 && n.Reference == nil && strings.HasPrefix(string(b.r.src[end+i+2:b.to]), "mdc:"+target) {
		ref.Start, ref.End = end+i+6, end+i+6+len(target)
	}
	if decoded, err := url.PathUnescape(target); err == nil && decoded != target {
		ref.Target, ref.End = decoded, ref.Start
	}
	b.add(ref)
}

var (
	bareName   = text.Pattern{Expr: `(?:^|[\s(,])((?:\.{0,2}/)?(?:[\w.@+-]+/)+[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,5})(?:[\s),.;:]|$)`}
	importName = text.Pattern{Expr: `(?:^|\s)@((?:~/|\.{0,2}/)?[\w.+-]+(?:/[\w.@+-]+)*)`}
)

// prose reads plain text: imports, and paths with a folder and an ending.
func (b *block) prose(start, end int) {
	part := b.r.src[start:end]
	if b.r.imports {
		for _, m := range importName.Regexp().FindAllSubmatchIndex(part, -1) {
			target := strings.TrimRight(string(part[m[2]:m[3]]), ".,")
			b.add(Reference{Kind: Import, Text: "@" + target, Target: target, Start: start + m[2], End: start + m[2] + len(target), in: inProse})
		}
	}
	for at := 0; at < len(part); {
		m := bareName.Regexp().FindSubmatchIndex(part[at:])
		if m == nil {
			return
		}
		s, e := at+m[2], at+m[3]
		at = e
		if e < len(part) && part[e] == ':' && e+1 < len(part) && part[e+1] >= '0' && part[e+1] <= '9' {
			continue // a place, which is read elsewhere
		}
		target := string(part[s:e])
		if target[0] == '@' {
			continue // an import, or the name of a package
		}
		b.add(Reference{Kind: Path, Text: target, Target: target, Start: start + s, End: start + e, in: inProse})
	}
}
