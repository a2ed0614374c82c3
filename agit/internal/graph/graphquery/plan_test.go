package graphquery

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/shared/registry"
)

// TestPlansBeginWithWhatIsAsked checks that every statement of a view uses an index. SQLite has no statistics, so one more condition
// may make it read every task for each batch of nodes. Scans of a table follow its order.
func TestPlansBeginWithWhatIsAsked(t *testing.T) {
	plans := map[string][]string{}
	db, err := registry.Open(t.Context(), registry.Options{
		Path: filepath.Join(t.TempDir(), "agit.db"), Explain: func(statement string, plan []string) { plans[statement] = plan },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	ask := func(v *view) error {
		for place, l := range labels {
			ids := []int64{v.at(place).id(1), v.at(place).id(2)}
			if _, err := v.Nodes(t.Context(), ids); err != nil {
				return err
			}
			filter := graph.Filter{Labels: []string{l.name}}
			for _, conditions := range [][]graph.Condition{
				nil, {{Property: "id", Op: graph.Equal, Value: "x"}}, {{Property: "status", Op: graph.Equal, Value: "pending"}},
				{{Property: "created", Op: graph.Less, Value: "2026"}, {Property: "priority", Op: graph.In, Value: []any{"high", "low"}}},
			} {
				filter.Conditions, filter.Leads = conditions, nil
				for range v.Scan(t.Context(), filter) {
				}
				for _, r := range relationships {
					filter.Leads = append(filter.Leads, graph.Lead{Hop: graph.Hop{Types: []string{r.name}, To: &graph.Filter{}}})
				}
				for range v.Scan(t.Context(), filter) {
				}
			}
			for _, load := range []bool{false, true} {
				hop := graph.Hop{From: ids, Load: load, To: &graph.Filter{Conditions: []graph.Condition{{Property: "status", Op: graph.Equal, Value: "completed"}}}}
				if err := v.Expand(t.Context(), hop, func(graph.Edge) error { return nil }); err != nil {
					return err
				}
				if _, err := v.CountNeighbours(t.Context(), hop, []string{"status"}, func(graph.Count) error { return nil }); err != nil {
					return err
				}
				if _, _, err := v.HaveNeighbour(t.Context(), graph.Hop{From: ids, Types: []string{relationships[0].name}, To: &graph.Filter{}}); err != nil {
					return err
				}
			}
		}
		for _, r := range relationships {
			for _, end := range []string{r.start, r.end} {
				if _, _, err := v.HaveNeighbour(t.Context(), graph.Hop{From: []int64{v.shape(end).id(1)}, Types: []string{r.name}, To: &graph.Filter{}}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = db.Read(t.Context(), func(tx *registry.Tx) error {
		v := newView(tx)
		if err := ask(v); err != nil {
			return err
		}
		return ask(v.SelectProperties(graph.Wanted{"id": nil, "status": nil}).(*view))
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(plans) < 100 {
		t.Errorf("only %d statements were seen", len(plans))
	}
	for statement, plan := range plans {
		for i, step := range plan {
			along := i == 0 && strings.Contains(statement, "LIMIT")
			once := strings.Contains(statement, "DISTINCT d.target_id FROM bugs") // follows the open bugs
			if once || strings.Contains(statement, ") w") || strings.Contains(statement, "agent_board") || along && !strings.Contains(step, "TEMP") {
				continue // the agents of a project come from three tables; an agent's work is sorted for each
			}
			if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "TEMP B-TREE FOR ORDER") ||
				strings.Contains(step, "items_label") && !strings.Contains(step, "project_id=?") {
				t.Errorf("%s in\n%s\nwhose plan is\n  %s", step, statement, strings.Join(plan, "\n  "))
			}
		}
	}
}
