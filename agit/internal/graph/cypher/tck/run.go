package tck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Outcome is the result of a scenario: passed; failed, when the query was refused or failed in an unexpected way; wrong, when the
// answer was not the expected one; or skipped, with a Reason.
type Outcome struct{ Verdict, Reason string }

// Reasons to skip a scenario that are independent of its store.
const (
	Writes     = "the query under test writes"
	Procedures = "procedures: CALL is refused"
)

// skip returns why a query is not run; empty when it is run.
func skip(query string) string {
	tokens, err := syntax.Tokens(query)
	if err != nil {
		return ""
	}
	for i, t := range tokens {
		if t.Kind != syntax.Ident || i > 0 && (tokens[i-1].Text == "." || tokens[i-1].Text == ":") {
			continue
		}
		switch strings.ToUpper(t.Text) {
		case "CREATE", "MERGE", "SET", "DELETE", "REMOVE":
			return Writes
		case "CALL":
			return Procedures
		}
	}
	return ""
}

var raised = regexp.MustCompile(`^an? (\w+) should be raised at (compile time|runtime|any time): (\S+)$`)

// Store returns the graph to query, from the memory graph that a scenario's set-up has filled: the same graph, a wrapper, or a copy in
// another store. An error means that the other store cannot hold it, and skips the scenario.
type Store func(*memory.Graph) (graph.Graph, error)

// Run runs one scenario of the kit in dir over a store.
func Run(dir string, s Scenario, store Store) Outcome {
	g := &memory.Graph{}
	params := map[string]any{}
	var columns []string
	var rows [][]any
	var failure error
	for _, step := range s.Steps {
		switch text := strings.TrimSuffix(step.Text, ":"); {
		case text == "an empty graph", text == "any graph", text == "no side effects", strings.HasPrefix(text, "there exists a procedure"):
		case strings.HasPrefix(text, "the side effects should be"):
			return Outcome{"skipped", Writes}
		case strings.HasPrefix(text, "the ") && strings.HasSuffix(text, " graph"):
			name := strings.TrimSuffix(strings.TrimPrefix(text, "the "), " graph")
			script, err := os.ReadFile(filepath.Join(dir, "graphs", name, name+".cypher"))
			if err != nil {
				return Outcome{"skipped", "the named graph " + name + " is not in the folder"}
			}
			if err := Write(g, string(script)); err != nil {
				return Outcome{"skipped", "set-up: " + err.Error()}
			}
		case text == "having executed":
			if err := Write(g, step.Doc); err != nil {
				return Outcome{"skipped", "set-up: " + err.Error()}
			}
		case text == "parameters are":
			for _, row := range step.Table {
				v, err := Cell(row[1])
				if err != nil {
					return Outcome{"skipped", "parameters: " + err.Error()}
				}
				params[row[0]] = v
			}
		case text == "executing query", text == "executing control query":
			if why := skip(step.Doc); why != "" {
				if _, err := cypher.Prepare(step.Doc); err == nil {
					return Outcome{"wrong", "a query that writes or calls is accepted"}
				}
				return Outcome{"skipped", why}
			}
			asked, err := store(g)
			if err != nil {
				return Outcome{"skipped", "store: " + err.Error()}
			}
			columns, rows, failure = cypher.Collect(context.Background(), asked, step.Doc, params, cypher.Limits{})
		case raised.MatchString(text):
			return expectError(raised.FindStringSubmatch(step.Text), failure, rows)
		case strings.HasPrefix(text, "the result should be"):
			if o := expectRows(text, step.Table, columns, rows, failure); o.Verdict != "passed" {
				return o
			}
		default:
			return Outcome{"skipped", "step not known: " + text}
		}
	}
	return Outcome{"passed", ""}
}

func expectError(want []string, failure error, rows [][]any) Outcome {
	var e *cypher.Error
	switch {
	case failure == nil:
		return Outcome{"wrong", fmt.Sprintf("%d rows instead of %s", len(rows), want[0])}
	case !errors.As(failure, &e):
		return Outcome{"failed", failure.Error()}
	case e.Name != want[1] || e.Detail != want[3] && want[3] != "*": // any detail is accepted
		return Outcome{"failed", "wanted " + want[1] + ": " + want[3] + ", got " + e.Error()}
	case want[2] == "compile time" && e.Runtime:
		return Outcome{"failed", "the error came at run time"}
	}
	return Outcome{"passed", ""}
}

func expectRows(text string, table [][]string, columns []string, rows [][]any, failure error) Outcome {
	if failure != nil {
		return Outcome{"failed", failure.Error()}
	}
	if text == "the result should be empty" {
		if len(rows) > 0 {
			return Outcome{"wrong", fmt.Sprintf("%d rows instead of none", len(rows))}
		}
		return Outcome{"passed", ""}
	}
	if !slices.Equal(columns, table[0]) {
		return Outcome{"wrong", fmt.Sprintf("columns %q instead of %q", columns, table[0])}
	}
	unordered := strings.Contains(text, "ignoring element order for lists")
	var want, got []string
	for _, row := range table[1:] {
		var b strings.Builder
		for _, cell := range row {
			v, err := Cell(cell)
			if err != nil {
				return Outcome{"skipped", "expected value: " + err.Error()}
			}
			b.WriteString(Canonical(v, unordered) + " | ")
		}
		want = append(want, b.String())
	}
	for _, row := range rows {
		var b strings.Builder
		for _, v := range row {
			if value.KindOf(v) == value.KindInvalid {
				return Outcome{"wrong", fmt.Sprintf("a %T is not a value", v)}
			}
			b.WriteString(Canonical(v, unordered) + " | ")
		}
		got = append(got, b.String())
	}
	if !strings.Contains(text, "in order") {
		slices.Sort(want)
		slices.Sort(got)
	}
	if !slices.Equal(want, got) {
		return Outcome{"wrong", fmt.Sprintf("rows %q instead of %q", got, want)}
	}
	return Outcome{"passed", ""}
}
