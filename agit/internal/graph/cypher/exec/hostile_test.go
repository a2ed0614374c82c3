package exec_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
)

// TestHostile runs queries that are made to be expensive; each must answer or be refused soon.
func TestHostile(t *testing.T) {
	g := graphtest.Random(5, 50, 300)
	ones := "1" + strings.Repeat("+1", 15_000)
	var counts, conditions strings.Builder
	for i := range 2000 {
		counts.WriteString(", count(n." + strings.Repeat("x", 1+i%9) + ") + " + strings.Repeat("1", 1+i%8) + " AS c" + strings.Repeat("y", 1+i%9))
		conditions.WriteString(" AND n.num = m.num")
	}
	for name, q := range map[string]string{
		"long sum":         "RETURN " + ones,
		"sum as sort key":  "RETURN count(*) AS c, " + ones + " AS x ORDER BY " + ones,
		"many columns":     "MATCH (n) RETURN 1" + counts.String(),
		"many conditions":  "MATCH (n), (m) WHERE true" + conditions.String() + " RETURN count(*)",
		"long pattern":     "MATCH " + strings.Repeat("()--", 10_000) + "() RETURN count(*)",
		"pattern at limit": "MATCH " + strings.Repeat("()--", 190) + "() RETURN count(*)",
		"many patterns":    "MATCH (n)" + strings.Repeat(", ()", 150) + " RETURN count(*)",
		"brackets":         "RETURN " + strings.Repeat("[", 30_000),
		"nested patterns":  "MATCH (n) WHERE " + strings.Repeat("EXISTS { (n)--() WHERE ", 150) + "true" + strings.Repeat("}", 150) + " RETURN count(*)",
		"nested lists":     "RETURN " + strings.Repeat("[x IN ", 150) + "[1]" + strings.Repeat("]", 150),
		"powers of ranges": "RETURN size([a IN range(1,10000) | [b IN range(1,10000) | [c IN range(1,10000) | c]]])",
		"many nots":        "RETURN " + strings.Repeat("NOT ", 150) + "true",
		"walks":            "MATCH (a)-[*]->(b)-[*]->(c) RETURN count(*)",
		"expression":       "RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a+)+$'",
		"range":            "RETURN range(-9223372036854775808, 9223372036854775807)",
		"replace":          "RETURN reduce(s = 'a', x IN range(1, 40) | replace(s, 'a', 'aaaaaaaaaa'))",
		"unions":           "RETURN 1 AS x" + strings.Repeat(" UNION RETURN 1 AS x", 3000),
	} {
		start := time.Now()
		_, rows, err := cypher.Collect(context.Background(), g, q, nil, cypher.Limits{Paths: 200_000, Memory: 64 << 20, Time: 2 * time.Second})
		if took := time.Since(start); took > time.Minute { // the limit is 2 s; a slow machine may be late
			t.Errorf("%s took %s (%d rows, %.200v)", name, took, len(rows), err)
		} else {
			t.Logf("%s: %s, %d rows, %.120v", name, took.Round(time.Millisecond), len(rows), err)
		}
	}
}
