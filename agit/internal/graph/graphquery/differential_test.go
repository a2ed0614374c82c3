package graphquery

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/tck"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// rowsOf returns the rows of a query as text, sorted.
func rowsOf(g cypher.Graph, query string) ([]string, error) {
	_, rows, err := cypher.Collect(context.Background(), g, query, nil, cypher.Limits{Paths: 200_000})
	if err != nil {
		return nil, err
	}
	var all []string
	for _, row := range rows {
		text := ""
		for _, v := range row {
			text += tck.Canonical(v, true) + " | "
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all, nil
}

// TestRegistryAnswersLikeMemory: random queries over random registries return the same rows as over a copy in memory.
func TestRegistryAnswersLikeMemory(t *testing.T) {
	graphs, each := 8, 250
	if testing.Short() {
		graphs, each = 2, 100
	}
	r := rand.New(rand.NewPCG(5, 17))
	refused, compared, filled := 0, 0, 0
	for seed := range graphs {
		err := randomRegistry(t, uint64(seed)).Read(t.Context(), func(tx *registry.Tx) error {
			plain := graphtest.Bare(copyOf(t, newView(tx))) // a graph that nothing is pushed down to
			for range each {
				query := (&ask{r: r}).query()
				want, wantErr := rowsOf(plain, query)
				got, gotErr := rowsOf(newView(tx), query)
				if wantErr != nil || gotErr != nil {
					refused++
					if wantErr == nil || gotErr == nil {
						t.Errorf("%s\nfails over one store only: %v, %v", query, wantErr, gotErr)
					}
					continue
				}
				compared++
				if len(want) > 0 {
					filled++
				}
				if !slices.Equal(want, got) {
					t.Errorf("%s\ngives over memory\n%q\nand over the registry\n%q", query, want, got)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d queries compared, %d of them with rows, %d refused", compared, filled, refused)
	if filled < compared/4 || refused > compared/10 {
		t.Error("too few of the random queries say anything")
	}
}

// inOntology returns an error when the registry could not hold a graph.
func inOntology(g *memory.Graph) error {
	for n, err := range g.Scan(context.Background(), graph.Filter{}) {
		if err != nil {
			return err
		}
		if len(n.Labels) != 1 || !slices.ContainsFunc(labels, func(l *label) bool { return l.name == n.Labels[0] }) {
			return fmt.Errorf("the registry has no nodes with the labels %v", n.Labels)
		}
	}
	return nil
}

// TestTCKOverTheRegistry runs the scenarios of openCypher's compatibility kit whose graph the registry can hold, over both stores: the
// verdicts are equal.
func TestTCKOverTheRegistry(t *testing.T) {
	dir, scenarios := tck.Kit(t)
	held, other := 0, 0
	err := registrytest.Open(t).Read(t.Context(), func(tx *registry.Tx) error {
		for _, s := range scenarios {
			var cannot error
			over := tck.Run(dir, s, func(g *memory.Graph) (graph.Graph, error) {
				if cannot = inOntology(g); cannot != nil {
					return nil, cannot
				}
				if nodes, _ := g.Len(); nodes > 0 {
					cannot = errors.New("its nodes would be of the ontology, but have to be brought over")
					return nil, cannot
				}
				return newView(tx), nil
			})
			if cannot != nil {
				other++
				continue
			}
			held++
			plain := tck.Run(dir, s, func(g *memory.Graph) (graph.Graph, error) { return g, nil })
			if over.Verdict != plain.Verdict {
				t.Errorf("%s: %s: %s over memory, %s over the registry: %s", s.File, s.Name, plain.Verdict, over.Verdict, over.Reason)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d scenarios over the registry, %d whose graph it cannot hold", held, other)
}
