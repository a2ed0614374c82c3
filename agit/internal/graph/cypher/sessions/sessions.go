// Package sessions runs recorded queries over a small graph and compares their answers with the recorded ones. Only tests import it.
package sessions

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/tck"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
	"github.com/agit-suite/agit/shared/cli/clitest"
)

// Params are the parameters of every recorded query.
var Params = map[string]any{"n": 2, "list": []any{1, 2}, "text": "bob", "map": map[string]any{"x": 7}, "none": nil}

// Graph returns the graph of the recorded queries: an epic with three tasks that need each other, and the agents who do them.
func Graph(t testing.TB) *memory.Graph {
	t.Helper()
	g := &memory.Graph{}
	if err := tck.Write(g, `CREATE
		(ann:Agent:Person {name: 'ann', age: 30, tags: ['x', 'y']}), (bob:Agent {name: 'bob', age: 41}), (cy:Agent {name: 'cy'}),
		(e:Epic {id: 'E', title: 'Epic'}), (t1:Task {id: 'T1', n: 1, done: true}), (t2:Task {id: 'T2', n: 2}), (t3:Task {id: 'T3', n: 3, cost: 1.5}),
		(e)-[:HAS {at: 1}]->(t1), (e)-[:HAS {at: 2}]->(t2), (e)-[:HAS {at: 3}]->(t3), (t2)-[:NEEDS]->(t1), (t3)-[:NEEDS {hard: true}]->(t2),
		(ann)-[:DOES {n: 1}]->(t1), (ann)-[:DOES {n: 2}]->(t2), (bob)-[:DOES {n: 3}]->(t3), (cy)-[:KNOWS]->(cy), (ann)-[:KNOWS]->(bob), (bob)-[:KNOWS]->(ann)`); err != nil {
		t.Fatal(err)
	}
	return g
}

// Run answers the queries of the files of this package's testdata folder, which is at dir, and compares them with what the files hold.
func Run(t *testing.T, dir string, files ...string) {
	t.Helper()
	g := Graph(t)
	for _, file := range files {
		path := filepath.Join(dir, "testdata", file+".txt")
		var b strings.Builder
		for _, q := range read(t, path) {
			if q.remark != "" {
				b.WriteString(q.remark + "\n")
				continue
			}
			b.WriteString("> " + strings.ReplaceAll(q.text, "\n", "\n> ") + "\n" + strings.Join(Answer(g, q.text), "\n") + "\n\n")
		}
		clitest.Golden(t, path, b.String())
	}
}

// Queries returns the queries of a file of the testdata folder at dir.
func Queries(t testing.TB, dir, file string) (all []string) {
	t.Helper()
	for _, q := range read(t, filepath.Join(dir, "testdata", file+".txt")) {
		if q.remark == "" {
			all = append(all, q.text)
		}
	}
	return all
}

// Answer runs a query over g. It returns a line with the columns and one for each row, or one with the error.
func Answer(g graph.Graph, query string) []string {
	columns, rows, err := cypher.Collect(context.Background(), g, query, Params, cypher.Limits{})
	if err != nil {
		return []string{err.Error()}
	}
	lines := []string{strings.Join(columns, " | ")}
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = value.Format(v)
		}
		lines = append(lines, strings.Join(cells, " | "))
	}
	return lines
}

type entry struct{ text, remark string }

// read returns the remarks and the queries of a file.
func read(t testing.TB, path string) (all []entry) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	asking := false
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSuffix(line, "\n")
		text, asks := strings.CutPrefix(line, "> ")
		switch {
		case asks && asking:
			all[len(all)-1].text += "\n" + text
		case asks:
			all = append(all, entry{text: text})
		case strings.HasPrefix(line, "# "):
			all = append(all, entry{remark: line})
		}
		asking = asks
	}
	return all
}
