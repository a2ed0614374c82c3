package exec_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// TestLimitBeforeOptionalMatch: an early LIMIT before OPTIONAL MATCH drops the same rows as a LIMIT after it.
func TestLimitBeforeOptionalMatch(t *testing.T) {
	for seed := range uint64(6) {
		g := graphtest.Random(seed, 20, 40)
		for _, pattern := range []string{
			"MATCH (a:A) OPTIONAL MATCH (a)-->(b:B)", "MATCH (a) OPTIONAL MATCH (a)-[:R]-(b) WHERE b.num > 1",
			"MATCH (a)-->(c) OPTIONAL MATCH (a)-->(b) OPTIONAL MATCH (b)-->(d)",
		} {
			for _, returned := range []string{"a.id AS a, b.id AS b", "a.num AS n, b AS b", "DISTINCT a.num AS n", "a.num AS n, count(b) AS c", "b.num AS n"} {
				for _, order := range []string{"a.num", "n", "a.num DESC, a.name", "coalesce(b.num, a.num)", "b.id"} {
					query := pattern + " RETURN " + returned + " ORDER BY " + order
					all, err := ordered(t, g, query)
					if err != nil {
						continue // the variable is not defined after this RETURN
					}
					for skip, limit := range []int{1, 5, 0, 200} {
						some, err := ordered(t, g, fmt.Sprintf("%s SKIP %d LIMIT %d", query, skip, limit))
						if err != nil {
							t.Fatal(err)
						}
						if want := all[min(skip, len(all)):min(skip+limit, len(all))]; !slices.Equal(want, some) {
							t.Fatalf("%s SKIP %d LIMIT %d\ngives %q\nof %q", query, skip, limit, some, all)
						}
					}
				}
			}
		}
	}
}

// ordered returns the rows of a query as text, in their order.
func ordered(t *testing.T, g cypher.Graph, query string) (rows []string, err error) {
	t.Helper()
	_, found, err := cypher.Collect(t.Context(), g, query, nil, cypher.Limits{})
	for _, r := range found {
		rows = append(rows, value.Format(r))
	}
	return rows, err
}
