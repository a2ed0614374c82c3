package find

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// items reads a list, of which an item may be a label: people put a check mark before
// "Acceptance criteria:", or count their sections, and both read as items.
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

// isLabelItem reports an item that says "Acceptance criteria" and no more.
func isLabelItem(item description.Block) bool {
	if len(item.Children) != 1 || item.Children[0].Kind != description.Paragraph {
		return false
	}
	text := itemText(item)
	return len(strings.Fields(text)) <= 5 && !strings.HasSuffix(text, ".") && meaningOf(strings.TrimRight(text, ": ")) == accepts
}

// count begins a section for each item of a list that counts sections.
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

// lineByLine makes a paragraph of each line of a cell: a break in a cell is meant.
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
