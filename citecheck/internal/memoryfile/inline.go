package memoryfile

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/agit-suite/agit/shared/reference"
)

// stretch is a part of a block that is not plain text.
type stretch struct {
	span
	code bool // else it is skipped: a destination, a bare URL, HTML
}

// inline reads one block of text: links as the markdown library found them,
// references and wiki links from the raw lines.
func (p *reading) inline(n ast.Node) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}
	var special []stretch
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		p.special(c, lines.At(lines.Len()-1).Stop, &special)
	}
	slices.SortFunc(special, func(a, b stretch) int { return a.start - b.start })
	for i := range lines.Len() {
		s := lines.At(i)
		line := span{s.Start, min(s.Stop, len(p.src))}
		p.pieces(line, special)
	}
}

// special lists the parts of an inline node that are not plain text, and notes
// the links among them.
func (p *reading) special(n ast.Node, limit int, out *[]stretch) {
	switch n := n.(type) {
	case *ast.CodeSpan:
		if start, end, ok := Extent(n); ok {
			*out = append(*out, stretch{span{start, end}, true})
		}
		return
	case *ast.AutoLink:
		if end := bytes.IndexByte(p.src[n.Pos():limit], '>'); end >= 0 {
			*out = append(*out, stretch{span{n.Pos(), n.Pos() + end + 1}, false})
		}
		return
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			*out = append(*out, stretch{span{s.Start, s.Stop}, false})
		}
		return
	case *ast.Link:
		if s, ok := p.link(n, limit); ok {
			*out = append(*out, stretch{s, false})
		}
	case *ast.Image:
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		p.special(c, limit, out)
	}
}

// Extent is the range of the source that the text under a node covers; ok is false when there is none.
func Extent(n ast.Node) (start, end int, ok bool) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		from, to, found := Extent(c)
		if t, is := c.(*ast.Text); is {
			from, to, found = t.Segment.Start, t.Segment.Stop, true
		}
		switch {
		case found && !ok:
			start, end, ok = from, to, true
		case found:
			start, end = min(start, from), max(end, to)
		}
	}
	return start, end, ok
}

// link notes the target of a markdown link and returns the range of its destination, which is not prose. The destination of a link by
// reference is elsewhere.
func (p *reading) link(n *ast.Link, limit int) (dest span, inText bool) {
	begin, end, _ := Extent(n)
	from := max(end, n.Pos())
	target := string(n.Destination)
	at := p.lines.of(max(n.Pos(), 0))
	if i := bytes.Index(p.src[from:limit], []byte("](")); n.Reference == nil && i >= 0 {
		start := from + i + 2
		for start < limit && strings.IndexByte(" \n<", p.src[start]) >= 0 {
			start++
		}
		if bytes.HasPrefix(p.src[start:limit], n.Destination) {
			dest, inText = span{start, start + len(n.Destination)}, true
		}
	}
	name := string(p.src[begin:end])
	switch {
	case strings.HasPrefix(name, "cite:"):
		p.citeLink(n, dest, at)
	case strings.Contains(target, "#L") && p.want&References != 0 && inText && !strings.Contains(target, "://"):
		if r, ok := reference.Link(n.Destination); ok {
			p.reference(r, dest.start, at, false)
			p.m.References[len(p.m.References)-1].linked = true
		}
	default:
		p.memoryLink(target, max(n.Pos(), 0))
	}
	return dest, inText
}

// citeLink makes a citation of [cite:file](path#L12 "snippet").
func (p *reading) citeLink(n *ast.Link, dest span, at int) {
	raw := string(n.Destination)
	c := Citation{Form: Cite, At: at, destination: dest, Quote: Quote{Snippet: string(n.Title)}}
	path, fragment, _ := strings.Cut(raw, "#")
	if unescaped, err := url.PathUnescape(path); err == nil {
		path = unescaped
	}
	c.Path = strings.TrimPrefix(reference.Clean(path), "/") // from the root of the repository
	if c.Path == "" {
		p.problem(at, "the citation names no file")
		return
	}
	if r, ok := reference.Link(n.Destination); ok {
		c.Line, c.EndLine = r.Line, r.EndLine
	} else if fragment != "" {
		offset := len(raw) - len(fragment)
		if !c.readLines([]byte(raw), span{offset, len(raw)}) || c.Line == 0 {
			p.problem(at, "the line \""+fragment+"\" is not a number")
			return
		}
		c.line, c.end = span{}, span{} // it is rewritten completely
		if c.EndLine <= c.Line {
			c.EndLine = 0
		}
	}
	p.m.Citations = append(p.m.Citations, c)
}

// memoryLink notes a markdown link that may lead to another memory. Whether it does can only be judged with all memories known.
func (p *reading) memoryLink(target string, pos int) {
	if p.want&Links == 0 || target == "" || target[0] == '#' || strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return
	}
	if name, ok := strings.CutPrefix(target, "mem:"); ok {
		p.addLink(name, pos, true)
		return
	}
	if i := strings.IndexAny(target, "#?"); i >= 0 {
		target = target[:i]
	}
	if unescaped, err := url.PathUnescape(target); err == nil {
		target = unescaped
	}
	p.addLink(target, pos, strings.HasSuffix(strings.ToLower(target), ".md"))
}

