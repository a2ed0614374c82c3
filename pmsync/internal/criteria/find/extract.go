package find

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// effective is what a section means where it stands: a group inside the criteria
// is criteria too, and whatever stands in an excluded section is excluded unless
// it is called acceptance criteria.
func (s *section) effective() meaning {
	if s.means == accepts || s.parent == nil {
		return s.means
	}
	switch above := s.parent.effective(); {
	case above == excluded:
		return excluded
	case above == accepts && (s.means != excluded || !hardExcluded(s.title)):
		return accepts
	case above == requires && (s.means == unknown || s.means == scenarioOne || s.means == criterion || s.means == prose):
		return requires
	case above == prose && s.means == unknown:
		return prose
	}
	return s.means
}

// path names the groups between the criteria section and this one.
func (s *section) path(root meaning) string {
	var titles []string
	for ; s != nil && s.means != root && s.parent != nil && s.effective() == root; s = s.parent {
		if s.means != scenarioOne && s.means != criterion && s.title != "" {
			titles = append(titles, cleanTitle(s.title))
		}
	}
	slices.Reverse(titles)
	return strings.Join(titles, " / ")
}

func cleanTitle(s string) string { return strings.Trim(strings.TrimSpace(s), ":*# ") }

// explicit collects what the author called acceptance criteria.
func explicit(c *collector, sections []*section) {
	holds := false
	for _, s := range sections {
		if s.effective() == accepts && (len(s.blocks) > 0 || s.means == criterion || s.means == scenarioOne) {
			holds = true
		}
	}
	for _, s := range sections {
		means := s.effective()
		switch {
		case means == accepts:
			c.section(s, accepts)
		case means == excluded && hardExcludedWithin(s):
		default:
			c.loose(s, holds)
		}
	}
}

// requirements collects sections that are requirements under another name.
func requirements(c *collector, sections []*section) {
	for _, s := range sections {
		if s.effective() == requires {
			c.section(s, requires)
		}
	}
}

// taskLists collects checkboxes of sections that say nothing else.
func taskLists(c *collector, sections []*section) {
	for _, s := range sections {
		if m := s.effective(); m != unknown && m != prose {
			continue
		}
		for _, b := range s.blocks {
			if b.Kind == description.List && isTaskList(b) && !isPledge(b) {
				c.list(b, place{section: cleanTitle(s.title), parent: -1})
			}
		}
	}
}

func isTaskList(list description.Block) bool {
	tasks := 0
	for _, item := range list.Children {
		if item.Task != description.NoTask {
			tasks++
		}
	}
	return tasks > 0 && tasks*2 >= len(list.Children)
}

// isPledge recognises the boxes that templates make contributors check ("I have
// searched existing issues").
func isPledge(list description.Block) bool {
	for _, item := range list.Children {
		key := labelKey(itemText(item))
		for _, start := range []string{"i have", "i've", "i am", "i'm", "i agree", "i would", "i will", "i can", "i confirm", "i understand", "i did", "i checked", "i searched", "i read", "yes i", "no i", "please check", "my code", "this is a bug", "this is not", "this issue is not", "bug", "feature request"} {
			if key == start || strings.HasPrefix(key, start+" ") && start != "bug" && start != "feature request" {
				return true
			}
		}
	}
	return false
}

// place says where in the criteria something stands.
type place struct {
	section string
	parent  int
	label   string
	form    Form // of what is not a list or table
	lines   bool // lines of text are criteria, though no list says so
}

// section collects all of a criteria section.
func (c *collector) section(s *section, root meaning) {
	if isExamples(s.title) { // of a scenario above
		return
	}
	p := place{section: s.path(root), parent: -1, form: FormText}
	blocks := s.blocks
	switch {
	case s.means == scenarioOne || s.means == criterion:
		c.titled(s.title, s.means, blocks, p)
		return
	case s.means == unknown && numberedTitle(s.title) && !holdsList(blocks):
		c.titled(s.title, criterion, blocks, p)
		return
	}
	p.lines = root == accepts && mostlyLines(blocks)
	c.blocks(blocks, p)
}

