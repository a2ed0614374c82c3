package find

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// place is a position within the criteria.
type place struct {
	section string
	parent  int
	label   string
	form    Form // of text outside lists and tables
	lines   bool // lines of text are criteria, even without a list
}

// blocks collects criteria from blocks in their order. Steps of a scenario may run over several of them.
func (c *collector) blocks(blocks []description.Block, p place) {
	var run stepRun
	flush := func() {
		c.scenarios(run.done(), p)
		run = stepRun{}
	}
	under, before := -1, len(c.found) // under is the index of a list that is already read
	leads := 0                        // lines above lists that begin a sentence
	for i := range blocks {
		if beginsSentence(leadOf(blocks, i)) {
			leads++
		}
	}
	for i, b := range blocks {
		if i == under || run.take(b) {
			continue
		}
		flush()
		if introduces(blocks, i) && (listsTickets(oneLine(b.Spans)) || len(c.found) > before && isExamples(oneLine(b.Spans))) {
			under = i + 1
			continue
		}
		switch b.Kind {
		case description.List:
			c.list(b, p)
		case description.Table:
			c.table(b, p)
		case description.Paragraph:
			if at := c.lead(blocks, i, leads > 1, p); at >= 0 {
				inner := p
				inner.parent, inner.lines, under = at, false, i+1
				c.list(blocks[i+1], inner)
				continue
			}
			c.paragraph(b, p, introduces(blocks, i))
		case description.Group:
			c.blocks(b.Children, p)
		case description.Quote:
			if p.lines {
				c.blocks(b.Children, p)
			}
		}
	}
	flush()
}

// lead adds the line above a list as the parent of its items and returns its position. It returns -1 where the line is not a criterion: it
// is one where lines are criteria, and where several such lines begin sentences that their items end ("It takes:", "It refuses:").
func (c *collector) lead(blocks []description.Block, i int, several bool, p place) int {
	line := leadOf(blocks, i)
	if line == "" || !(p.lines && len(strings.Fields(line)) >= 5 || several && beginsSentence(line)) {
		return -1
	}
	label, text := cutLabel(line)
	return c.add(Criterion{Text: text, Label: label, Parent: p.parent, Form: FormText, Section: p.section})
}

// leadOf returns the line with a colon above a list, or "".
func leadOf(blocks []description.Block, i int) string {
	if !introduces(blocks, i) {
		return ""
	}
	if lines := statements(blocks[i].Spans); len(lines) == 1 && strings.HasSuffix(lines[0], ":") {
		return lines[0]
	}
	return ""
}

// beginsSentence reports words that begin a sentence, and do not only name a group.
func beginsSentence(line string) bool {
	words := strings.Fields(strings.ToLower(line))
	return len(words) > 1 && len(words) < 12 && !hasWords(line, about) && (subjects.has(words[0]) || len(words) > 2 && (articles.has(words[0]) || hasModal(line)))
}

var (
	subjects = set("it they this he she users user nobody everybody")
	articles = set("the a an each every all no")
)

// list collects items, each with the items nested in it.
func (c *collector) list(list description.Block, p place) {
	form := FormList
	if list.Ordered {
		form = FormNumbered
	}
	if parts := countedItem(list); len(parts) > 1 {
		for _, text := range parts {
			c.add(Criterion{Text: text, Parent: p.parent, Form: form, Section: p.section})
		}
		return
	}
	for _, item := range list.Children {
		c.item(item, form, p)
	}
}

// countedItem splits the only item of a numbered list when it continues the numbering within its line.
func countedItem(list description.Block) []string {
	if !list.Ordered || len(list.Children) != 1 {
		return nil
	}
	text, rest := itemParts(list.Children[0])
	if len(rest) > 0 {
		return nil
	}
	for _, form := range []string{"1) ", "1. "} {
		if parts := enumerated(form + text); len(parts) > 1 {
			return parts
		}
	}
	return nil
}

func (c *collector) item(item description.Block, form Form, p place) {
	if item.Task != description.NoTask {
		form = FormTask
	}
	done := item.Task == description.Done
	if steps := itemScenario(item); steps != nil {
		found := steps.done()
		for i := range found {
			found[i].Done = done
		}
		c.scenarios(found, p)
		return
	}
	text, rest := itemParts(item)
	label, text := cutLabel(text)
	if isStruck(item) || len(rest) == 0 && pointsAway(text) {
		return
	}
	if isGroupItem(item, rest) {
		title := strings.TrimRight(text, ": ")
		if hardExcluded(title) {
			return
		}
		inner := p
		inner.section = strings.TrimPrefix(p.section+" / "+title, " / ")
		c.blocks(rest, inner)
		return
	}
	if meaningOf(text) == excluded && hardExcluded(text) && len(rest) > 0 {
		return
	}
	at := c.add(Criterion{Text: text, Label: label, Parent: p.parent, Done: done, Form: form, Section: p.section})
	inner := p
	inner.lines = false
	if at >= 0 {
		inner.parent = at
	}
	for _, b := range rest {
		if b.Kind == description.List || b.Kind == description.Table {
			c.blocks([]description.Block{b}, inner)
		}
	}
}

// itemParts returns an item's own words and the blocks nested in it. Paragraphs before the first nested block belong to its words.
func itemParts(item description.Block) (string, []description.Block) {
	var words []string
	var rest []description.Block
	for _, b := range item.Children {
		if b.Kind == description.Paragraph && len(rest) == 0 {
			words = append(words, oneLine(b.Spans))
			continue
		}
		rest = append(rest, b)
	}
	return strings.Join(words, " "), rest
}

// isGroupItem reports an item that only names the list nested in it: a short label, bold or with a colon.
func isGroupItem(item description.Block, rest []description.Block) bool {
	if len(rest) == 0 || !slices.ContainsFunc(rest, isList) || item.Task != description.NoTask {
		return false
	}
	title, spans := itemTitle(item)
	words := len(strings.Fields(title))
	colon := strings.HasSuffix(strings.TrimSpace(description.Text(spans)), ":")
	return words <= 5 && allStrong(spans) && !hasModal(title) || words <= 2 && colon
}

func isStruck(item description.Block) bool {
	if len(item.Children) == 0 {
		return false
	}
	struck := false
	for _, s := range item.Children[0].Spans {
		if s.Style&description.Struck != 0 {
			struck = true
		} else if strings.Trim(s.Text, " .,;:-") != "" {
			return false
		}
	}
	return struck
}

// blockText returns all words of a block.
func blockText(b description.Block) string {
	text := oneLine(b.Spans)
	for _, child := range b.Children {
		text = strings.TrimSpace(text + " " + blockText(child))
	}
	return text
}

func itemText(item description.Block) string {
	text, _ := itemParts(item)
	return text
}
