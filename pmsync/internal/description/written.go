package description

import (
	"slices"
	"strings"
)

// Written reads a Markdown text exactly, to send it to a tracker that takes another format. Only tables, tasks and struck text in the form of
// GitHub's Markdown are read as such, where Parse guesses what an author meant; and no word, picture or line break is left out. A text
// that is too hard to parse is returned as paragraphs.
func Written(markdown string) []Block {
	markdown = strings.ToValidUTF8(markdown, "\uFFFD")
	return exact(readMarkdown(markdown, true))
}

// exact adds tables, tasks and struck text to blocks.
func exact(blocks []Block) (out []Block) {
	for _, b := range blocks {
		b.Children = exact(b.Children)
		if b.Kind == Code {
			out = append(out, b)
			continue
		}
		b.Spans = struck(b.Spans)
		switch b.Kind {
		case Paragraph:
			out = append(out, withTable(b.Spans)...)
			continue
		case Item:
			markedTask(&b)
		case Cell: // of HTML, whose line breaks are all hard
			for i := range b.Children {
				b.Children[i].Spans = shown(b.Children[i].Spans, "\n")
			}
		}
		b.Spans = shown(b.Spans, cellBreak)
		out = append(out, b)
	}
	return out
}

// withTable returns a paragraph as text and a table, which goes on to its end. A table begins with a line of as many cells as there are
// delimiters below it.
func withTable(spans []Span) (out []Block) {
	lines := Lines(spans)
	for i := 0; i+1 < len(lines); i++ {
		width := len(cells(lines[i]))
		if !hasBar(lines[i]) || !isDelimiter(Text(lines[i+1])) || len(cells(lines[i+1])) != width {
			continue
		}
		if i > 0 {
			out = append(out, Block{Kind: Paragraph, Spans: shown(Join(lines[:i]), cellBreak)})
		}
		table := Block{Kind: Table}
		for n, line := range slices.Concat(lines[i:i+1], lines[i+2:]) {
			row := Block{Kind: Row, Children: make([]Block, width)}
			filled := cells(line)
			for k := range row.Children {
				row.Children[k] = Block{Kind: Cell, Head: n == 0}
				if k < len(filled) && len(filled[k]) > 0 {
					row.Children[k].Children = []Block{{Kind: Paragraph, Spans: shown(filled[k], cellBreak)}}
				}
			}
			table.Children = append(table.Children, row)
		}
		return append(out, table)
	}
	return []Block{{Kind: Paragraph, Spans: shown(spans, cellBreak)}}
}

// shown returns spans with bars for protected ones, and with a hard break for each one of a text.
func shown(spans []Span, line string) (out []Span) {
	for _, s := range spans {
		for i, text := range strings.Split(strings.ReplaceAll(s.Text, escapedBar, "|"), line) {
			if i > 0 {
				out = append(out, Span{"\n", HardBreak, ""})
			}
			if text != "" {
				out = append(out, Span{text, s.Style, s.Link})
			}
		}
	}
	return out
}

// markedTask moves "[ ]", "[x]" or "[X]" and a space from the start of an item's text into its state.
func markedTask(item *Block) {
	if len(item.Children) == 0 || item.Children[0].Kind != Paragraph || len(item.Children[0].Spans) == 0 {
		return
	}
	first := item.Children[0].Spans
	for box, task := range map[string]Task{"[ ]": Open, "[x]": Done, "[X]": Done} {
		rest, found := strings.CutPrefix(first[0].Text, box)
		if found && first[0].Style == 0 && first[0].Link == "" && (rest == "" && len(first) == 1 || strings.HasPrefix(rest, " ")) {
			item.Task = task
			first[0].Text = rest
			item.Children[0].Spans = Trim(first)
			return
		}
	}
}

var boxes = map[Task]string{Open: "[ ] ", Done: "[x] "}

// Boxed returns the blocks of an item with its checkbox as text before them, for a format without tasks.
func (b Block) Boxed() []Block {
	box := boxes[b.Task]
	switch {
	case box == "":
		return b.Children
	case len(b.Children) == 0 || b.Children[0].Kind != Paragraph:
		return append([]Block{{Kind: Paragraph, Spans: []Span{{Text: strings.TrimSpace(box)}}}}, b.Children...)
	}
	first := b.Children[0]
	first.Spans = Trim(append([]Span{{Text: box}}, first.Spans...))
	return append([]Block{first}, b.Children[1:]...)
}

// Inline writes spans as HTML, with the elements strong, em, s, code and a.
type Inline struct {
	Words      func(string) string // escapes
	Linked     func(string) bool   // whether an address becomes a link
	Pictures   bool                // as img; else they become links
	Soft, Hard string              // line breaks
}

// HTML returns spans as HTML. An element that goes on in the next span stays open.
func (in Inline) HTML(spans []Span) string {
	var b strings.Builder
	var open []string // the tags that were written and not closed
	within := func(tags []string) {
		same := 0
		for same < min(len(open), len(tags)) && open[same] == tags[same] {
			same++
		}
		for _, tag := range slices.Backward(open[same:]) {
			name, _, _ := strings.Cut(tag, " ")
			b.WriteString("</" + name + ">")
		}
		for _, tag := range tags[same:] {
			b.WriteString("<" + tag + ">")
		}
		open = tags
	}
	for _, s := range spans {
		if s.Style&HardBreak != 0 {
			within(nil)
			b.WriteString(in.Hard)
			continue
		}
		if s.Style&Picture != 0 && in.Pictures && in.Linked(s.Link) {
			b.WriteString(`<img src="` + in.Words(s.Link) + `" alt="` + in.Words(s.Text) + `">`)
			continue
		}
		if s.Text == "" {
			continue
		}
		within(in.tags(s))
		b.WriteString(strings.ReplaceAll(in.Words(s.Text), "\n", in.Soft))
	}
	within(nil)
	return b.String()
}

// tags returns the start tags of a span without their brackets, the outermost first.
func (in Inline) tags(s Span) (tags []string) {
	if s.Link != "" && in.Linked(s.Link) {
		tags = append(tags, `a href="`+in.Words(s.Link)+`"`)
	}
	for _, element := range []struct {
		style Style
		name  string
	}{{Strong, "strong"}, {Emphasis, "em"}, {Struck, "s"}, {Mono, "code"}} {
		if s.Style&element.style != 0 {
			tags = append(tags, element.name)
		}
	}
	return tags
}
