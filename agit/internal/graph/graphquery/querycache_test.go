package graphquery_test

import (
	"fmt"
	"github.com/agit-suite/agit/agit/internal/graph/graphquery"
	"strings"
	"sync"
	"testing"
)

// TestOneStoreServesMany: concurrent queries share the cache of a store, and there are more queries than it keeps.
func TestOneStoreServesMany(t *testing.T) {
	s := newGraph(t)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 60 {
				want := fmt.Sprintf("%d-%d", worker, i%40)
				for _, query := range []string{
					fmt.Sprintf("MATCH (e:Epic)-[:HAS_TASK]->(t:Task) RETURN count(t) AS n, '%s' AS s", want),
					"MATCH (e:Epic)-[:HAS_TASK]->(t:Task) RETURN count(t) AS n, $s AS s",
				} {
					a, err := s.Query(t.Context(), graphquery.Ask{Text: query, Params: map[string]any{"s": want}})
					if err != nil || len(a.Results) != 1 || a.Results[0]["s"] != want || a.Results[0]["n"] != int64(2) {
						t.Errorf("%s: %v, %v", query, a, err)
					}
				}
			}
		})
	}
	wg.Wait()
	long := "MATCH (t:Task) RETURN count(t) AS n // " + strings.Repeat("x", 20_000)
	if a, err := s.Query(t.Context(), graphquery.Ask{Text: long, Params: nil}); err != nil || a.Results[0]["n"] != int64(3) {
		t.Errorf("a long query: %v, %v", a, err)
	}
}
