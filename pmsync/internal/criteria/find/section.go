package find

import (
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// section is what stands below one heading or label.
type section struct {
	title   string
	means   meaning
	level   int // 1 to 6 for headings, labelLevel for labels
	parent  *section
	blocks  []description.Block
	started bool // has blocks or sections of its own
}

const (
	topLevel   = 0
	labelLevel = 10
)

// sectionsOf cuts blocks at headings and labels. The order is that of the text;
// the first is what stands above every heading.
func sectionsOf(blocks []description.Block) []*section {
	s := &sectioner{}
	s.open("", unknown, topLevel)
	s.read(blocks)
	return s.all
}

type sectioner struct {
	all     []*section
	current *section
}

func (s *sectioner) open(title string, means meaning, level int) {
	parent := s.current
	for parent != nil && parent.level >= level && parent.level != topLevel {
		parent = parent.parent
	}
	// A label right below a label, with nothing between, is part of it: what
	// follows "Acceptance criteria" is a group, not the next topic.
	if level == labelLevel && s.current != nil && s.current.level == labelLevel {
		switch {
		case s.current.means == accepts && !s.current.started && means == unknown:
			parent = s.current
		case s.current.parent != nil && s.current.parent.level == labelLevel && means == unknown:
			parent = s.current.parent
		case (means == scenarioOne || means == criterion) && labelled(s.current) != nil:
			parent = labelled(s.current)
		}
	}
	if parent != nil {
		parent.started = true
	}
	s.current = &section{title: title, means: means, level: level, parent: parent}
	s.all = append(s.all, s.current)
}

// labelled returns the section of criteria that a label's section belongs to.
func labelled(s *section) *section {
	for ; s != nil && s.level == labelLevel; s = s.parent {
		if s.means == accepts {
			return s
		}
	}
	return nil
}

func (s *sectioner) put(b description.Block) {
	s.current.blocks = append(s.current.blocks, b)
	s.current.started = true
}

func (s *sectioner) read(blocks []description.Block) {
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		switch b.Kind {
		case description.Heading:
			s.heading(b)
		case description.Paragraph:
			var next *description.Block
			if i+1 < len(blocks) {
				next = &blocks[i+1]
			}
			s.paragraph(b, next)
		case description.Group:
			s.group(b)
		case description.List:
			s.list(b)
		case description.Table:
			s.table(b)
		case description.Rule:
			if s.current.level == labelLevel { // a line ends a labelled part
				for s.current.level == labelLevel {
					s.current = s.current.parent
				}
				s.reopen()
			}
		default:
			s.put(b)
		}
	}
}

// reopen begins another part of the section that surrounds the current one, so
// that the order of the text is kept.
func (s *sectioner) reopen() {
	c := *s.current
	c.blocks = nil
	s.current = &c
	s.all = append(s.all, s.current)
}

func (s *sectioner) heading(b description.Block) {
	title := description.Text(b.Spans)
	if label, rest, ok := inlineLabel(b.Spans); ok && meaningOf(label) == accepts {
		s.open(label, accepts, b.Level)
		s.put(description.Block{Kind: description.Paragraph, Spans: rest})
		return
	}
	s.open(title, meaningOf(title), b.Level)
}

// group reads a panel: with a title it is a section, and it ends with the panel.
func (s *sectioner) group(b description.Block) {
	title := strings.TrimSpace(description.Text(b.Spans))
	outer := s.current
	if title != "" {
		s.open(title, meaningOf(title), labelLevel)
		s.current.parent = outer
	}
	s.read(b.Children)
	if s.current != outer {
		s.current = outer
		s.reopen()
	}
}

// paragraph looks for labels at the start of its lines.
func (s *sectioner) paragraph(b description.Block, next *description.Block) {
	lines := description.Lines(b.Spans)
	from := 0
	flush := func(to int) {
		if to > from {
			s.put(description.Block{Kind: description.Paragraph, Spans: description.Join(lines[from:to])})
		}
		from = to
	}
	for i, line := range lines {
		last := i+1 == len(lines)
		title, rest, ok := labelOf(line, last, next)
		if !ok || isExamples(title) {
			continue
		}
		means := meaningOf(title)
		if means == unknown && !s.mayEnd(line) {
			continue
		}
		flush(i)
		from = i + 1
		if len(rest) > 0 && means == excluded && !startsStrong(line) { // "Reference: …" is one line
			continue
		}
		s.open(strings.TrimRight(title, ": "), means, labelLevel)
		if len(rest) > 0 {
			s.put(description.Block{Kind: description.Paragraph, Spans: rest})
		}
	}
	flush(len(lines))
}

// mayEnd reports whether a label of unknown meaning is one at all: only a line
// that is wholly bold stands out enough.
func (s *sectioner) mayEnd(line []description.Span) bool { return allStrong(line) }

func startsStrong(line []description.Span) bool {
	return len(line) > 0 && line[0].Style&(description.Strong|description.Emphasis) != 0
}

func allStrong(line []description.Span) bool {
	for _, span := range line {
		if span.Style&description.Strong == 0 && strings.Trim(span.Text, " :.-–*") != "" {
			return false
		}
	}
	return len(line) > 0
}

