package memoryfile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/reference"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// markdown is CommonMark without extensions; tables are read here (see doc.go). It is created for the first memory that needs it, since
// many runs parse none.
var markdown = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
})

// Parse reads a memory. It never fails: Problems lists the unreadable parts with their lines, and the other parts are parsed.
func Parse(src []byte, want Want) *Memory {
	m := &Memory{src: src, Confidence: -1}
	m.marks.firstLinks = -1
	if !readable(m) {
		m.Unreadable = true
		return m
	}
	if want&Statements != 0 && cites(src) {
		want |= References
	}
	visible := m.unmerged(hideFrontMatter(m))
	m.Title = redact.Clean(title(visible)) // it is only shown
	if !worth(src, want) {
		return m
	}
	p := &reading{m: m, src: visible, want: want}
	if err := p.run(); err != nil {
		m.Problems = append(m.Problems, Problem{Line: 1, Text: err.Error()})
	}
	m.markAdopted()
	return m
}

// readable returns what keeps a text from being markdown.
func readable(m *Memory) bool {
	src := m.src
	switch {
	case bytes.HasPrefix(src, []byte("\xff\xfe")), bytes.HasPrefix(src, []byte("\xfe\xff")):
		m.Problems = append(m.Problems, Problem{1, "the file is UTF-16; memories are UTF-8"})
		return false
	case bytes.IndexByte(src, 0) >= 0:
		at := bytes.IndexByte(src, 0)
		m.Problems = append(m.Problems, Problem{lineOf(src, at), "the file holds a NUL byte and is not text"})
		return false
	case tangled(src) > 0:
		m.Problems = append(m.Problems, Problem{tangled(src), "the paragraph begins more links than can be read"})
		return false
	case !utf8.Valid(src):
		at := 0
		for {
			r, size := utf8.DecodeRune(src[at:])
			if r == utf8.RuneError && size <= 1 {
				break
			}
			at += size
		}
		m.Problems = append(m.Problems, Problem{lineOf(src, at), "the line is not UTF-8"})
	}
	return true
}

// maxTangle bounds the time that the markdown library may need for one paragraph: for each opened link it scans to the paragraph's end.
// 30,000 opened links in 120 kB take it 5 s; a real table of 300 links counts for a hundredth of this bound.
const maxTangle = 500_000_000

// tangled returns the line of a paragraph that would take too long to parse, else 0.
func tangled(src []byte) int {
	begun := []byte("](")
	if bytes.Count(src, begun)*len(src) < maxTangle {
		return 0
	}
	start, line := 0, 1
	for at := 0; at < len(src); {
		text, next := nextLine(src, at)
		if at = next; len(text) > 0 && next < len(src) {
			continue
		}
		if bytes.Count(src[start:next], begun)*(next-start) >= maxTangle {
			return line
		}
		line += bytes.Count(src[start:next], []byte{'\n'})
		start = next
	}
	return 0
}

// worth reports whether a text can contain what is wanted at all. Most memories cite nothing, and parsing is the expensive part.
func worth(src []byte, want Want) bool {
	if want == All {
		return true // it is to be written
	}
	if want&Links != 0 && (bytes.Contains(src, []byte("[[")) || bytes.Contains(src, []byte("](")) || bytes.Contains(src, []byte("]:")) ||
		bytes.Contains(src, []byte("mem:")) || containsFold(src, "link") || containsFold(src, "related") || containsFold(src, "see also")) {
		return true
	}
	if want&References != 0 && (reference.MayHold(src) || containsFold(src, "metadata")) { // Statement leaves both out
		return true
	}
	return cites(src)
}

func cites(src []byte) bool { return headed(src) || bytes.Contains(src, []byte("[cite:")) }

// headed reports whether a line may be the heading of the section Citations.
func headed(src []byte) bool {
	for _, part := range []string{"itation", "ITATION"} { // Citations, citations, CITATIONS
		for at := 0; ; {
			i := bytes.Index(src[at:], []byte(part))
			if i < 0 {
				break
			}
			start := lineStart(src, at+i)
			line, next := nextLine(src, start)
			if at = next; topicOf(foldHeading(line)) == citations {
				return true
			}
		}
	}
	return false
}

// containsFold is bytes.Contains ignoring case, for a lower-case ASCII word.
func containsFold(src []byte, word string) bool {
	lower, upper := word[1], word[1]-'a'+'A' // the second letter: in most of the words it is rarer than the first
	for at := 0; at < len(src); {
		i := bytes.IndexByte(src[at:], lower)
		limit := src[at:]
		if i >= 0 {
			limit = limit[:i]
		}
		if j := bytes.IndexByte(limit, upper); j >= 0 {
			i = j
		}
		if i < 0 {
			return false
		}
		start := at + i - 1
		if start >= 0 && start+len(word) <= len(src) && strings.EqualFold(string(src[start:start+len(word)]), word) {
			return true
		}
		at += i + 1
	}
	return false
}

