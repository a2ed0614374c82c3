package worklist_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/dependency"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// The size that the goals speak of.
const (
	benchTickets = 100_000
	benchPlans   = 50_000
	benchEdges   = 200_000
)

// large fills a registry (that of BENCH_REGISTRY once) with tickets in sprints of 200, plans, and what waits for
// what; every twentieth ticket has three criteria.
func large(b *testing.B) (*stores.Stores, caller.Caller) {
	b.Helper()
	path := os.Getenv("BENCH_REGISTRY")
	if path == "" {
		path = filepath.Join(b.TempDir(), "agit.db")
	}
	_, err := os.Stat(path)
	st := stores.New(registrytest.OpenAt(b, path), config.Default())
	if err == nil {
		return st, caller.Caller{Place: project.Place{Named: "p-1"}}
	}
	r := rand.New(rand.NewPCG(3, 5))
	all := make([]ticket.New, benchTickets)
	for i := range all {
		all[i] = ticket.New{Key: fmt.Sprintf("APP-%d", i), Title: fmt.Sprintf("Ticket %d with a few words", i), Priority: work.Priority(r.IntN(5)), Labels: []string{"a", "b"},
			Sprint: ticket.Ref{Name: fmt.Sprintf("Sprint %d", i/200)}, Category: []string{ticket.Todo, ticket.Todo, ticket.InProgress, ticket.Done}[r.IntN(4)],
			CreatedAt: time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC)}
		if i%20 == 0 {
			all[i].Body.Text = "Acceptance criteria:\n\n- one thing\n- another thing\n- a third thing"
		}
		for range (benchEdges - benchPlans) / benchTickets * 2 {
			if i > 0 && r.IntN(4) < 3 {
				all[i].Links = append(all[i].Links, ticket.Link{Relation: "blocked_by", Target: ticket.Ref{Key: fmt.Sprintf("APP-%d", max(0, i-1-r.IntN(500)))}})
			}
		}
	}
	err = st.DB.Write(b.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, project.Identity{UID: "p-1", Name: "app", Folder: "/app"})
		if err != nil {
			return err
		}
		report, err := ticket.PutMany(tx, all, ticket.Put{ProjectID: p.ID, Parse: true})
		if err != nil {
			return err
		}
		plans := make([]work.NewItem, benchPlans)
		for i := range plans {
			plans[i] = work.NewItem{ProjectID: p.ID, Kind: work.KindPlan, Prefix: "p-", Text: fmt.Sprintf("Step %d", i), Status: "pending", Priority: work.Priority(r.IntN(5))}
		}
		made, err := work.CreateMany(tx, plans, func(_ int, err error) error { return err })
		if err != nil {
			return err
		}
		edges := make([]work.Edge, len(made))
		for i, item := range made {
			if _, err := tx.Exec(`INSERT INTO plans (item_id, ticket_id) VALUES (?, ?)`, item.ID, report.Items[i]); err != nil {
				return err
			}
			edges[i] = work.Edge{Source: report.Items[i], Target: item.ID, Relation: work.Blocks}
		}
		_, err = work.LinkMany(tx, edges, func(_ int, err error) error { return err })
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return st, caller.Caller{Place: project.Place{Named: "p-1"}}
}

// beside reports ours beside a bare query for the same rows.
func beside(b *testing.B, st *stores.Stores, next func(), ours func(context.Context) error, columns int, query string, args func() []any) {
	b.Helper()
	another := func() error { next(); return nil }
	benchtest.Beside(b, "bare", benchtest.Side{Prepare: another, Run: func() error { return ours(b.Context()) }}, benchtest.Side{
		Prepare: another,
		Run: func() error {
			return st.DB.Read(b.Context(), func(tx *registry.Tx) error {
				_, err := registry.Collect(tx, func(row registry.Scanner) ([]any, error) {
					values, into := make([]any, columns), make([]any, columns)
					for i := range into {
						into[i] = &values[i]
					}
					return values, row.Scan(into...)
				}, query, args()...)
				return err
			})
		},
	})
}

