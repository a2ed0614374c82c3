package exec_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/tck"
)

var seedQueries = []string{
	"MATCH (a:A {num: 1})-[r:R|S*1..3]->(b) WHERE a.num < b.num RETURN a, collect(b.name) AS names ORDER BY a.id DESC SKIP 1 LIMIT 3",
	"MATCH p = (a)-[*..2]-(b:B) RETURN length(p), [n IN nodes(p) | n.id] AS ids, relationships(p)",
	"MATCH (n) OPTIONAL MATCH (n)-[r]->(m) WHERE m.num IS NOT NULL WITH n, count(m) AS c WHERE c > 1 RETURN n.id AS id, c",
	"UNWIND range(1, 10) AS x WITH x, x % 3 AS k RETURN k, sum(x), avg(x), min(x), max(x), percentileDisc(x, 0.5), stDev(x)",
	"MATCH (n:A) WHERE NOT EXISTS { MATCH (n)-->(m:B) WHERE m.num <> 2 } AND (n)--() RETURN DISTINCT labels(n) AS l",
	"RETURN reduce(s = [], x IN range(1, 60) | [s, s]) AS deep, [x IN [1, 2, 3] WHERE x > 1 | x ^ 2] AS l, {a: {b: [null]}}.a.b[0]",
	"RETURN 1 AS x UNION ALL MATCH (n) RETURN n.num AS x UNION ALL RETURN $p AS x",
	"MATCH (a) RETURN [(a)-[:R]->(b) WHERE b:B | b.name] AS l, a {.name, .*, x: 1}, all(x IN labels(a) WHERE x <> 'C')",
	"RETURN CASE 1 WHEN 1 THEN 'a' ELSE 'b' END, 'x' + 1.5 =~ '.*', substring('häß', 1), -9223372036854775808 - 1",
	"MATCH (n) WHERE n.name IN ['a', 'b'] AND n.id >= 3 AND n.name STARTS WITH 'a' RETURN count(*) // CREATE (x)",
	"WITH date('2015-W30-2') AS d, duration({months: 1.5}) AS p RETURN d + p, d.week, p * 2, duration.between(d, datetime({date: d, hour: 4, timezone: '+01:00'})), date.truncate('decade', d, {day: 2}) < d",
	"CREATE (n) SET n.x = 1 /* MERGE */ RETURN 'DELETE'",
	"MATCH (a)-[r]->(b) WITH a, collect(r) AS rs, b MATCH (a)-[rs*0..2]-(c) RETURN c.id, size(rs)",
}

func FuzzPrepare(f *testing.F) {
	for _, q := range seedQueries {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		if _, err := cypher.Prepare(query); err != nil {
			var e *cypher.Error
			if !errors.As(err, &e) {
				t.Fatalf("%q: %v is not a Cypher error", query, err)
			}
			if e.Line < 1 || e.Column < 1 {
				t.Fatalf("%q: %v has no place", query, err)
			}
		}
	})
}

// FuzzRun runs queries with tight limits over two stores with the same content. They must agree and must respect the time limit.
func FuzzRun(f *testing.F) {
	for _, q := range seedQueries {
		f.Add(q)
	}
	g := graphtest.Random(1, 30, 60)
	small := cypher.Limits{Rows: 2000, Paths: 20_000, Memory: 4 << 20, Time: time.Second}
	f.Fuzz(func(t *testing.T, query string) {
		start := time.Now()
		want, wantErr := answer(g, query, small)
		if took := time.Since(start); took > time.Minute {
			t.Fatalf("%q took %s", query, took)
		}
		got, gotErr := answer(graphtest.Bare(g), query, small)
		if wantErr != nil || gotErr != nil || strings.Contains(strings.ToUpper(query), "RAND") {
			return // the first error or the exceeded limit may depend on the order of work
		}
		if strings.Contains(strings.ToUpper(query), "LIMIT") || strings.Contains(strings.ToUpper(query), "SKIP") {
			return // without a full order, the store chooses which rows stay
		}
		if upper := strings.ToUpper(query); strings.Contains(upper, "DATE") || strings.Contains(upper, "TIME") {
			return // the current time differs
		}
		if !slices.Equal(want, got) {
			t.Fatalf("%q: rows differ between stores:\n%q\n%q", query, want, got)
		}
	})
}

func answer(g cypher.Graph, query string, limits cypher.Limits) ([]string, error) {
	_, rows, err := cypher.Collect(context.Background(), g, query, map[string]any{"p": 1}, limits)
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = tck.Canonical(row, true)
	}
	slices.Sort(lines)
	return lines, nil
}