// numberedTitle reports headings that count ("2. Errors are shown").
func numberedTitle(title string) bool {
	title = strings.TrimSpace(title)
	digits := len(title) - len(strings.TrimLeft(title, "0123456789"))
	return digits > 0 && digits < 3 && digits < len(title) && (title[digits] == '.' || title[digits] == ')' || title[digits] == ':')
}

// titled collects one criterion or scenario that has a heading of its own.
func (c *collector) titled(title string, means meaning, blocks []description.Block, p place) {
	label, text := cutLabel(title)
	if means == scenarioOne {
		label, text = cutScenario(title)
	} else if label == "" {
		text = strings.TrimLeft(strings.TrimSpace(title), "0123456789.): ")
	}
	text = cleanTitle(text)
	if steps := newScenario(blocks); steps != nil {
		steps.title, steps.label = text, label
		c.scenarios(steps.done(), p)
		return
	}
	p.label = label
	if text == "" { // the name alone: what follows is the criterion
		var rest []description.Block
		for i, b := range blocks {
			if b.Kind == description.Paragraph && text == "" {
				text = oneLine(b.Spans)
				continue
			}
			rest = blocks[i:]
			break
		}
		blocks = rest
		if text == "" {
			p.lines = !holdsList(blocks)
			c.blocks(blocks, p)
			return
		}
	}
	if !holdsList(blocks) {
		for _, b := range blocks {
			if b.Kind == description.Paragraph {
				text += ": " + oneLine(b.Spans)
			}
		}
		c.add(Criterion{Text: text, Label: label, Parent: p.parent, Form: FormText, Section: p.section})
		return
	}
	at := c.add(Criterion{Text: text, Label: label, Parent: p.parent, Form: FormText, Section: p.section})
	p.label = ""
	if at >= 0 {
		p.parent = at
	}
	c.blocks(blocks, p)
}

// mostlyLines reports whether text, and not lists, holds the criteria: there is no
// list, or more paragraphs than items stand on their own.
func mostlyLines(blocks []description.Block) bool {
	if !holdsList(blocks) {
		return true
	}
	alone, items := 0, 0
	for i, b := range blocks {
		switch {
		case b.Kind == description.Paragraph && !introduces(blocks, i) && !allEmphasised(b.Spans):
			alone++
		case b.Kind == description.List, b.Kind == description.Table:
			items += len(b.Children)
		case b.Kind == description.Code && isGherkin(b):
			return false
		}
	}
	return alone > items
}

// introduces reports whether a block is the line above a list.
func introduces(blocks []description.Block, i int) bool {
	return i+1 < len(blocks) && blocks[i].Kind == description.Paragraph && blocks[i+1].Kind == description.List
}

func holdsList(blocks []description.Block) bool {
	return slices.ContainsFunc(blocks, func(b description.Block) bool {
		return b.Kind == description.List || b.Kind == description.Table || b.Kind == description.Code && isGherkin(b)
	})
}

