package description

import (
	"slices"
	"strings"
)

// tidy adds to blocks the structure that people typed by hand: lists and tables made of lines, and checkboxes at the start of items.
func tidy(blocks []Block, depth int) []Block {
	if depth > 5*maxDepth {
		return nil
	}
	var out []Block
	for _, b := range blocks {
		b.Spans = struck(b.Spans)
		if b.Kind == Item {
			readTask(&b)
		}
		if len(b.Children) > 0 {
			b.Children = tidy(b.Children, depth+1)
		}
		switch b.Kind {
		case Paragraph:
			n := len(out)
			counting := n > 0 && out[n-1].typed && out[n-1].Ordered // a line with a later number may continue the list
			for _, part := range splitLines(b.Spans, counting) {
				out = appendTyped(out, part)
			}
			continue
		case Code: // keeps its white space
			for i := range b.Spans {
				b.Spans[i].Text = strings.Map(func(r rune) rune {
					if isInvisible(r) {
						return -1
					}
					return r
				}, b.Spans[i].Text)
			}
		case Table:
			headTable(&b)
		case List:
			out = appendTyped(out, b)
			continue
		default:
			b.Spans = unprotect(b.Spans)
		}
		out = append(out, b)
	}
	return out
}

// appendTyped adds a block. A typed list continues a typed list of the same kind before it.
func appendTyped(blocks []Block, b Block) []Block {
	if n := len(blocks); n > 0 && b.Kind == List && b.typed && blocks[n-1].Kind == List && blocks[n-1].typed && blocks[n-1].Ordered == b.Ordered {
		blocks[n-1].Children = append(blocks[n-1].Children, b.Children...)
		return blocks
	}
	return append(blocks, b)
}

// struck finds ~~struck text~~ in spans.
func struck(spans []Span) []Span {
	if len(spans) == 1 && len(spans[0].Text) > 4 && spans[0].Style&Mono == 0 && strings.Count(spans[0].Text, "~") == 2 {
		if inner, ok := strings.CutPrefix(spans[0].Text, "~"); ok && strings.HasSuffix(inner, "~") && inner[0] != '~' {
			return []Span{{strings.Trim(inner, "~ "), spans[0].Style | Struck, spans[0].Link}}
		}
	}
	marks := 0
	for _, s := range spans {
		if s.Style&Mono == 0 {
			marks += strings.Count(s.Text, "~~")
		}
	}
	if marks < 2 {
		return spans
	}
	marks -= marks % 2 // a mark without its partner is text
	var out []Span
	var on Style
	for _, s := range spans {
		if s.Style&Mono != 0 {
			out = append(out, Span{s.Text, s.Style | on, s.Link})
			continue
		}
		for {
			before, after, found := strings.Cut(s.Text, "~~")
			if !found || marks == 0 {
				break
			}
			marks--
			if before != "" {
				out = append(out, Span{before, s.Style | on, s.Link})
			}
			on ^= Struck
			s.Text = after
		}
		if s.Text != "" {
			out = append(out, Span{s.Text, s.Style | on, s.Link})
		}
	}
	return out
}

// splitLines cuts a paragraph into text, typed lists and typed tables.
func splitLines(spans []Span, counting bool) []Block {
	lines := Lines(spans)
	var out []Block
	text := 0 // lines[text:i] are plain
	flush := func(end int) {
		if end > text {
			out = append(out, Block{Kind: Paragraph, Spans: unprotect(Join(lines[text:end]))})
		}
	}
	for i := 0; i < len(lines); {
		block, length := typedTable(lines[i:])
		if length == 0 {
			block, length = typedList(lines[i:], counting || len(lines) > 1)
		}
		if length == 0 {
			i++
			continue
		}
		flush(i)
		out = append(out, block)
		i += length
		text = i
	}
	flush(len(lines))
	return out
}

// typedList reads items from lines that begin with a marker. A line without a marker continues the item before it if it begins in lower
// case. A single line with a number other than 1 is a list only right behind a numbered list.
func typedList(lines [][]Span, counting bool) (Block, int) {
	first := markerOf(lines[0])
	if first.kind == noMarker || first.kind == numbered && first.number != 1 && !counting && first.weak {
		return Block{}, 0
	}
	list := Block{Kind: List, Ordered: first.kind == numbered, Start: first.number, typed: true}
	i := 0
	for i < len(lines) {
		m := markerOf(lines[i])
		if m.kind == noMarker || (m.kind == numbered) != list.Ordered {
			break
		}
		first := slices.Clone(lines[i])
		first[0].Text = first[0].Text[m.length:]
		item := [][]Span{Trim(first)}
		for i++; i < len(lines) && markerOf(lines[i]).kind == noMarker && goesOn(lines[i]); i++ {
			item = append(item, lines[i])
		}
		block := Block{Kind: Item, Task: m.task, Children: []Block{{Kind: Paragraph, Spans: unprotect(Join(item))}}}
		if block.Task == NoTask {
			readTask(&block)
		}
		list.Children = append(list.Children, block)
	}
	return list, i
}

func markerOf(line []Span) marker {
	if len(line) == 0 || line[0].Style&Mono != 0 {
		return marker{}
	}
	m := readMarker(line[0].Text)
	if m.kind != noMarker && m.length >= len(line[0].Text) && len(line) == 1 {
		return marker{} // a mark with nothing behind it
	}
	return m
}

// goesOn reports whether a line reads like the rest of a sentence.
func goesOn(line []Span) bool {
	text := Text(line)
	return text != "" && text[0] >= 'a' && text[0] <= 'z' && !strings.HasSuffix(text, ":")
}

// readTask moves a checkbox from the start of an item's text into its state.
func readTask(item *Block) {
	if item.Task != NoTask || len(item.Children) == 0 || item.Children[0].Kind != Paragraph || len(item.Children[0].Spans) == 0 {
		return
	}
	first := item.Children[0].Spans
	task, n := cutCheckbox(first[0].Text)
	if task == NoTask && n == 0 {
		return
	}
	item.Task = task
	first[0].Text = first[0].Text[n:]
	item.Children[0].Spans = Trim(first)
	if len(item.Children[0].Spans) == 0 {
		item.Children = item.Children[1:]
	}
}

// headTable makes the first row the head if there is none and every cell of the row is bold.
func headTable(table *Block) {
	if len(table.Children) < 2 {
		return
	}
	for _, row := range table.Children {
		if slices.ContainsFunc(row.Children, func(cell Block) bool { return cell.Head }) {
			return
		}
	}
	first := table.Children[0].Children
	for _, cell := range first {
		for _, b := range cell.Children {
			if slices.ContainsFunc(b.Spans, func(s Span) bool { return s.Style&Strong == 0 }) {
				return
			}
		}
	}
	for i := range first {
		first[i].Head = true
	}
}