// BenchmarkBoard: over 100,000 tickets, 50,000 plans and 200,000 dependencies, what
// agents ask for, beside a bare indexed query for the same rows. Goal: 3.
func BenchmarkBoard(b *testing.B) {
	st, who := large(b)
	some := rand.New(rand.NewPCG(9, 9))
	id := ""
	next := func() { id = fmt.Sprintf("APP-%d", some.IntN(benchTickets)) }
	b.Run("get_ready_work", func(b *testing.B) {
		beside(b, st, next, func(ctx context.Context) error {
			_, err := st.Board.Ready(ctx, worklist.ReadyQuery{Caller: who, Tickets: true, Local: true, Limit: 20})
			return err
		}, 7, `SELECT i.ref, i.kind, i.title, i.status, i.priority, i.created_at, t.url FROM items i LEFT JOIN tickets t ON t.item_id = i.id
			WHERE i.project_id = 1 AND i.state = 'open' AND i.holds = 0 AND i.deleted_at IS NULL AND i.kind NOT IN ('epic', 'bug') AND i.assignee IS NULL
				AND NOT EXISTS (SELECT 1 FROM items c WHERE c.parent_id = i.id AND c.state IN ('open', 'active') AND c.deleted_at IS NULL)
				AND NOT EXISTS (SELECT 1 FROM items c WHERE c.origin_id = i.id AND c.kind = 'task' AND c.state NOT IN ('done', 'dropped') AND c.deleted_at IS NULL)
			ORDER BY i.priority DESC, i.created_at, i.id LIMIT 20`, func() []any { return nil })
	})
	b.Run("get_blockers", func(b *testing.B) {
		beside(b, st, next, func(ctx context.Context) error {
			_, err := st.Dependencies.Blockers(ctx, who, dependency.Query{Item: dependency.End{ID: id}, Recursive: true})
			return err
		}, 5, `WITH RECURSIVE chain (id, depth) AS (SELECT d.source_id, 1 FROM items i CROSS JOIN dependencies d ON d.target_id = i.id JOIN items b ON b.id = d.source_id
				WHERE i.ref_key = ? AND i.project_id + 0 = 1 AND d.relation = 'blocks' AND b.state IN ('open', 'active') UNION SELECT d.source_id, chain.depth + 1 FROM chain CROSS JOIN dependencies d ON d.target_id = chain.id
				JOIN items b ON b.id = d.source_id WHERE d.relation = 'blocks' AND chain.depth < 10 AND b.state IN ('open', 'active'))
			SELECT items.ref, items.title, items.status, items.priority, near.depth
				FROM (SELECT id, MIN(depth) AS depth FROM chain GROUP BY id) near CROSS JOIN items ON items.id = near.id ORDER BY 5`,
			func() []any { return []any{"app" + id[3:]} })
	})
	b.Run("sprint_status", func(b *testing.B) {
		beside(b, st, next, func(ctx context.Context) error {
			_, err := st.Board.Sprint(ctx, who, worklist.SprintQuery{Criteria: true, Blockers: true})
			return err
		}, 9, `SELECT i.ref, i.title, i.status, i.priority, t.item_type, t.status_category, t.estimate,
				(SELECT COUNT(*) FROM criteria c WHERE c.item_id = i.id), (SELECT COUNT(*) FROM dependencies d WHERE d.target_id = i.id AND d.relation = 'blocks')
			FROM tickets t JOIN items i ON i.id = t.item_id WHERE t.sprint_id = (SELECT id FROM sprints WHERE project_id = 1 AND status = 'active' LIMIT 1) ORDER BY i.priority DESC`, func() []any { return nil })
	})
	b.Run("get_ticket", func(b *testing.B) {
		beside(b, st, next, func(ctx context.Context) error {
			_, err := st.Board.Ticket(ctx, who, worklist.DetailQuery{ID: id, Plans: true, Criteria: true, Memories: true})
			return err
		}, 12, `WITH it (id) AS (SELECT id FROM items WHERE ref_key = ?)
			SELECT i.ref, i.title, i.description, i.status, i.priority, i.created_at, i.updated_at, t.item_type, t.status_category, t.assignee, t.url, t.due_date
				FROM it CROSS JOIN items i JOIN tickets t ON t.item_id = i.id WHERE i.id = it.id
			UNION ALL SELECT b.ref, b.title, b.description, b.status, b.priority, b.created_at, b.updated_at, '', '', '', '', '' FROM it CROSS JOIN dependencies d JOIN items b ON b.id = d.source_id WHERE d.target_id = it.id
			UNION ALL SELECT b.ref, b.title, b.description, b.status, b.priority, b.created_at, b.updated_at, '', '', '', '', '' FROM it CROSS JOIN dependencies d JOIN items b ON b.id = d.target_id WHERE d.source_id = it.id
			UNION ALL SELECT b.ref, b.title, b.description, b.status, b.priority, b.created_at, b.updated_at, '', '', '', '', '' FROM it CROSS JOIN items b WHERE b.parent_id = it.id
			UNION ALL SELECT b.ref, b.title, b.description, b.status, b.priority, b.created_at, b.updated_at, '', '', '', '', '' FROM it CROSS JOIN plans p JOIN items b ON b.id = p.item_id WHERE p.ticket_id = it.id
			UNION ALL SELECT c.ref, c.text, c.source, c.status, c.position, c.created_at, c.changed_at, '', '', '', '', '' FROM it CROSS JOIN criteria c WHERE c.item_id = it.id
			UNION ALL SELECT l.label, '', '', '', '', '', '', '', '', '', '', '' FROM it CROSS JOIN ticket_labels l WHERE l.item_id = it.id
			UNION ALL SELECT s.name, '', '', s.status, '', '', '', '', '', '', '', '' FROM it CROSS JOIN tickets t JOIN sprints s ON s.id = t.sprint_id WHERE t.item_id = it.id
			UNION ALL SELECT m.ref, m.title, m.content, m.type, m.importance, '', '', '', '', '', '', '' FROM it CROSS JOIN item_memories m WHERE m.item_id = it.id
			UNION ALL SELECT c.uid, '', '', c.status, '', '', '', '', '', '', '', '' FROM it CROSS JOIN pending_changes c WHERE c.item_id = it.id`,
			func() []any { return []any{"app" + id[3:]} })
	})
	b.Run("sprint_suggest", func(b *testing.B) {
		beside(b, st, next, func(ctx context.Context) error {
			_, err := st.Board.Suggest(ctx, worklist.SuggestQuery{Caller: who, Blockers: true, Criteria: true, Mine: true, Limit: 3})
			return err
		}, 3, `SELECT i.ref, i.title, i.priority FROM items i JOIN tickets t ON t.item_id = i.id WHERE i.project_id = 1 AND i.state = 'open' AND i.holds = 0 AND i.deleted_at IS NULL
			ORDER BY i.priority DESC, i.created_at, i.id LIMIT 200`, func() []any { return nil })
	})
}
