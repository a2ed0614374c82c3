package find

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// list looks for items that are labels with a list of their own, as in outlines ("- **Acceptance criteria**" above nested items), and for
// labels among the further paragraphs of an item.
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
	return slices.ContainsFunc(list.Children, func(item description.Block) bool {
		title, _ := itemTitle(item)
		return title != "" && len(item.Children) > 1 && meaningOf(title) == accepts || labelInside(item) > 0
	})
}

// labelInside returns the index of the block of an item, behind its own words, that is a label of criteria, or -1.
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

// table looks for rows that are sections: the name in the first cell, the content in the second.
func (s *sectioner) table(b description.Block) {
	if !slices.ContainsFunc(b.Children, func(row description.Block) bool {
		return len(row.Children) == 2 && !isHead(row) && meaningOf(cellText(row.Children[0])) == accepts
	}) {
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
		s.read(lineByLine(row.Children[1]).Children)
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