func (p *reading) addLink(target string, pos int, sure bool) {
	target = strings.TrimSpace(target)
	if p.want&Links != 0 && target != "" {
		p.m.Links = append(p.m.Links, Link{Target: target, At: p.lines.of(pos), Sure: sure, pos: pos})
	}
}

// pieces walks through a line: plain text, code, and skipped parts.
func (p *reading) pieces(line span, special []stretch) {
	at := line.start
	for _, s := range special {
		if s.end <= line.start || s.start >= line.end {
			continue
		}
		if s.start > at {
			p.plain(span{at, s.start})
		}
		if s.code {
			p.code(span{max(s.start, line.start), min(s.end, line.end)}, line.end)
		}
		at = max(at, s.end)
	}
	if at < line.end {
		p.plain(span{at, line.end})
	}
}

func (p *reading) plain(s span) {
	text := p.src[s.start:s.end]
	if p.want&Links != 0 {
		p.wikiLinks(s)
		p.memNames(s)
	}
	p.references(text, s.start, false)
}

// code reads a code span; end is the end of its line.
func (p *reading) code(s span, end int) {
	text := p.src[s.start:s.end]
	if bytes.HasPrefix(text, []byte("mem:")) {
		p.memNames(s)
		return
	}
	if p.want&References == 0 {
		return
	}
	found := reference.Find(text)
	if whole, ok := reference.Whole(text); ok && (len(found) == 0 || len(found) == 1 && found[0].TailOfPath(whole)) {
		p.reference(whole, s.start, p.lines.of(s.start), false)
		p.m.References[len(p.m.References)-1].whole = true
		found = nil
	}
	for _, r := range found {
		p.reference(r, s.start, p.lines.of(s.start+r.PathAt.Start), false)
	}
	// `src/x.py`:17
	path, ok := reference.PathBefore(text, len(text))
	after := s.end + run(p.src[s.end:end], '`')
	if !ok || path.Start != 0 || after == s.end {
		return
	}
	if f, ok := reference.After(p.src[after:end]); ok {
		p.m.References = append(p.m.References, Citation{
			Place: Place{reference.Clean(string(text)), f.Line, f.EndLine}, Form: Prose, At: p.lines.of(s.start),
			path: s, line: spanAt(f.LineAt, after), end: spanAt(f.EndAt, after),
		})
	}
}

func (p *reading) references(text []byte, offset int, inCode bool) {
	if p.want&References == 0 {
		return
	}
	for _, r := range reference.Find(text) {
		p.reference(r, offset, p.lines.of(offset+r.PathAt.Start), inCode)
	}
}

func (p *reading) reference(r reference.Reference, offset, at int, inCode bool) {
	p.m.References = append(p.m.References, Citation{
		Place: Place{r.Path, r.Line, r.EndLine}, Form: Prose, At: at, InCode: inCode,
		path: spanAt(r.PathAt, offset), line: spanAt(r.LineAt, offset), end: spanAt(r.EndAt, offset),
	})
}

// codeBlock notes references inside a code block, which cite nothing.
func (p *reading) codeBlock(n ast.Node) {
	if p.want&References == 0 {
		return
	}
	lines := n.Lines()
	for i := range lines.Len() {
		s := lines.At(i)
		p.references(p.src[s.Start:s.Stop], s.Start, true)
	}
}

// wikiLinks notes [[name]], [[name|shown]], [[name#part]].
func (p *reading) wikiLinks(s span) {
	for at := s.start; ; {
		i := bytes.Index(p.src[at:s.end], []byte("[["))
		if i < 0 {
			return
		}
		start := at + i + 2
		length := bytes.Index(p.src[start:s.end], []byte("]]"))
		if length < 0 {
			return
		}
		name := string(p.src[start : start+length])
		at = start + length + 2
		if i := strings.IndexAny(name, "|#^"); i >= 0 {
			name = name[:i]
		}
		if name = strings.TrimSuffix(name, `\`); memoryName(name) {
			p.addLink(name, start, true)
		}
	}
}

// memoryName reports whether a text can name a memory; [[ -f x ]] of a shell
// cannot.
func memoryName(name string) bool {
	trimmed := strings.TrimSpace(name)
	return trimmed != "" && trimmed[0] != ':' && len(trimmed) <= 300 && name == trimmed && !strings.ContainsAny(trimmed, "\"$[]{}=<>\\`\n*")
}

// memNames notes mem:NAME, as Serena writes links.
func (p *reading) memNames(s span) {
	text := p.src[s.start:s.end]
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("mem:"))
		if i < 0 {
			return
		}
		start := at + i + len("mem:")
		before := at + i - 1
		at = start
		if before >= 0 && (letter(text[before]) || digit(text[before]) || text[before] == '_') {
			continue
		}
		end := start
		for end < len(text) && (letter(text[end]) || digit(text[end]) || strings.IndexByte("_-./", text[end]) >= 0 || text[end] >= 0x80) {
			end++
		}
		if end < len(text) && strings.IndexByte("*<{$[", text[end]) >= 0 {
			continue // a pattern
		}
		if name := strings.TrimRight(string(text[start:end]), ".-/"); name != "" {
			p.addLink(name, s.start+start, true)
		}
		at = end
	}
}