// hideFrontMatter returns the source with a byte order mark and the front matter blanked, so that positions stay, and reads the links in
// the front matter.
func hideFrontMatter(m *Memory) []byte {
	src, start := m.src, 0
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		start = 3
	}
	end := frontMatter(src, start)
	m.marks.body = end
	if end == 0 {
		return src
	}
	visible := bytes.Clone(src)
	for i := range visible[:end] {
		if visible[i] != '\n' && visible[i] != '\r' {
			visible[i] = ' '
		}
	}
	if end > start {
		m.frontLinks(start, end)
	}
	return visible
}

// frontMatter returns the end of YAML between --- lines, or start when there is none.
func frontMatter(src []byte, start int) int {
	first, next := nextLine(src, start)
	if string(first) != "---" {
		return start
	}
	for at := next; at < len(src); {
		line, after := nextLine(src, at)
		if s := string(line); s == "---" || s == "..." {
			return after
		}
		at = after
	}
	return start
}

// nextLine returns the line at a position without its line ending, and the start of the next line.
func nextLine(src []byte, at int) (line []byte, next int) {
	end := bytes.IndexByte(src[at:], '\n')
	if end < 0 {
		return bytes.TrimRight(src[at:], "\r \t"), len(src)
	}
	return bytes.TrimRight(src[at:at+end], "\r \t"), at + end + 1
}

// title is the first heading of the text, found without parsing it: one behind #, or a line of prose above a line of =.
func title(src []byte) string {
	var above [][]byte // the lines of the paragraph so far
	for at, fenced := 0, false; at < len(src); {
		line, next := nextLine(src, at)
		at = next
		before := above
		if above = append(above, line); len(line) == 0 {
			above = nil
		}
		switch {
		case bytes.HasPrefix(line, []byte("```")), bytes.HasPrefix(line, []byte("~~~")):
			fenced = !fenced
		case fenced:
			above = nil
		case len(line) > 0 && len(bytes.Trim(line, "=")) == 0:
			if len(before) == 1 && !bytes.ContainsAny(before[0][:1], "#>-*+|`~=\t ") {
				return string(before[0])
			}
		case len(line) < 3 || line[0] != '#':
		default:
			if rest := bytes.TrimLeft(line, "#"); len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t') {
				return strings.TrimSpace(strings.TrimRight(string(rest), "# \t"))
			}
		}
	}
	return ""
}

// lineOf returns the line of a byte, from 1.
func lineOf(src []byte, at int) int { return 1 + bytes.Count(src[:min(at, len(src))], []byte{'\n'}) }

// topic is the meaning of a section's heading.
type topic int

const (
	other topic = iota
	citations
	links
	metadata
)

// topicOf returns the topic of a heading that foldHeading folded.
func topicOf(heading string) topic {
	switch heading {
	case "citations", "citation", "code citations":
		return citations
	case "links", "related", "related memories", "see also", "related links":
		return links
	case "metadata", "meta":
		return metadata
	}
	return other
}

// foldHeading keeps only the words of a heading: letters and single spaces.
func foldHeading(raw []byte) string {
	words := strings.FieldsFunc(strings.ToLower(string(raw)), func(r rune) bool { return r < 'a' || r > 'z' })
	return strings.Join(words, " ")
}

// reading is the state of one parse.
type reading struct {
	m    *Memory
	src  []byte // with the front matter blanked
	want Want

	topic   topic
	level   int      // of the heading that began the topic
	current *section // the section of the topic, when writing needs it
	lines   lineCounter
}

// run walks the blocks in order. The markdown library may panic on odd input; run turns that into a problem.
func (p *reading) run() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the markdown could not be read: %v", r)
		}
	}()
	doc := markdown().Parse(text.NewReader(p.src))
	p.lines.src = p.src
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		p.block(n, true)
	}
	p.endTopic(len(p.src))
	p.finishMarks()
	return nil
}

func (p *reading) block(n ast.Node, top bool) {
	switch n := n.(type) {
	case *ast.Heading:
		if top {
			p.heading(n)
		}
		p.inline(n)
	case *ast.Paragraph, *ast.TextBlock:
		switch p.topic {
		case citations:
			if top && p.tableLines(n.Lines()) {
				return
			}
		case metadata:
			p.metadataLines(n.Lines())
		}
		p.inline(n)
		if p.topic == links {
			p.bareLinks(n)
		}
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		p.codeBlock(n)
	case *ast.HTMLBlock:
	default:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if c.Type() == ast.TypeBlock {
				p.block(c, false)
			}
		}
	}
}

