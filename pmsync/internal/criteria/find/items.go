package find

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// items reads a list in which an item may be a label. People put a check mark before "Acceptance criteria:", or number their sections; the
// formats read both as items.
func (s *sectioner) items(list description.Block, more bool) {
	if s.counted && list.Ordered && list.Start > 1 {
		s.count(list.Children)
		return
	}
	at := slices.IndexFunc(list.Children, isLabelItem)
	if at < 0 || at == len(list.Children)-1 && !more {
		s.list(list)
		return
	}
	before, label, behind := list, list.Children[at], list
	if before.Children = list.Children[:at]; at > 0 {
		s.list(before)
	}
	if behind.Children = list.Children[at+1:]; list.Ordered {
		s.counted = true
		s.count(append([]description.Block{label}, behind.Children...))
		return
	}
	s.open(itemText(label), accepts, labelLevel)
	if len(behind.Children) > 0 {
		s.items(behind, more)
	}
}

// isLabelItem reports an item with a label of criteria and nothing else.
func isLabelItem(item description.Block) bool {
	if len(item.Children) != 1 || item.Children[0].Kind != description.Paragraph {
		return false
	}
	text := itemText(item)
	return len(strings.Fields(text)) <= 5 && !strings.HasSuffix(text, ".") && meaningOf(strings.TrimRight(text, ": ")) == accepts
}

// count begins a section for each item of a list of numbered sections.
func (s *sectioner) count(items []description.Block) {
	for _, item := range items {
		if len(item.Children) == 0 {
			continue
		}
		title, rest := itemParts(item)
		s.open(strings.TrimRight(title, ": "), meaningOf(strings.TrimRight(title, ": ")), labelLevel)
		s.current.parent = s.all[0]
		s.read(rest)
	}
}

// lineByLine makes a paragraph of each line of a cell: a line break in a cell is deliberate.
func lineByLine(cell description.Block) description.Block {
	var out []description.Block
	for _, b := range cell.Children {
		if b.Kind != description.Paragraph {
			out = append(out, b)
			continue
		}
		for _, line := range description.Lines(b.Spans) {
			out = append(out, description.Block{Kind: description.Paragraph, Spans: line})
		}
	}
	cell.Children = out
	return cell
}

// cutAtLabel cuts a list at a label right below an item: without an empty line between, the formats read the label as a line of that item.
// It returns the list before the label, the label's paragraph and the rest of the list, if any.
func cutAtLabel(list description.Block) (head, label description.Block, tail []description.Block, found bool) {
	for i, item := range list.Children {
		cut, label, ok := labelBelow(item)
		if !ok {
			continue
		}
		head, rest := list, list
		head.Children = append(slices.Clone(list.Children[:i]), cut)
		if rest.Children = list.Children[i+1:]; len(rest.Children) > 0 {
			rest.Start = 0
			tail = []description.Block{rest}
		}
		return head, label, tail, true
	}
	return list, description.Block{}, nil, false
}

// labelBelow looks for a label in the last paragraph of an item or of its last nested item. It returns the item without the label, and the
// label with the lines behind it.
func labelBelow(item description.Block) (cut, label description.Block, ok bool) {
	n := len(item.Children) - 1
	if n < 0 {
		return item, label, false
	}
	cut = item
	cut.Children = slices.Clone(item.Children)
	switch last := &cut.Children[n]; last.Kind {
	case description.List:
		inner := slices.Clone(last.Children)
		if len(inner) == 0 {
			return item, label, false
		}
		if inner[len(inner)-1], label, ok = labelBelow(inner[len(inner)-1]); ok {
			last.Children = inner
		}
	case description.Paragraph:
		lines := description.Lines(last.Spans)
		for at := 1; at < len(lines); at++ {
			if isLabelBelow(lines[at]) {
				last.Spans = description.Join(lines[:at])
				return cut, description.Block{Kind: description.Paragraph, Spans: description.Join(lines[at:])}, true
			}
		}
	}
	return cut, label, ok
}

// isLabelBelow reports a line that is wholly bold, begins with a known label and a colon, or is a field of the tracker or a result.
func isLabelBelow(line []description.Span) bool {
	text := strings.TrimSpace(description.Text(line))
	if isField(text) || isResult(text) {
		return true
	}
	if strings.HasSuffix(text, ".") || len(text) > 80 {
		return false
	}
	title, colon := strings.CutSuffix(text, ":")
	if allStrong(line) {
		return !isStep(text) && (colon || len(strings.Fields(text)) <= 5)
	}
	if !colon {
		name, _, found := inlineLabel(line)
		if !found || !startsStrong(line) {
			return false
		}
		title = name
	}
	switch meaningOf(title) {
	case accepts, excluded, requires, prose:
		return len(strings.Fields(title)) <= 5 && !isExamples(title)
	}
	return false
}
