// Package tck reads openCypher's technology compatibility kit: the scenarios of its feature files, the values in their tables and the
// set-up statements of their graphs. It runs the scenarios over any store. Only tests import it, and nowhere else in this tree does
// Cypher text change a graph, here a memory graph.
package tck

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Scenario is one scenario with outlines expanded.
type Scenario struct {
	File  string // relative to the folder of features, with slashes
	Name  string
	Tags  []string
	Steps []Step
}

// Step is one line of a scenario with its attached table or text.
type Step struct {
	Text  string // without its keyword
	Doc   string
	Table [][]string
}

// Read returns every scenario of the feature files below dir, in order.
func Read(dir string) ([]Scenario, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".feature") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var all []Scenario
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		scenarios, err := Parse(filepath.ToSlash(name), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, scenarios...)
	}
	return all, nil
}

// block is a scenario or background while it is read.
type block struct {
	scenario   Scenario
	background bool
	examples   [][][]string
}

// Parse reads one feature file.
func Parse(file, text string) ([]Scenario, error) {
	var blocks []*block
	var current *block
	var tags []string
	inExamples := false
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		trimmed := strings.TrimSpace(line)
		key, rest, _ := strings.Cut(trimmed, ":")
		switch {
		case trimmed == "", strings.HasPrefix(trimmed, "#"), key == "Feature":
		case strings.HasPrefix(trimmed, "@"):
			tags = append(tags, strings.Fields(trimmed)...)
		case key == "Background", key == "Scenario", key == "Scenario Outline":
			current = &block{background: key == "Background", scenario: Scenario{File: file, Name: strings.TrimSpace(rest), Tags: tags}}
			blocks = append(blocks, current)
			tags, inExamples = nil, false
		case key == "Examples":
			inExamples = true
			current.examples = append(current.examples, nil)
		case current == nil:
			return nil, fmt.Errorf("%s:%d: a step outside of a scenario", file, number)
		case strings.HasPrefix(trimmed, "|") && inExamples:
			n := len(current.examples) - 1
			current.examples[n] = append(current.examples[n], cells(trimmed))
		case strings.HasPrefix(trimmed, "|"):
			step := &current.scenario.Steps[len(current.scenario.Steps)-1]
			step.Table = append(step.Table, cells(trimmed))
		case trimmed == `"""`:
			step := &current.scenario.Steps[len(current.scenario.Steps)-1]
			step.Doc = docString(lines, strings.Index(line, `"""`), &number)
		default:
			_, step, ok := strings.Cut(trimmed, " ")
			if !ok {
				return nil, fmt.Errorf("%s:%d: no step: %s", file, number, trimmed)
			}
			current.scenario.Steps = append(current.scenario.Steps, Step{Text: strings.TrimSpace(step)})
		}
	}
	return expand(blocks), lines.Err()
}

// docString reads up to the closing quotes and removes the indentation.
func docString(lines *bufio.Scanner, indent int, number *int) string {
	var doc []string
	for lines.Scan() {
		*number++
		line := lines.Text()
		if strings.TrimSpace(line) == `"""` {
			break
		}
		cut := 0
		for cut < indent && cut < len(line) && (line[cut] == ' ' || line[cut] == '\t') {
			cut++
		}
		doc = append(doc, line[cut:])
	}
	return strings.Join(doc, "\n")
}

// cells splits a table row; \| \\ and \n are escapes.
func cells(line string) []string {
	var row []string
	var cell strings.Builder
	escaped := false
	for _, r := range strings.TrimPrefix(strings.TrimSpace(line), "|") {
		switch {
		case escaped && r == 'n':
			cell.WriteByte('\n')
			escaped = false
		case escaped && (r == '|' || r == '\\'):
			cell.WriteRune(r)
			escaped = false
		case escaped:
			cell.WriteByte('\\')
			cell.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == '|':
			row = append(row, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteRune(r)
		}
	}
	return row
}

// expand puts the background before every scenario and makes one scenario for each row of examples.
func expand(blocks []*block) []Scenario {
	var background []Step
	var all []Scenario
	for _, b := range blocks {
		if b.background {
			background = b.scenario.Steps
			continue
		}
		s := b.scenario
		s.Steps = append(append([]Step(nil), background...), s.Steps...)
		if b.examples == nil {
			all = append(all, s)
			continue
		}
		n := 0
		for _, table := range b.examples {
			for _, values := range table[min(1, len(table)):] {
				n++
				filled := fill(s, table[0], values)
				filled.Name = fmt.Sprintf("%s #%d", s.Name, n)
				all = append(all, filled)
			}
		}
	}
	return all
}

func fill(s Scenario, names, values []string) Scenario {
	var pairs []string
	for i, name := range names {
		pairs = append(pairs, "<"+name+">", values[i])
	}
	r := strings.NewReplacer(pairs...)
	steps := make([]Step, len(s.Steps))
	for i, step := range s.Steps {
		steps[i] = Step{Text: r.Replace(step.Text), Doc: r.Replace(step.Doc)}
		for _, row := range step.Table {
			filled := make([]string, len(row))
			for j, cell := range row {
				filled[j] = r.Replace(cell)
			}
			steps[i].Table = append(steps[i].Table, filled)
		}
	}
	s.Steps = steps
	return s
}