// blocks collects criteria from blocks in their order. Steps of a scenario may
// run over several of them.
func (c *collector) blocks(blocks []description.Block, p place) {
	var run stepRun
	flush := func() {
		c.scenarios(run.done(), p)
		run = stepRun{}
	}
	under := -1 // the list that is taken already
	for i, b := range blocks {
		if i == under || run.take(b) {
			continue
		}
		flush()
		switch b.Kind {
		case description.List:
			c.list(b, p)
		case description.Table:
			c.table(b, p)
		case description.Paragraph:
			if at := c.lead(blocks, i, p); at >= 0 {
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

// lead keeps the line above a list as the parent of its items, where lines are
// criteria, and returns its position, else -1.
func (c *collector) lead(blocks []description.Block, i int, p place) int {
	if !p.lines || !introduces(blocks, i) {
		return -1
	}
	lines := statements(blocks[i].Spans)
	if len(lines) != 1 || !strings.HasSuffix(lines[0], ":") || len(strings.Fields(lines[0])) < 5 {
		return -1
	}
	label, text := cutLabel(lines[0])
	return c.add(Criterion{Text: text, Label: label, Parent: p.parent, Form: FormText, Section: p.section})
}

// list collects items, each with those nested in it.
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

// countedItem cuts the only item of a list that goes on counting in its line.
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
	if isStruck(item) {
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

// itemParts returns an item's own words and the blocks nested in it. Further
// paragraphs belong to its words.
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

// isGroupItem reports an item that only names what is nested in it: a short
// label, bold or with a colon.
func isGroupItem(item description.Block, rest []description.Block) bool {
	if len(rest) == 0 || !slices.ContainsFunc(rest, func(b description.Block) bool { return b.Kind == description.List }) || item.Task != description.NoTask {
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

// paragraph collects the text of a criteria section. Beside lists, only what
// reads as a criterion counts: the rest explains.
func (c *collector) paragraph(b description.Block, p place, intro bool) {
	if allEmphasised(b.Spans) && !p.lines {
		return
	}
	for i, line := range statements(b.Spans) {
		label, text := cutLabel(line)
		if isNote(text) || trailsOff(text) || intro && label == "" && (!p.lines && !behaves(text) || strings.HasSuffix(text, ":")) {
			continue
		}
		if label == "" && !p.lines && !(p.form == FormText && behaves(text) && !strings.HasSuffix(text, ":")) {
			continue
		}
		if label == "" && strings.HasSuffix(text, ":") && len(text) < 80 && i == 0 {
			continue
		}
		for _, text := range enumerated(text) {
			c.add(Criterion{Text: text, Label: label, Parent: p.parent, Form: FormText, Section: p.section})
		}
	}
}

// enumerated cuts a line that counts inside itself: "1) … 2) … 3) …".
func enumerated(text string) []string {
	for _, form := range [][2]string{{"(", ") "}, {"", ") "}, {"", ". "}} {
		rest, ok := strings.CutPrefix(text, form[0]+"1"+form[1])
		if !ok {
			continue
		}
		var parts []string
		for n := 2; ; n++ {
			before, after, found := strings.Cut(rest, " "+form[0]+strconv.Itoa(n)+form[1])
			parts = append(parts, strings.TrimRight(before, " ,;"))
			if !found {
				break
			}
			rest = after
		}
		if len(parts) > 1 {
			return parts
		}
	}
	return []string{text}
}

// trailsOff reports a line that a template wants to be ended.
func trailsOff(text string) bool {
	return strings.HasSuffix(text, "...") || strings.HasSuffix(text, "…")
}

// isNote reports a line that says of itself that it is a remark.
func isNote(text string) bool {
	key := strings.ToLower(text)
	for _, start := range []string{"note:", "notes:", "nb:", "n.b.", "(note", "ps:", "p.s.", "fyi", "hinweis:", "nota:", "remarque", "see ", "cc ", "cc:", "/cc", "ref:", "figma", "http://", "https://"} {
		if strings.HasPrefix(key, start) {
			return true
		}
	}
	return false
}

func allEmphasised(spans []description.Span) bool {
	for _, s := range spans {
		if s.Style&description.Emphasis == 0 && strings.TrimSpace(s.Text) != "" {
			return false
		}
	}
	return true
}

// statements cuts a paragraph into its lines, with wrapped lines put together.
func statements(spans []description.Span) []string {
	var out []string
	for _, line := range description.Lines(spans) {
		text := strings.TrimSpace(description.Text(line))
		if n := len(out) - 1; n >= 0 && text != "" && len(out[n]) < maxText && wraps(out[n], text) {
			out[n] += " " + text
			continue
		}
		out = append(out, text)
	}
	return out
}

// wraps reports whether next goes on with the sentence of line.
func wraps(line, next string) bool {
	switch line[len(line)-1] {
	case '.', '!', '?', ';', ':':
		return false
	}
	return next[0] >= 'a' && next[0] <= 'z' || strings.HasSuffix(line, ",") || len(line) > 65 && len(line) < 130 && !isUpper(next)
}

func isUpper(s string) bool { return s[0] >= 'A' && s[0] <= 'Z' }

// oneLine returns spans as one line of text.
func oneLine(spans []description.Span) string {
	return strings.Join(strings.Fields(description.Text(spans)), " ")
}

// blockText returns all words of a block.
func blockText(b description.Block) string {
	parts := []string{}
	if len(b.Spans) > 0 {
		parts = append(parts, oneLine(b.Spans))
	}
	for _, child := range b.Children {
		if t := blockText(child); t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, " ")
}

func itemText(item description.Block) string {
	text, _ := itemParts(item)
	return text
}
