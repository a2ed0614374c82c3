package cypher_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/cypher"
	"github.com/agit-suite/agit/agit/internal/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/cypher/graphtest"
	"github.com/agit-suite/agit/agit/internal/cypher/internal/tck"
	"github.com/agit-suite/agit/agit/internal/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/cypher/value"
)

// tckDir is the folder with the compatibility kit: TCK_DIR, or the one beside
// the repository.
func tckDir() string {
	if dir := os.Getenv("TCK_DIR"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "..", "shared", "tck")
}

// outcome is what became of a scenario.
type outcome struct {
	verdict string // passed, failed, wrong, skipped
	reason  string
}

// TestTCK runs every read-only scenario of openCypher's compatibility kit.
func TestTCK(t *testing.T) {
	dir := tckDir()
	if _, err := os.Stat(filepath.Join(dir, "features")); err != nil {
		t.Skipf("no compatibility kit: %v", err)
	}
	scenarios, err := tck.Read(filepath.Join(dir, "features"))
	if err != nil {
		t.Fatal(err)
	}
	both := func(s tck.Scenario) outcome {
		over := func(wrap func(graph.Graph) graph.Graph) outcome { return runScenario(dir, s, wrap) }
		o := over(func(g graph.Graph) graph.Graph { return g })
		if bare := over(graphtest.Bare); bare.verdict != o.verdict {
			return outcome{"wrong", fmt.Sprintf("%s over the full graph, %s over the bare one: %s", o.verdict, bare.verdict, bare.reason)}
		}
		return o
	}
	counts, skipped, core := map[string]int{}, map[string]int{}, map[string]int{}
	for _, s := range scenarios {
		o := both(s)
		counts[o.verdict]++
		temporal := strings.Contains(s.File, "/temporal/") || strings.Contains(s.File, "/call/")
		if o.verdict == "skipped" {
			skipped[o.reason]++
		}
		if !temporal && o.reason != writesReason && o.reason != procedureReason {
			core[o.verdict]++
		}
		switch {
		case o.verdict == "wrong":
			t.Errorf("%s: %s: answered wrongly: %s", s.File, s.Name, o.reason)
		case o.verdict == "failed":
			t.Logf("%s: %s: %s", s.File, s.Name, o.reason)
		}
	}
	t.Logf("%d scenarios: %d passed, %d failed, %d wrong, %d skipped", len(scenarios), counts["passed"], counts["failed"], counts["wrong"], counts["skipped"])
	for _, reason := range sortedKeys(skipped) {
		t.Logf("skipped %d: %s", skipped[reason], reason)
	}
	all := core["passed"] + core["failed"] + core["wrong"] + core["skipped"]
	rate := 100 * float64(core["passed"]) / float64(max(1, all))
	t.Logf("core read-only (neither temporal nor procedures): %d of %d passed, %.1f %%", core["passed"], all, rate)
	if rate < 95 {
		t.Errorf("only %.1f %% of the core read-only scenarios pass", rate)
	}
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

const (
	writesReason    = "the query under test writes"
	procedureReason = "procedures: CALL is refused"
	temporalReason  = "temporal values are not supported"
)

var temporalCall = regexp.MustCompile(`(?i)\b(date|time|localtime|datetime|localdatetime|duration)(\.\w+)?\s*\(`)

// skip says why a query is not run at all; empty when it is.
func skip(s tck.Scenario, query string) string {
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
			return writesReason
		case "CALL":
			return procedureReason
		}
	}
	if strings.Contains(s.File, "/call/") {
		return procedureReason
	}
	if temporalCall.MatchString(query) {
		return temporalReason
	}
	return ""
}

var raised = regexp.MustCompile(`^an? (\w+) should be raised at (compile time|runtime|any time): (\S+)$`)

