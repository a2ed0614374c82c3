package check_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
	"github.com/agit-suite/agit/shared/fault"
)

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		query, detail string
		line, column  int
	}{
		{"MATCH (task)\nRETURN tsk", "UndefinedVariable", 2, 8},
		{"MATCH p = (a), p = (b) RETURN p", "VariableAlreadyBound", 1, 16},
		{"MATCH (r)-[r]->() RETURN r", "VariableTypeConflict", 1, 12},
		{"WITH 'é' AS x RETURN y", "UndefinedVariable", 1, 22},
		{"RETURN 1 AS a, 2 AS a", "ColumnNameConflict", 1, 21},
		{"MATCH (n) RETURN count(count(n))", "NestedAggregation", 1, 24},
		{"RETURN countt(1)", "UnknownFunction", 1, 8},
		{"RETURN size()", "InvalidNumberOfArguments", 1, 8},
		{"RETURN 'a", "UnexpectedSyntax", 1, 8},
		{"MATCH (n) RETURN n LIMIT n.x", "NonConstantExpression", 1, 26},
		{"RETURN 1 + ", "UnexpectedSyntax", 1, 12},
		{"", "UnexpectedSyntax", 1, 1},
		{"MATCH (n)", "InvalidClauseComposition", 1, 10},
		{"RETURN " + strings.Repeat("(", 5000), "UnexpectedSyntax", 1, 208},
		{"RETURN " + strings.Repeat("({a: ", 100) + "1", "UnexpectedSyntax", 1, 508},
		{strings.Repeat(" ", 1<<20), "UnexpectedSyntax", 1, 1},
		{"MATCH (a) RETURN shortestPath((a)-[*]->(b))", "UnknownFunction", 1, 18},
		{"MATCH p = shortestPath((a)-[*]->(b)) RETURN p", "UnexpectedSyntax", 1, 11},
	} {
		_, err := cypher.Prepare(c.query)
		var e *cypher.Error
		if !errors.As(err, &e) || e.Detail != c.detail || e.Line != c.line || e.Column != c.column {
			t.Errorf("%.60q: got %v, want %s at %d:%d", c.query, err, c.detail, c.line, c.column)
			continue
		}
		if f := fault.From(err); f.Kind != fault.KindValidation || f.Field != "query" || f.Error() != e.Error() {
			t.Errorf("%.60q: fault %+v", c.query, f)
		}
	}
}

// TestReadOnly tries every clause and trick that could write.
func TestReadOnly(t *testing.T) {
	for _, q := range []string{
		"CREATE (n)", "MATCH (n) CREATE (m) RETURN m", "match (n) set n.x = 1 return n", "MATCH (n) DELETE n", "MATCH (n) DETACH DELETE n",
		"MATCH (n) REMOVE n.x RETURN n", "MERGE (n:A) RETURN n", "FOREACH (x IN [1] | CREATE (n))", "LOAD CSV FROM 'f' AS l RETURN l",
		"CALL db.x()", "CALL { CREATE (n) } RETURN 1", "RETURN 1; CREATE (n)", "RETURN 1 CREATE (n)", "RETURN 1 UNION CREATE (n) RETURN 1",
		"MATCH (n) WHERE EXISTS { CREATE (m) } RETURN n", "MATCH (n) WHERE EXISTS { MATCH (n) SET n.x = 1 RETURN n } RETURN n",
		"/* RETURN */ CREATE (n) // RETURN 1", "EXPLAIN CREATE (n)", "PROFILE MATCH (n) SET n.x = 1 RETURN n",
		"WITH 1 AS x CREATE (n) RETURN x", "CREATE CONSTRAINT c FOR (n:A) REQUIRE n.x IS UNIQUE", "DROP INDEX i",
		"ＣＲＥＡＴＥ (n) RETURN 1", "CREA\u0000TE (n) RETURN 1", "UNWIND [1] AS x MERGE (n {x: x}) RETURN n",
	} {
		if _, err := cypher.Prepare(q); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%q is accepted: %v", q, err)
		}
	}
	for _, q := range []string{
		"RETURN 'CREATE (n)' AS create_", "MATCH (n:CREATE {set: 1}) RETURN n.delete // MERGE (x)",
		"/* DELETE */ MATCH (n)-[:SET|REMOVE]->(m) RETURN n.merge AS `CREATE`", "WITH {create: 1} AS m RETURN m.create, m['set']",
	} {
		if _, err := cypher.Prepare(q); err != nil {
			t.Errorf("%q is refused: %v", q, err)
		}
	}
	_, err := cypher.Prepare("MATCH (n) DETACH DELETE n")
	if err == nil || !strings.Contains(err.Error(), "DETACH") {
		t.Errorf("the clause is not named: %v", err)
	}
}

// A property access on a value that cannot have properties is refused at compile time; an index of the wrong type is refused when it is
// used.
func TestWrongAccess(t *testing.T) {
	for query, runtime := range map[string]bool{
		"RETURN 1.5.x": false, "RETURN true.x": false, "WITH 'a' AS s RETURN s.x": false, "WITH [1] AS l RETURN l.x": false, "RETURN size([1]).x": false,
		"RETURN [1]['a']": true, "RETURN {a: 1}[0]": true, "RETURN 1[0]": true, "WITH [1] AS l, 1.5 AS i RETURN l[i]": true, "UNWIND [1, 'a'] AS x RETURN x.y": true,
	} {
		_, err := cypher.Prepare(query)
		if runtime && err == nil {
			_, _, err = cypher.Collect(context.Background(), graphtest.Random(3, 4, 4), query, nil, cypher.Limits{})
		}
		var e *cypher.Error
		if !errors.As(err, &e) || e.Detail != "InvalidArgumentType" || e.Runtime != runtime {
			t.Errorf("%s: %v", query, err)
		}
	}
	for _, query := range []string{"RETURN null.x", "RETURN date().year", "RETURN {a: 1}.a", "RETURN $p.x", "RETURN [{a: 1}][0].a"} {
		if _, err := cypher.Prepare(query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}
