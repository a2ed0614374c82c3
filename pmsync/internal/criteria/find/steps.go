package find

import (
	"cmp"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// stepRun collects the steps of scenarios over several lines, items and blocks.
type stepRun struct {
	label, title string
	steps        []string
	last         step
	language     *dialect
	hasGiven     bool
	hasThen      bool
	background   bool
	found        []Criterion
}

// line adds a line if it belongs to a scenario.
func (r *stepRun) line(text string) bool {
	if isScenarioTitle(text) {
		r.end()
		r.label, r.title = cutScenario(text)
		r.last = and
		return true
	}
	if word, ok := gherkinHead(text); ok {
		r.end()
		r.background = word == "background"
		return true
	}
	s, language := stepIn(r.language, text)
	switch {
	case s == noStep:
		return false
	case s == and && r.last == noStep:
		return false
	case s == given && r.hasThen, s == when && r.hasThen && (complete(text) || !r.hasGiven || hasWord(text, "if")), complete(text) && len(r.steps) > 0 && r.last == noStep:
		r.end()
	}
	r.language = cmp.Or(r.language, language)
	r.steps = append(r.steps, strings.TrimLeft(text, stepSigns))
	r.last = s
	r.hasGiven = r.hasGiven || s == given
	if s == then || complete(text) {
		r.hasThen = true
	}
	return true
}

// gherkinHead recognises the lines of a feature file that are not steps.
func gherkinHead(text string) (string, bool) {
	word, _, found := strings.Cut(text, ":")
	if !found {
		return "", false
	}
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "background", "grundlage", "contexte", "antecedentes", "contexto":
		return "background", true
	case "feature", "rule", "funktionalität", "fonctionnalité", "característica", "funcionalidade":
		return "feature", true
	}
	return "", false
}

// end closes the scenario that is open.
func (r *stepRun) end() {
	text := r.title
	if steps := strings.Join(r.steps, " "); text == "" {
		text = steps
	} else if steps != "" {
		text += ": " + steps
	}
	if text != "" && !r.background {
		r.found = append(r.found, Criterion{Text: text, Label: r.label, Form: FormScenario})
	}
	*r = stepRun{found: r.found}
}

func (r *stepRun) done() []Criterion {
	r.end()
	return r.found
}

// open reports whether a scenario has begun, so that more lines may belong to it.
func (r *stepRun) open() bool { return len(r.steps) > 0 || r.title != "" || r.label != "" }

// take adds a block if all of it belongs to scenarios.
func (r *stepRun) take(b description.Block) bool {
	switch b.Kind {
	case description.Paragraph:
		lines := statementsOfSteps(b.Spans)
		if !r.stepsIn(lines) {
			// A scenario may have a title without the word "Scenario".
			if len(lines) < 4 || len(lines[0]) > 80 || !isWholeScenario(strings.Join(lines[1:], " ")) || !r.stepsIn(lines[1:]) {
				return false
			}
			r.end()
			r.title, r.last, lines = strings.TrimRight(lines[0], " :"), and, lines[1:]
		}
		r.lines(lines)
		return true
	case description.Code:
		if !isGherkin(b) {
			return false
		}
		r.lines(gherkinLines(b))
		return true
	case description.List:
		lines, ok := r.listSteps(b)
		if ok {
			r.lines(lines)
		}
		return ok
	case description.Table: // examples, or the data of a step
		if r.open() {
			r.examples(b)
			return true
		}
	}
	return false
}

func (r *stepRun) lines(lines []string) {
	for _, line := range lines {
		if isExamples(line) {
			continue
		}
		if strings.HasPrefix(line, "|") && r.open() {
			r.steps = append(r.steps, line)
			continue
		}
		if n := len(r.steps) - 1; !r.line(line) && n >= 0 && len(r.steps[n]) < maxText {
			r.steps[n] += " " + line
		}
	}
}

// examples adds the rows of a table to the open scenario.
func (r *stepRun) examples(table description.Block) {
	rows := make([]string, len(table.Children))
	for i, row := range table.Children {
		var cells []string
		for _, cell := range row.Children {
			cells = append(cells, cellText(cell))
		}
		rows[i] = strings.Join(cells, ", ")
	}
	r.steps = append(r.steps, "Examples: "+strings.Join(rows, "; "))
}

func isExamples(line string) bool {
	key := labelKey(line)
	return examples.has(key) || len(key) < 24 && strings.HasPrefix(key, "examples ")
}

var examples = set("examples example beispiele exemples ejemplos exemplos")