func runScenario(dir string, s tck.Scenario, wrap func(graph.Graph) graph.Graph) outcome {
	g := &memory.Graph{}
	params := map[string]any{}
	var columns []string
	var rows [][]any
	var failure error
	for _, step := range s.Steps {
		switch text := strings.TrimSuffix(step.Text, ":"); {
		case text == "an empty graph", text == "any graph", text == "no side effects", strings.HasPrefix(text, "there exists a procedure"):
		case strings.HasPrefix(text, "the side effects should be"):
			return outcome{"skipped", writesReason}
		case strings.HasPrefix(text, "the ") && strings.HasSuffix(text, " graph"):
			name := strings.TrimSuffix(strings.TrimPrefix(text, "the "), " graph")
			script, err := os.ReadFile(filepath.Join(dir, "graphs", name, name+".cypher"))
			if err != nil {
				return outcome{"skipped", "the named graph " + name + " is not in the folder"}
			}
			if err := tck.Write(g, string(script)); err != nil {
				return outcome{"skipped", "set-up: " + err.Error()}
			}
		case text == "having executed":
			if err := tck.Write(g, step.Doc); err != nil {
				if temporalCall.MatchString(step.Doc) {
					return outcome{"skipped", temporalReason}
				}
				return outcome{"skipped", "set-up: " + err.Error()}
			}
		case text == "parameters are":
			for _, row := range step.Table {
				v, err := tck.Cell(row[1])
				if err != nil {
					return outcome{"skipped", "parameters: " + err.Error()}
				}
				params[row[0]] = v
			}
		case text == "executing query", text == "executing control query":
			if why := skip(s, step.Doc); why != "" {
				return outcome{"skipped", why}
			}
			columns, rows, failure = cypher.Collect(context.Background(), wrap(g), step.Doc, params, cypher.Limits{})
		case raised.MatchString(text):
			return expectError(raised.FindStringSubmatch(step.Text), failure, rows)
		case strings.HasPrefix(text, "the result should be"):
			if o := expectRows(text, step.Table, columns, rows, failure); o.verdict != "passed" {
				return o
			}
		default:
			return outcome{"skipped", "step not known: " + text}
		}
	}
	return outcome{"passed", ""}
}

func expectError(want []string, failure error, rows [][]any) outcome {
	var e *cypher.Error
	switch {
	case failure == nil:
		return outcome{"wrong", fmt.Sprintf("%d rows instead of %s", len(rows), want[0])}
	case !errors.As(failure, &e):
		return outcome{"failed", failure.Error()}
	case e.Name != want[1] || e.Detail != want[3]:
		return outcome{"failed", "wanted " + want[1] + ": " + want[3] + ", got " + e.Error()}
	case want[2] == "compile time" && e.Runtime:
		return outcome{"failed", "the error came at run time"}
	}
	return outcome{"passed", ""}
}

func expectRows(text string, table [][]string, columns []string, rows [][]any, failure error) outcome {
	if failure != nil {
		return outcome{"failed", failure.Error()}
	}
	if text == "the result should be empty" {
		if len(rows) > 0 {
			return outcome{"wrong", fmt.Sprintf("%d rows instead of none", len(rows))}
		}
		return outcome{"passed", ""}
	}
	if !slices.Equal(columns, table[0]) {
		return outcome{"wrong", fmt.Sprintf("columns %q instead of %q", columns, table[0])}
	}
	unordered := strings.Contains(text, "ignoring element order for lists")
	var want, got []string
	for _, row := range table[1:] {
		var b strings.Builder
		for _, cell := range row {
			v, err := tck.Cell(cell)
			if err != nil {
				return outcome{"skipped", "expected value: " + err.Error()}
			}
			b.WriteString(tck.Canonical(v, unordered) + " | ")
		}
		want = append(want, b.String())
	}
	for _, row := range rows {
		var b strings.Builder
		for _, v := range row {
			if value.KindOf(v) == value.KindInvalid {
				return outcome{"wrong", fmt.Sprintf("a %T is no value", v)}
			}
			b.WriteString(tck.Canonical(v, unordered) + " | ")
		}
		got = append(got, b.String())
	}
	if !strings.Contains(text, "in order") {
		slices.Sort(want)
		slices.Sort(got)
	}
	if !slices.Equal(want, got) {
		return outcome{"wrong", fmt.Sprintf("rows %q instead of %q", got, want)}
	}
	return outcome{"passed", ""}
}