func (p *reading) heading(n *ast.Heading) {
	if n.Lines().Len() == 0 {
		return // a heading without words ends nothing
	}
	first := n.Lines().At(0)
	start := lineStart(p.src, first.Start)
	if p.topic != other && n.Level <= p.level {
		p.endTopic(start)
	}
	found := topicOf(foldHeading(first.Value(p.src)))
	if found == other {
		return
	}
	p.endTopic(start)
	p.topic, p.level = found, n.Level
	marks := &p.m.marks
	if (found == links || found == metadata) && marks.firstLinks < 0 {
		marks.firstLinks = start
	}
	end := endOfLine(p.src, n.Lines().At(n.Lines().Len()-1).Stop)
	if end < len(p.src) && !bytes.HasPrefix(bytes.TrimLeft(p.src[start:], " "), []byte("#")) { // setext: the underline is part of the heading
		_, end = nextLine(p.src, min(end+1, len(p.src)))
		end = max(end-1, 0)
	}
	switch {
	case found == citations && !marks.citations.found:
		p.current = &marks.citations
	case found == metadata && !marks.metadata.found:
		p.current = &marks.metadata
	default:
		return
	}
	*p.current = section{found: true, heading: start, start: min(end, len(p.src)), end: len(p.src)}
}

func (p *reading) endTopic(at int) {
	if p.current != nil {
		p.current.end = at
	}
	p.topic, p.current = other, nil
}

// finishMarks lists the parts that Statement leaves out.
func (p *reading) finishMarks() {
	m := p.m
	slices.SortStableFunc(m.References, func(a, b Citation) int { return a.line.start - b.line.start })
	slices.SortStableFunc(m.Links, func(a, b Link) int { return a.pos - b.pos })
	for _, s := range []section{m.marks.citations, m.marks.metadata} {
		if s.found {
			m.marks.bookkeeping = append(m.marks.bookkeeping, span{s.heading, s.end})
		}
	}
	for _, r := range m.References {
		if !r.InCode {
			m.marks.bookkeeping = append(m.marks.bookkeeping, r.line, r.end)
		}
	}
	for _, c := range m.Citations {
		if c.Form == Cite {
			m.marks.bookkeeping = append(m.marks.bookkeeping, c.destination)
		}
	}
	slices.SortFunc(m.marks.bookkeeping, func(a, b span) int { return a.start - b.start })
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// endOfLine returns the end of the line that contains a byte, before its line ending.
func endOfLine(src []byte, at int) int {
	if at > 0 && at <= len(src) && src[at-1] == '\n' {
		at--
	}
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		at += i
	} else {
		at = len(src)
	}
	if at > 0 && src[at-1] == '\r' {
		at--
	}
	return at
}

// lineCounter turns rising offsets into line numbers without counting from the
// start each time.
type lineCounter struct {
	src      []byte
	at, line int
}

func (c *lineCounter) of(at int) int {
	if at < c.at || c.line == 0 {
		c.at, c.line = 0, 1
	}
	c.line += bytes.Count(c.src[c.at:at], []byte{'\n'})
	c.at = at
	return c.line
}

// unmerged reports each place where git left conflict markers (git-merge(1), "How conflicts are presented"). It returns the text with the
// markers turned into words, so that the rows of both sides are read: a line of = would turn the rows above into a heading. Positions stay.
// Markers in fenced code are an example.
func (m *Memory) unmerged(src []byte) []byte {
	if !bytes.Contains(src, []byte("<<<<<<<")) {
		return src
	}
	var open, middle []span // markers of the conflict that is being read
	var hidden []span
	fenced := false
	for at := 0; at < len(src); {
		line, next := nextLine(src, at)
		here := span{at, at + len(line)}
		switch {
		case len(open) == 0 && (bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))):
			fenced = !fenced
		case fenced:
		case conflictMark(line, '<'):
			open, middle = []span{here}, nil
		case len(open) > 0 && conflictMark(line, '|'), len(open) > 0 && string(line) == "=======":
			middle = append(middle, here)
		case len(middle) > 0 && conflictMark(line, '>'):
			m.Problems = append(m.Problems, Problem{lineOf(src, open[0].start), "the conflict of a merge stands here; choose what holds, and take the markers out"})
			hidden = append(append(append(hidden, open...), middle...), here)
			open, middle = nil, nil
		}
		at = next
	}
	if len(hidden) == 0 {
		return src
	}
	visible := bytes.Clone(src)
	for _, s := range hidden {
		for i := s.start; i < s.end; i++ {
			visible[i] = '.'
		}
	}
	return visible
}

// conflictMark reports whether a line is a marker of seven signs, with a name or without.
func conflictMark(line []byte, sign byte) bool {
	rest, ok := bytes.CutPrefix(line, bytes.Repeat([]byte{sign}, 7))
	return ok && (len(rest) == 0 || rest[0] == ' ')
}
