package find

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// loose collects criteria outside criteria sections, by their own form: scenarios, named criteria ("AC2: …"), and table columns. When the
// ticket has a criteria section (held), code elsewhere is left out: it shows the present state, such as the test that fails.
func (c *collector) loose(s *section, held bool) {
	p := place{parent: -1, form: FormScenario}
	switch s.means {
	case scenarioOne, criterion:
		if steps := newScenario(s.blocks); steps != nil || s.means == criterion {
			c.titled(s.title, s.means, s.blocks, p)
			return
		}
	}
	var run stepRun
	for _, b := range s.blocks {
		if held && b.Kind == description.Code {
			continue
		}
		if run.take(b) {
			continue
		}
		c.looseRun(&run, p)
		switch b.Kind {
		case description.Paragraph:
			for _, line := range statements(b.Spans) {
				if label, text := cutLabel(line); label != "" && text != "" {
					c.add(Criterion{Text: text, Label: label, Parent: -1, Form: FormText})
				}
			}
		case description.List:
			c.looseList(b, p)
		case description.Table:
			if column := criteriaColumn(b); column >= 0 {
				c.table(b, p)
			}
		}
	}
	c.looseRun(&run, p)
}

// looseRun keeps the scenarios of a run if one of them has both a condition and an outcome.
func (c *collector) looseRun(run *stepRun, p place) {
	found := run.done()
	if !slices.ContainsFunc(found, func(n Criterion) bool { return isWholeScenario(n.Text) }) {
		found = nil
	}
	c.scenarios(found, p)
	*run = stepRun{}
}

func isWholeScenario(text string) bool {
	var language *dialect
	sawThen := false
	for word := range strings.FieldsSeq(text) {
		s, spoken := stepIn(language, strings.Trim(word, ":,*")+" ")
		switch s {
		case given, when:
			language = spoken
		case then:
			sawThen = true
		}
	}
	return language != nil && sawThen
}

func (c *collector) looseList(list description.Block, p place) {
	for _, item := range list.Children {
		text, rest := itemParts(item)
		if steps := itemScenario(item); steps != nil {
			c.looseRun(steps, p)
		} else if label, words := cutLabel(text); label != "" && words != "" {
			c.item(item, FormList, p)
		} else if s, _ := stepOf(text); s == given && complete(text) {
			c.item(item, FormScenario, p)
		} else {
			for _, b := range rest {
				if b.Kind == description.List {
					c.looseList(b, p)
				}
			}
		}
	}
}
