package description

import (
	"strconv"
	"strings"
)

// Markdown writes the document as markdown, the form in which people and agents see descriptions. It keeps structure and words; colours,
// widths and images are lost.
func (d Document) Markdown() string {
	var b strings.Builder
	writeBlocks(&b, d.Blocks, "", "\n\n")
	return b.String()
}

// writeBlocks writes blocks with indent before every line but the first, and
// between before every block but the first.
func writeBlocks(b *strings.Builder, blocks []Block, indent, between string) {
	for i, block := range blocks {
		if i > 0 {
			gap := between
			if block.Kind == List && blocks[i-1].Kind == List {
				gap = "\n\n" // otherwise they would become one list
			}
			b.WriteString(strings.ReplaceAll(gap, "\n", "\n"+indent))
		}
		writeBlock(b, block, indent)
	}
}

func writeBlock(b *strings.Builder, block Block, indent string) {
	switch block.Kind {
	case Paragraph:
		writeText(b, marked(block.Spans), indent)
	case Heading:
		b.WriteString(strings.Repeat("#", min(max(block.Level, 1), 6)) + " " + strings.ReplaceAll(marked(block.Spans), "\n", " "))
	case List:
		writeItems(b, block, indent)
	case Table:
		writeTable(b, block, indent)
	case Code:
		code := strings.TrimRight(Text(block.Spans), "\n")
		fence := ticks(code, 3)
		b.WriteString(fence + block.Language + "\n" + indent)
		writeText(b, code, indent)
		b.WriteString("\n" + indent + fence)
	case Quote:
		b.WriteString("> ")
		writeBlocks(b, block.Children, indent+"> ", "\n\n")
	case Group:
		if len(block.Spans) > 0 {
			b.WriteString("**" + strings.TrimSpace(Text(block.Spans)) + "**\n\n" + indent)
		}
		writeBlocks(b, block.Children, indent, "\n\n")
	case Rule:
		b.WriteString("---")
	default: // an item, row or cell that stands alone
		writeBlocks(b, block.Children, indent, "\n\n")
	}
}

func writeText(b *strings.Builder, text, indent string) {
	b.WriteString(strings.ReplaceAll(text, "\n", "\n"+indent))
}

func writeItems(b *strings.Builder, list Block, indent string) {
	for i, item := range list.Children {
		if i > 0 {
			b.WriteString("\n" + indent)
		}
		mark := "- "
		if list.Ordered {
			mark = strconv.Itoa(max(list.Start, 1)+i) + ". "
		}
		b.WriteString(mark + boxes[item.Task])
		writeBlocks(b, item.Children, indent+strings.Repeat(" ", len(mark)), "\n")
	}
}

func writeTable(b *strings.Builder, table Block, indent string) {
	for i, row := range table.Children {
		if i > 0 {
			b.WriteString("\n" + indent)
		}
		b.WriteString("|")
		for _, cell := range row.Children {
			var inner strings.Builder
			writeBlocks(&inner, cell.Children, "", "\n")
			b.WriteString(" " + strings.ReplaceAll(strings.ReplaceAll(inner.String(), "|", `\|`), "\n", "<br>") + " |")
		}
		if i == 0 {
			b.WriteString("\n" + indent + "|" + strings.Repeat(" --- |", len(row.Children)))
		}
	}
}

// ticks returns a fence of backticks: one more than any run of them in a text, and at least so many.
func ticks(text string, least int) string {
	for strings.Contains(text, strings.Repeat("`", least)) {
		least++
	}
	return strings.Repeat("`", least)
}

// marks are the signs around words of a style.
var marks = []struct {
	style Style
	sign  string
}{{Strong, "**"}, {Emphasis, "_"}, {Struck, "~~"}}

// marked writes spans with the marks of their styles.
func marked(spans []Span) string {
	var b strings.Builder
	for _, s := range spans {
		words := strings.TrimSpace(s.Text)
		if words == "" || s.Style == 0 && s.Link == "" {
			b.WriteString(s.Text)
			continue
		}
		lead := s.Text[:strings.Index(s.Text, words)]
		opening, closing := "", ""
		for _, m := range marks {
			if s.Style&m.style != 0 {
				opening, closing = opening+m.sign, m.sign+closing
			}
		}
		if s.Style&Mono != 0 {
			mark := ticks(words, 1)
			if strings.HasPrefix(words, "`") || strings.HasSuffix(words, "`") {
				words = " " + words + " "
			}
			words = mark + words + mark
		}
		if s.Link != "" && s.Link != words {
			words = "[" + words + "](" + s.Link + ")"
		}
		b.WriteString(lead + opening + words + closing + s.Text[len(lead)+len(strings.TrimSpace(s.Text)):])
	}
	return b.String()
}
