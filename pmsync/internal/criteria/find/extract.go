package find

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// effective returns the meaning of a section in its context. A group inside the criteria is criteria too, and a section inside an excluded
// one is excluded unless it is called acceptance criteria.
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

// path returns the names of the groups between the criteria section and this one.
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

// explicit collects the criteria that the author called acceptance criteria.
func explicit(c *collector, sections []*section) {
	holds := slices.ContainsFunc(sections, func(s *section) bool {
		return s.effective() == accepts && (len(s.blocks) > 0 || s.means == criterion || s.means == scenarioOne)
	})
	for _, s := range sections {
		means := s.effective()
		c.reason = reason{}
		switch {
		case means == accepts:
			c.why = below(titleOf(s, accepts))
			if namesTests(s) {
				c.takes = statesOutcome
			}
			c.section(s, accepts)
		case means == excluded && (holds || excludedWithin(s)):
		default:
			c.loose(s, holds)
		}
	}
}

// excludeTests excludes the sections called acceptance tests when another one holds criteria: they describe how to try those. Scenarios in
// them still count.
func excludeTests(sections []*section) {
	holds := func(s *section) bool {
		return len(s.blocks) > 0 && s.effective() == accepts && !namesTests(s)
	}
	if !slices.ContainsFunc(sections, holds) {
		return
	}
	for _, s := range sections {
		if s.means == accepts && namesTests(s) {
			s.means = excluded
		}
	}
}

// namesTests reports whether the criteria section that s belongs to is called
// acceptance tests.
func namesTests(s *section) bool {
	for s.means != accepts && s.parent != nil {
		s = s.parent
	}
	words := strings.Fields(labelKey(s.title))
	return wordings().acceptTests.within(words, 1) && !slices.Contains(words, "criteria")
}

// requirements collects sections that are requirements under another name.
func requirements(c *collector, sections []*section) {
	for _, s := range sections {
		if s.effective() == requires {
			c.reason = reason{why: below(titleOf(s, requires)), unsure: true, sure: saysState}
			c.section(s, requires)
		}
	}
}

// taskLists collects checkboxes from sections without a meaning of their own.
func taskLists(c *collector, sections []*section) {
	for _, s := range sections {
		if m := s.effective(); m != unknown && m != prose {
			continue
		}
		c.reason = reason{why: "its box is in no list of tasks, and it says what the product does", unsure: true, takes: saysState}
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

// isPledge recognises checkboxes with which templates make contributors confirm something ("I have searched existing issues").
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

// section collects all criteria of a criteria section.
func (c *collector) section(s *section, root meaning) {
	if isExamples(s.title) { // examples of a scenario above
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
	p.lines = root == accepts && !s.listed && mostlyLines(blocks)
	c.blocks(blocks, p)
}

// numberedTitle reports headings with a number ("2. Errors are shown").
func numberedTitle(title string) bool {
	title = strings.TrimSpace(title)
	digits := len(title) - len(strings.TrimLeft(title, "0123456789"))
	return digits > 0 && digits < 3 && digits < len(title) && (title[digits] == '.' || title[digits] == ')' || title[digits] == ':')
}

// titled collects one criterion or scenario that has its own heading.
func (c *collector) titled(title string, means meaning, blocks []description.Block, p place) {
	label, text := cutLabel(title)
	if means == scenarioOne {
		label, text = cutScenario(title)
	} else if label == "" {
		text = strings.TrimLeft(strings.TrimSpace(title), "0123456789.): ")
	}
	text = cleanTitle(text)
	if c.twice(label, FormScenario) {
		return
	}
	if steps := newScenario(blocks); steps != nil {
		steps.title, steps.label = text, label
		c.scenarios(steps.done(), p)
		return
	}
	p.label = label
	if text == "" { // the name alone: the criterion follows
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

// mostlyLines reports whether text holds the criteria, not lists: there is no list, or there are more free-standing paragraphs than items.
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

// groupPhrases are wordings that exclude a section of a ticket, but inside the criteria only name a group of them ("Documentation",
// "Monitoring").
var groupPhrases = []string{
	"testing", "tests", "unit tests", "required tests", "tests to write", "tests to add", "documentation", "deployment", "monitoring", "rollback", "configuration", "setup", "data", "test data", "metrics", "success metrics", "status", "progress", "history",
	"platform", "platforms", "browser", "browsers", "device", "devices", "desktop", "smartphone", "roles", "personas", "stakeholders", "team", "error", "error message", "error messages", "logs", "log", "output", "code", "kind", "type", "area", "component", "components", "category",
	"changes", "update", "updates", "implementation", "technical implementation", "benefits", "value", "business value", "user value", "user stories", "user story", "story", "use cases", "use case", "options", "optional", "impact", "timeline", "schedule", "versions", "version",
	"actions", "milestones", "problem", "cause", "technical requirements", "deliverable", "umsetzung", "technische umsetzung", "implementierung", "testdaten", "contexte",
}

// hardExcluded reports whether a title excludes its section everywhere, even inside the criteria: it names another kind of list, not a
// group.
func hardExcluded(title string) bool {
	key := labelKey(title)
	words := strings.Fields(key)
	if wordings().accept.within(words, 1) {
		return excludesAcceptance(key, words)
	}
	return meaningOf(title) == excluded && !wordings().groups.whole(key)
}

// excludedWithin reports the same for a section or any section around it.
func excludedWithin(s *section) bool {
	for ; s != nil && s.means != accepts; s = s.parent {
		if s.means == excluded && hardExcluded(s.title) {
			return true
		}
	}
	return false
}
