package find

import (
	"cmp"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// isScenarioTitle reports "Scenario: …", "Scenario Outline: …", "Scenario 3".
func isScenarioTitle(line string) bool {
	_, rest, ok := scenarioKeyword(line)
	return ok && !strings.HasPrefix(rest, "s") // a plural
}

var scenarioWords = []string{"scenario outline", "scenario template", "scenario", "szenariogrundriss", "szenario", "plan du scénario", "scénario", "esquema del escenario", "escenario", "esquema do cenário", "cenário", "cenario", "schema dello scenario", "scenariusz", "сценарий", "сценарій", "シナリオ", "场景", "場景", "시나리오"}

func scenarioKeyword(line string) (word, rest string, ok bool) {
	line = strings.TrimLeft(line, "*_ #0123456789.)")
	for _, w := range scenarioWords {
		if len(line) >= len(w) && strings.EqualFold(line[:len(w)], w) {
			return line[:len(w)], line[len(w):], true
		}
	}
	return "", "", false
}

// cutScenario cuts "Scenario 2: title" into its label and the title.
func cutScenario(line string) (label, title string) {
	word, rest, ok := scenarioKeyword(line)
	if !ok {
		return "", line
	}
	rest = strings.TrimLeft(rest, "* ")
	number := len(rest) - len(strings.TrimLeft(rest, "#0123456789."))
	label = word
	if digits := strings.Trim(rest[:number], "#."); digits != "" {
		label += " " + digits
	}
	title = strings.Trim(rest[number:], " :-–—*.")
	if named, of := cutLabel(title); named != "" { // Scenario AC-1: a title
		label, title = named, of
	}
	return label, title
}

// statementsOfSteps returns the lines of a paragraph as they are.
func statementsOfSteps(spans []description.Span) []string {
	var out []string
	for _, line := range description.Lines(spans) {
		out = append(out, strings.TrimSpace(description.Text(line)))
	}
	return out
}

// stepsIn reports whether lines are steps: they begin with one, and then a given or when has its outcome here, or the scenario is already
// open.
func (r *stepRun) stepsIn(lines []string) bool {
	if len(lines) == 0 {
		return false
	}
	first, language := stepIn(cmp.Or(r.language, english), lines[0]) // so that "If … Then …" over two lines counts
	if isScenarioTitle(lines[0]) {
		return true
	}
	if _, ok := gherkinHead(lines[0]); ok && len(lines) > 1 {
		return (&stepRun{}).stepsIn(lines[1:])
	}
	if r.open() && (first != noStep || isExamples(lines[0])) {
		return true
	}
	switch first {
	case given:
		return len(lines) > 1 || complete(lines[0]) || strictGiven(lines[0])
	case when:
		for _, line := range lines[1:] {
			if s, _ := stepIn(language, line); s == then || s == and && complete(lines[0]) {
				return true
			}
		}
	}
	return false
}

// strictGiven reports a line that begins a scenario even alone: it begins with "Given", capitalised, as a word.
func strictGiven(line string) bool {
	line = strings.TrimLeft(line, "*_ ")
	return strings.HasPrefix(line, "GIVEN") || strings.HasPrefix(line, "Given ") || strings.HasPrefix(line, "Given:")
}

// listSteps reads a list of steps, each one a line, or with the next step nested in it.
func (r *stepRun) listSteps(list description.Block) ([]string, bool) {
	language, open := r.language, r.open()
	var lines []string
	answered := false
	for i, item := range list.Children {
		words := itemLines(item)
		if len(words) == 0 {
			return nil, false
		}
		s, spoken := stepIn(language, words[0])
		language = cmp.Or(language, spoken)
		title := isScenarioTitle(words[0])
		if i == 0 && !title && s != given && s != when && (!open || s == noStep) {
			return nil, false
		}
		if s == then && !title {
			answered = true
		}
		if complete(words[0]) && len(words) == 1 { // items that are whole scenarios
			return nil, false
		}
		lines = append(lines, words...)
	}
	return lines, answered || open && len(lines) > 0
}

// itemLines returns all lines of an item, nested ones included.
func itemLines(item description.Block) []string {
	var lines []string
	for _, b := range item.Children {
		switch b.Kind {
		case description.Paragraph:
			lines = append(lines, statementsOfSteps(b.Spans)...)
		case description.List:
			for _, inner := range b.Children {
				lines = append(lines, itemLines(inner)...)
			}
		}
	}
	return lines
}

// itemScenario reads an item that is a scenario: its own lines or the lines nested in it are the steps.
func itemScenario(item description.Block) *stepRun {
	lines := itemLines(item)
	if len(lines) < 2 {
		return nil
	}
	run := &stepRun{}
	if s, language := stepOf(lines[0]); s == given || s == when {
		for _, line := range lines[1:] {
			if s, _ := stepIn(language, line); s == then {
				run.lines(lines)
				return run
			}
		}
		return nil
	}
	// A title above its steps.
	var steps []string
	for i, line := range lines {
		if s, _ := stepOf(line); i > 0 && (s == given || s == when) {
			steps = lines[i:]
			break
		}
	}
	if steps == nil || len(lines)-len(steps) > 1 || !run.stepsIn(steps) {
		return nil
	}
	run.label, run.title = cutScenario(lines[0])
	if run.label == "" {
		run.label, run.title = cutLabel(lines[0])
	}
	run.title = strings.TrimRight(run.title, ": ")
	run.last = and
	run.lines(steps)
	return run
}

// newScenario reads blocks that consist of steps only.
func newScenario(blocks []description.Block) *stepRun {
	run := &stepRun{label: "x", last: and}
	took := false
	for _, b := range blocks {
		if !run.take(b) {
			if b.Kind == description.Paragraph && !took {
				continue
			}
			return nil
		}
		took = took || len(run.steps) > 0
	}
	if !took {
		return nil
	}
	return run
}

// programming are languages in which the code of step definitions may begin its lines like a scenario. Any other word behind a fence may be
// a typing error.
var programming = set("js jsx ts tsx javascript typescript ruby rb python py java csharp cs go golang php kotlin swift scala groovy rust c cpp diff json yaml yml xml html css sql sh bash shell console powershell")

// isGherkin reports code that is a feature file, by its language or its words.
func isGherkin(b description.Block) bool {
	switch b.Language {
	case "gherkin", "feature", "cucumber":
		return true
	}
	if programming.has(b.Language) {
		return false
	}
	lines := gherkinLines(b)
	sawGiven, sawThen := false, false
	var language *dialect
	for i, line := range lines {
		s, spoken := stepIn(language, line)
		language = cmp.Or(language, spoken)
		if i == 0 && s != given && s != when && !isScenarioTitle(line) {
			if _, ok := gherkinHead(line); !ok {
				return false
			}
		}
		sawGiven = sawGiven || s == given || s == when
		sawThen = sawThen || s == then
	}
	return sawGiven && sawThen
}

func gherkinLines(b description.Block) []string {
	var out []string
	for line := range strings.Lines(description.Text(b.Spans)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '@' || line == `"""` {
			continue
		}
		out = append(out, line)
	}
	return out
}

// scenarios adds scenarios to the found criteria.
func (c *collector) scenarios(found []Criterion, p place) {
	for _, n := range found {
		n.Parent, n.Section = p.parent, p.section
		if n.Label == "" || n.Label == "x" {
			n.Label = p.label
		}
		c.add(n)
	}
}
