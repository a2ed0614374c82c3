package description

import "strings"

// Kind is the kind of a block.
type Kind uint8

// The kinds of blocks, and which fields of Block each uses.
const (
	Paragraph Kind = iota // Spans
	Heading               // Spans, Level
	List                  // Children are items; Ordered, Start
	Item                  // Children; Task
	Table                 // Children are rows
	Row                   // Children are cells
	Cell                  // Children; Head
	Code                  // Spans hold the text as it is; Language
	Quote                 // Children
	Group                 // a panel, an expand, a details element: Children, and Spans as its title
	Rule                  // a horizontal rule
)

// Task is the state of an item's checkbox.
type Task uint8

// The states of a checkbox.
const (
	NoTask Task = iota
	Open
	Done
)

// Document is a description as a tree. The zero value is an empty description.
type Document struct {
	Blocks []Block
	// Truncated is set when the text was longer than MaxSize.
	Truncated bool
}

// Block is a node of the tree; Kind determines which fields it uses.
type Block struct {
	Kind     Kind
	Level    int // 1 to 6
	Ordered  bool
	Start    int // first number of an ordered list; 0 means 1
	Head     bool
	Task     Task
	Language string // lower case, empty if none was given
	Spans    []Span
	Children []Block

	typed bool // a list made of typed lines; the list next to it may continue it
}

// paragraph returns spans as a paragraph, and nothing where there are none.
func paragraph(spans []Span) []Block {
	if len(spans) == 0 {
		return nil
	}
	return []Block{{Kind: Paragraph, Spans: spans}}
}

// Style is a set of text styles.
type Style uint8

// The styles of a span.
const (
	Strong Style = 1 << iota
	Emphasis
	Mono
	Struck
	// Only Written returns these.
	HardBreak // a line break that Markdown keeps
	Picture   // the picture at Link, with its alternative text
)

// Span is a run of text in one style. A "\n" in Text is a line break that the
// author made.
type Span struct {
	Text  string
	Style Style
	Link  string
}

// Text returns the spans' text without any markup.
func Text(spans []Span) string {
	if len(spans) == 1 {
		return spans[0].Text
	}
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Lines splits spans at their line breaks and trims each line. Empty lines are
// left out.
func Lines(spans []Span) [][]Span {
	var lines [][]Span
	var line []Span
	end := func() {
		if line = Trim(line); len(line) > 0 {
			lines = append(lines, line)
		}
		line = nil
	}
	for _, s := range spans {
		for {
			before, after, found := strings.Cut(s.Text, "\n")
			if before != "" {
				line = append(line, Span{before, s.Style, s.Link})
			}
			if !found {
				break
			}
			end()
			s.Text = after
		}
	}
	end()
	return lines
}

// Trim takes white space from both ends of a line.
func Trim(line []Span) []Span {
	for len(line) > 0 {
		if line[0].Text = strings.TrimLeft(line[0].Text, " \t\n"); line[0].Text != "" {
			break
		}
		line = line[1:]
	}
	for len(line) > 0 {
		last := &line[len(line)-1]
		if last.Text = strings.TrimRight(last.Text, " \t\n"); last.Text != "" {
			break
		}
		line = line[:len(line)-1]
	}
	return line
}

// Join joins lines again, with breaks between them.
func Join(lines [][]Span) []Span {
	var spans []Span
	for i, line := range lines {
		if i > 0 {
			spans = append(spans, Span{Text: "\n"})
		}
		spans = append(spans, line...)
	}
	return spans
}

// writer collects spans. Adjacent spans of one style become one span, and runs of white space one space.
type writer struct {
	spans []Span
	tail  byte // the last byte written, or 0
	exact bool // white space and invisible marks stay
}

// text adds words; every run of white space in it, line breaks included, is one
// space.
func (w *writer) text(s string, style Style, link string) {
	if !w.exact {
		s = squeeze(s, w.tail == 0 || w.tail == ' ' || w.tail == '\n')
	}
	if s != "" {
		w.raw(s, style, link)
	}
}

// lines adds words and keeps their line breaks.
func (w *writer) lines(s string, style Style, link string) {
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			w.breakLine()
		}
		w.text(line, style, link)
	}
}

func (w *writer) breakLine() { w.raw("\n", 0, "") }

func (w *writer) raw(s string, style Style, link string) {
	w.tail = s[len(s)-1]
	if n := len(w.spans); n > 0 && w.spans[n-1].Style == style && w.spans[n-1].Link == link && len(w.spans[n-1].Text) < 4096 {
		w.spans[n-1].Text += s
		return
	}
	w.spans = append(w.spans, Span{s, style, link})
}

// take returns the collected spans, trimmed, and starts anew.
func (w *writer) take() []Span {
	spans := Trim(w.spans)
	*w = writer{}
	return spans
}

// squeeze turns every run of white space into one space, and drops one at the start when afterSpace is set. Invisible marks are dropped.
func squeeze(s string, afterSpace bool) string {
	clean := true
	space := afterSpace
	for _, r := range s {
		blank := isBlank(r)
		if blank && (space || r != ' ') || isInvisible(r) {
			clean = false
			break
		}
		space = blank
	}
	if clean {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space = afterSpace
	for _, r := range s {
		switch {
		case isInvisible(r):
		case !isBlank(r):
			b.WriteRune(r)
			space = false
		case !space:
			b.WriteByte(' ')
			space = true
		}
	}
	return b.String()
}

func isBlank(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\r', '\v', '\f', 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}

// isInvisible reports control characters and zero-width marks. The joiner that emoji are made with is not reported.
func isInvisible(r rune) bool {
	return r < 0x20 && !isBlank(r) || r == 0x7F || r == 0x200B || r == 0x2060 || r == 0xFEFF || r == 0xAD || r >= 0x202A && r <= 0x202E
}