// labelOf reads a line that is a label ("**Acceptance criteria**", "AC:") or
// begins with one ("**AC:** the page loads").
func labelOf(line []description.Span, last bool, next *description.Block) (title string, rest []description.Span, ok bool) {
	text := description.Text(line)
	if allStrong(line) && len(text) <= 120 {
		return text, nil, !isStep(text)
	}
	if label, after, found := inlineLabel(line); found {
		switch meaningOf(label) {
		case accepts, excluded, requires, prose:
			return label, after, true
		}
	}
	if at := strings.LastIndex(text, ". "); at >= 0 && strings.HasSuffix(text, ":") && meaningOf(text[at+2:]) == accepts {
		return text[at+2:], nil, true // behind a sentence
	}
	if len(text) > 80 || strings.ContainsAny(text, "|") {
		return "", nil, false
	}
	// Plain text: a known wording with a colon, or alone above a list.
	means := meaningOf(strings.TrimRight(text, ": "))
	if means == unknown || means == scenarioOne || means == criterion {
		return "", nil, false
	}
	if strings.HasSuffix(strings.TrimSpace(text), ":") {
		return text, nil, true
	}
	if means == accepts && len(strings.Fields(text)) <= 4 || last && next != nil && next.Kind == description.List && len(strings.Fields(text)) <= 4 {
		return text, nil, !strings.HasSuffix(text, ".")
	}
	return "", nil, false
}

// inlineLabel cuts "Label: rest" where the label is bold or short.
func inlineLabel(line []description.Span) (label string, rest []description.Span, ok bool) {
	text := description.Text(line)
	at := strings.IndexAny(text, ":：")
	if at <= 0 || at > 60 {
		return "", nil, false
	}
	width := 1
	if text[at] != ':' {
		width = len("：")
	}
	rest = after(line, at+width)
	if len(rest) == 0 {
		return "", nil, false
	}
	return text[:at], rest, true
}

// after returns the spans behind the first n bytes of a line.
func after(line []description.Span, n int) []description.Span {
	var out []description.Span
	for _, span := range line {
		if n >= len(span.Text) {
			n -= len(span.Text)
			continue
		}
		span.Text = span.Text[n:]
		n = 0
		out = append(out, span)
	}
	return description.Trim(out)
}

// list looks for items that are labels with a list of their own, as outlines
// have them ("- **Acceptance criteria**" above nested items), and for labels
// among the further paragraphs of an item.
func (s *sectioner) list(b description.Block) {
	if !isOutline(b) {
		s.put(b)
		return
	}
	outer := s.current
	for _, item := range b.Children {
		title, _ := itemTitle(item)
		if means := meaningOf(title); len(item.Children) > 1 && means != unknown {
			s.open(title, means, labelLevel)
			s.current.parent = outer
			s.read(item.Children[1:])
			continue
		}
		s.current = outer
		s.reopen()
		at := labelInside(item)
		if at < 0 {
			at = len(item.Children)
		}
		s.put(description.Block{Kind: description.List, Ordered: b.Ordered, Children: []description.Block{{Kind: description.Item, Task: item.Task, Children: item.Children[:at]}}})
		s.read(item.Children[at:])
	}
	s.current = outer
	s.reopen()
}

func isOutline(list description.Block) bool {
	for _, item := range list.Children {
		if title, _ := itemTitle(item); title != "" && len(item.Children) > 1 && meaningOf(title) == accepts || labelInside(item) > 0 {
			return true
		}
	}
	return false
}

// labelInside returns the index of an item's block that is a label of criteria,
// behind its own words, or -1.
func labelInside(item description.Block) int {
	for i, b := range item.Children {
		if i == 0 || b.Kind != description.Paragraph && b.Kind != description.Heading {
			continue
		}
		text := description.Text(b.Spans)
		if label, _, ok := inlineLabel(b.Spans); ok && meaningOf(label) == accepts || len(text) < 60 && meaningOf(strings.TrimRight(text, ": ")) == accepts {
			return i
		}
	}
	return -1
}

// itemTitle returns the text of an item's first paragraph, without its colon.
func itemTitle(item description.Block) (string, []description.Span) {
	if len(item.Children) == 0 || item.Children[0].Kind != description.Paragraph {
		return "", nil
	}
	spans := item.Children[0].Spans
	return strings.TrimRight(strings.TrimSpace(description.Text(spans)), ": "), spans
}

// table looks for rows that are sections: the name in the first cell, the
// content in the second.
func (s *sectioner) table(b description.Block) {
	layout := false
	for _, row := range b.Children {
		if len(row.Children) == 2 && !isHead(row) && meaningOf(cellText(row.Children[0])) == accepts {
			layout = true
		}
	}
	if !layout {
		s.put(b)
		return
	}
	outer := s.current
	for _, row := range b.Children {
		if len(row.Children) != 2 {
			continue
		}
		title := cellText(row.Children[0])
		s.open(title, meaningOf(title), labelLevel)
		s.current.parent = outer
		s.read(row.Children[1].Children)
	}
	s.current = outer
	s.reopen()
}

func cellText(cell description.Block) string {
	var parts []string
	for _, b := range cell.Children {
		parts = append(parts, blockText(b))
	}
	return strings.Join(parts, " ")
}
