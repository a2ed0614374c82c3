package find

import (
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// section is the content below one heading or label.
type section struct {
	title   string
	means   meaning
	level   int // 1 to 6 for headings, labelLevel for labels
	parent  *section
	blocks  []description.Block
	started bool // has blocks or sections of its own
	listed  bool // a part before this one holds a list
	bug     bool // of the first section: the ticket reports observed behaviour
}

const (
	topLevel   = 0
	labelLevel = 10
)

// sectionsOf cuts blocks at headings and labels, in the order of the text. The first section is the text above every heading.
func sectionsOf(blocks []description.Block) []*section {
	s := &sectioner{}
	s.open("", unknown, topLevel)
	s.read(blocks)
	s.all[0].bug = s.bug
	return s.all
}

type sectioner struct {
	all     []*section
	current *section
	counted bool // sections are items of a list that counts ("2. Acceptance criteria")
	bug     bool // a heading or label is about observed behaviour
}

func (s *sectioner) open(title string, means meaning, level int) {
	s.bug = s.bug || isObservation(title)
	parent := s.current
	for parent != nil && parent.level >= level && parent.level != topLevel {
		parent = parent.parent
	}
	// A label right below a label, with nothing between, is part of it: below "Acceptance criteria" it names a group, not the next topic.
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

// labelled returns the criteria section that a label's section belongs to.
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
			if head, label, tail, found := cutAtLabel(b); found {
				s.items(head, true)
				s.read(append([]description.Block{label}, tail...))
				continue
			}
			s.items(b, i+1 < len(blocks) && blocks[i+1].Kind == description.List)
		case description.Table:
			s.table(b)
		case description.Rule:
			if s.current.level == labelLevel { // a rule ends a labelled part
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

// reopen begins another part of the surrounding section, so that the order of the text is kept.
func (s *sectioner) reopen() {
	c := *s.current
	c.listed = c.listed || holdsList(c.blocks)
	c.blocks = nil
	s.current = &c
	s.all = append(s.all, s.current)
}

func (s *sectioner) heading(b description.Block) {
	s.counted = false
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

// paragraph looks for labels at the start of a paragraph's lines.
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
		if means == unknown && !allStrong(line) { // only a wholly bold line stands out enough to be a label of any meaning
			continue
		}
		flush(i)
		from = i + 1
		if len(rest) > 0 && means == excluded && !startsStrong(line) { // "Reference: …" is one line
			s.bug = s.bug || isObservation(title)
			continue
		}
		s.open(strings.TrimRight(title, ": "), means, labelLevel)
		if len(rest) > 0 {
			s.put(description.Block{Kind: description.Paragraph, Spans: rest})
		}
	}
	flush(len(lines))
}
