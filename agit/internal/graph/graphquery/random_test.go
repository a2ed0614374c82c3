package graphquery

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	graphstore "github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// newView returns a view for one query with an empty cache.
func newView(tx *registry.Tx) *view { return viewOf(tx, &queryCache{}) }

// randomRegistry returns a registry after some hundred random calls of the stores. Some calls are refused on purpose.
func randomRegistry(t *testing.T, seed uint64) *registry.DB {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	db, ctx := registrytest.Open(t), t.Context()
	tasks := &task.Store{DB: db}
	g := &graphstore.Store{DB: db, Tasks: tasks}
	pick := func(kind string, n int) string { return fmt.Sprintf("%s-%d", kind, r.IntN(n)) }
	word := func(words ...string) string { return words[r.IntN(len(words))] }
	for i := range 3 {
		if _, err := g.CreateProject(ctx, graphstore.NewProject{ID: fmt.Sprintf("P-%d", i), Name: word("one", "two")}); err != nil {
			t.Fatal(err)
		}
	}
	for range 160 {
		agent := pick("agent", 4)
		switch r.IntN(12) {
		case 0:
			_, _ = g.CreateEpic(ctx, graphstore.NewEpic{ID: pick("E", 5), Project: pick("P", 3), Name: word("a", "b"), Priority: work.Priority(r.IntN(5))})
		case 1, 2, 3, 4:
			n := task.New{ID: pick("T", 30), Project: pick("P", 3), Text: word("a", "b\nmore", "c"), Priority: work.Priority(r.IntN(5))}
			if r.IntN(2) == 0 {
				n.Project, n.Epic = "", pick("E", 5)
			}
			for range r.IntN(3) {
				n.DependsOn = append(n.DependsOn, pick("T", 30))
			}
			if r.IntN(3) == 0 {
				n.Capabilities = []string{word("go", "sql")}
			}
			_, _ = tasks.Create(ctx, []task.New{n})
		case 5:
			_, _ = tasks.Claim(ctx, pick("T", 30), agent)
		case 6, 7:
			_, _ = g.Report(ctx, graphstore.Progress{Task: pick("T", 30), Status: word(task.InProgress, task.Completed, task.Failed), Caller: task.Caller{Agent: agent},
				Artifacts: []graphstore.Produced{{Path: word("a.go", "b.md"), Size: int64(r.IntN(3))}}})
		case 8:
			_, _ = g.ReportBug(ctx, graphstore.BugReport{ID: pick("B", 6), Title: word("x", "y"), Severity: word("low", "high"), FoundBy: agent,
				FoundIn: pick("T", 30), Blocks: []string{pick("T", 30), pick("T", 30)}})
		case 9:
			_, _ = g.SetBugStatus(ctx, pick("B", 6), word("fixed", "wont_fix", "open"), agent)
		case 10:
			rate := float64(r.IntN(5)) * 12.5
			_, _ = g.RecordScenario(ctx, graphstore.ScenarioRecord{ID: pick("S", 5), Name: word("login", "logout"), Status: word("passed", "failed"), PassRate: &rate, Validates: []string{pick("T", 30)}})
		case 11:
			err := db.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
				item, err := work.Find(tx, "", word(pick("T", 30), pick("B", 6), pick("E", 5)))
				if err != nil {
					return nil //nolint:nilerr // it is not there yet
				}
				return work.Delete(tx, item.ID, work.Event{})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return db
}

// copyOf returns everything that a view shows, in the memory store.
func copyOf(t *testing.T, v *view) *memory.Graph {
	t.Helper()
	g := &memory.Graph{}
	ids := map[int64]int64{}
	var all []int64
	for n, err := range v.Scan(context.Background(), graph.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		ids[n.ID] = g.AddNode(n.Labels, n.Properties).ID
		all = append(all, n.ID)
	}
	err := v.Expand(context.Background(), graph.Hop{From: all, Direction: graph.Outgoing}, func(e graph.Edge) error {
		g.AddRelationship(ids[e.Relationship.Start], ids[e.Relationship.End], e.Relationship.Type, nil)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// ask generates random queries over the ontology.
type ask struct {
	r     *rand.Rand
	nodes []string // variables, each with a possible label
	label []string
}

func (q *ask) pick(of ...string) string { return of[q.r.IntN(len(of))] }

func (q *ask) query() string {
	text := "MATCH " + q.pattern(q.r.IntN(3))
	if q.r.IntN(2) == 0 {
		text += " WHERE " + q.condition(2)
	}
	if q.r.IntN(3) == 0 {
		before := len(q.nodes)
		text += q.pick(" MATCH ", " OPTIONAL MATCH ") + q.from(q.r.IntN(before), 1+q.r.IntN(2))
		if q.r.IntN(2) == 0 {
			text += " WHERE " + q.condition(1)
		}
	}
	n, label := q.node()
	switch q.r.IntN(8) {
	case 6, 7:
		return text + q.count()
	case 0:
		return text + fmt.Sprintf(" RETURN count(*) AS n, count(DISTINCT %s) AS d, collect(DISTINCT %s.id) AS ids", n, n)
	case 1:
		return text + fmt.Sprintf(" RETURN %s, count(*) AS n", n)
	case 2:
		return text + fmt.Sprintf(" WITH DISTINCT %s AS x ORDER BY x.%s, x.id LIMIT 3 RETURN x, keys(x) AS k", n, q.property(label))
	case 3:
		return text + fmt.Sprintf(" RETURN DISTINCT %s.%s AS a, labels(%s) AS b, %s {.id, .status} AS c", n, q.property(label), n, n)
	case 4:
		return text + fmt.Sprintf(" RETURN DISTINCT %s['id'] AS a, properties(%s).status AS b, size([(%s)--(o) WHERE o.status <> 'completed' | o.id]) AS c", n, n, n)
	}
	return text + fmt.Sprintf(" RETURN %s.%s AS a, %s.%s AS b", n, q.property(label), n, q.property(label))
}

// count returns a RETURN that groups by one node and counts another, mostly the last.
func (q *ask) count() string {
	key, keyLabel := q.node()
	n, label := q.nodes[len(q.nodes)-1], q.label[len(q.label)-1]
	if q.r.IntN(4) == 0 {
		n, label = q.node()
	}
	few := q.pick("status", "priority", "severity", "type", "assignedTo", q.property(label))
	return fmt.Sprintf(" RETURN %s.%s AS k, %s.%s AS l, %s", key, q.property(keyLabel), q.pick(key, n), q.pick("status", "priority"), q.pick(
		fmt.Sprintf("count(%s) AS a", n),
		fmt.Sprintf("count(*) AS a, min(%s.%s) AS b", n, few),
		fmt.Sprintf("count(DISTINCT %s.%s) AS a, count(%s.%s) AS b, count(%s) AS c", n, few, n, few, n),
		fmt.Sprintf("count(DISTINCT %s) AS a, max(%s.status) AS b", n, n),
		fmt.Sprintf("sum(CASE %s.status WHEN 'pending' THEN 1 WHEN 'blocked' THEN 10 ELSE 100 END) AS a, avg(size(%s.%s)) AS b", n, n, q.pick("priority", "status")),
		fmt.Sprintf("sum(CASE WHEN %s:Task AND %s.%s IN ['pending', 'high'] THEN 1 END) AS a", n, n, few)))
}

func (q *ask) node() (name, label string) {
	i := q.r.IntN(len(q.nodes))
	return q.nodes[i], q.label[i]
}

func (q *ask) property(label string) string {
	all := labels[0].names()
	for _, l := range labels {
		if l.name == label {
			all = l.names()
		}
	}
	return q.pick(all...)
}

func (q *ask) fresh(label string) string {
	name := fmt.Sprintf("n%d", len(q.nodes))
	q.nodes, q.label = append(q.nodes, name), append(q.label, label)
	tests := ""
	if q.r.IntN(5) == 0 {
		tests = fmt.Sprintf(" {%s: %s}", q.property(label), q.value(label))
	}
	return "(" + name + q.pick("", ":"+label, ":"+label) + tests + ")"
}

func (q *ask) pattern(hops int) string {
	return q.fresh(labels[q.r.IntN(len(labels))].name) + q.chain(hops, q.label[len(q.label)-1])
}

func (q *ask) from(i, hops int) string { return "(" + q.nodes[i] + ")" + q.chain(hops, q.label[i]) }

// chain follows relationships that the label has, mostly.
func (q *ask) chain(hops int, label string) string {
	text := ""
	for range hops {
		r := relationships[q.r.IntN(len(relationships))]
		for range 20 {
			if r.start == label || r.end == label {
				break
			}
			r = relationships[q.r.IntN(len(relationships))]
		}
		left, right, next := "-", "->", r.end
		if r.start != label {
			left, right, next = "<-", "-", r.start
		}
		if q.r.IntN(5) == 0 {
			left, right = "-", "-"
		}
		text += left + q.pick("[:"+r.name+"]", "[:"+r.name+"]", "[]", "[:"+r.name+"*1..2]") + right + q.fresh(next)
		label = next
	}
	return text
}

func (q *ask) value(label string) string {
	return q.pick("'pending'", "'completed'", "'blocked'", "'high'", "'medium'", "'a'", "''", "'T-3'", "'B-1'", "'fixed'", "2", "12.5", "null", "'2026'", "'go'", "['go']")
}

func (q *ask) condition(depth int) string {
	if depth > 0 && q.r.IntN(3) == 0 {
		return "(" + q.condition(depth-1) + q.pick(" AND ", " AND ", " OR ") + q.condition(depth-1) + ")"
	}
	n, label := q.node()
	p := n + "." + q.property(label)
	switch q.r.IntN(8) {
	case 0:
		return p + " " + q.pick("=", "<>", "<", ">=") + " " + q.value(label)
	case 1:
		return p + " IN [" + q.value(label) + ", " + q.value(label) + "]"
	case 2:
		return n + ".status " + q.pick("<>", "=") + " " + q.pick("'pending'", "'completed'", "'blocked'", "'failed'", "'open'")
	case 3:
		return p + q.pick(" IS NULL", " IS NOT NULL", " STARTS WITH 'T'", " CONTAINS 'o'")
	case 4:
		return q.pick("", "NOT ") + "EXISTS { MATCH (" + n + ")" + q.pick("-[:DEPENDS_ON]->", "<-[:DEPENDS_ON]-", "--", "<-[:BLOCKS]-", "-[:BLOCKED_BY]->", "<-[:HAS_TASK]-") +
			"(o" + q.pick("", ":Task", ":Bug", ":Epic") + ") WHERE o.status " + q.pick("= 'pending'", "<> 'completed'", "= 'open'", "IN ['completed', 'failed']", "= 'blocked'") + " }"
	case 5:
		return q.pick("", "NOT ") + "(" + n + ")" + q.pick("-->", "--", "<-[:CONTAINS]-", "-[:ASSIGNED_TO]->") + "(" + q.pick("", ":Task", ":Agent", ":Task {priority: 'high'}", ":Task {status: 'completed'}") + ")"
	case 6:
		return n + ":" + labels[q.r.IntN(len(labels))].name
	}
	m, other := q.node()
	return p + q.pick(" = ", " <> ", " < ") + m + "." + q.property(other)
}
