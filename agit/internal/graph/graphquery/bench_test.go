package graphquery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// The benchmarks of the knowledge graph run over one plan of 100,000 tasks in 1,000 epics with 300,000 dependencies, whose 50,000
// highest priorities are all blocked. Each alternates with hand-written SQL for the same purpose, over the same connections.

const (
	planTasks   = 100_000
	planEpics   = 1_000
	planBlocked = 50_000 // of the highest priority, each waiting for six tasks
	planDone    = 20_000
	planHub     = 1_000 // tasks that wait for HUB only
)

// openPlan returns a registry with the plan.
func openPlan(b *testing.B) *registry.DB {
	b.Helper()
	db, err := registry.Open(b.Context(), registry.Options{Path: b.TempDir() + "/agit.db", Readers: 2})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	err = db.Write(b.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Make(tx, project.New{UID: "plan"})
		if err != nil {
			return err
		}
		for _, s := range []struct {
			sql  string
			args []any
		}{
			{`INSERT INTO agents (id, uid, name, name_key, registered_at, last_seen_at) VALUES (1000, 'a', 'ann', 'ann', ?1, ?1)`, []any{tx.Stamp()}},
			{`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
				INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, priority, created_at, updated_at)
				SELECT 1000000 + i, 'e' || i, ?3, 'epic', 'E-' || i, 'e-' || i, 'epic ' || i, 'pending', 'open', 2, ?1, ?1 FROM n`, []any{tx.Stamp(), planEpics, p.ID}},
			{`INSERT INTO epics (item_id) SELECT id FROM items WHERE kind = 'epic'`, nil},
			{`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
				INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, description, status, state, priority, parent_id, estimate_seconds, created_at, updated_at)
				SELECT i, 'u' || i, ?3, 'task', 'T-' || i, 't-' || i, 'task ' || i, 'task ' || i || ' of many, with a few words',
				  CASE WHEN i <= ?4 THEN 'completed' ELSE 'pending' END, CASE WHEN i <= ?4 THEN 'done' ELSE 'open' END,
				  CASE WHEN i > ?2 - ?5 THEN 4 ELSE i % 4 END, 1000000 + 1 + i % 1000, 60 + i % 600, ?1, ?1 FROM n`,
				[]any{tx.Stamp(), planTasks, p.ID, planDone, planBlocked}},
			{`INSERT INTO tasks (item_id) SELECT id FROM items WHERE kind = 'task'`, nil},
			{`INSERT INTO item_capabilities (item_id, capability) SELECT id, 'go' FROM items WHERE kind = 'task' AND id % 10 = 0`, nil},
			{`WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
				INSERT INTO dependencies (uid, source_id, target_id, relation, created_at)
				SELECT 'd' || items.id || '-' || n.i, CASE WHEN items.id > ?2 THEN ?3 + 1 + (items.id * 7919 + n.i * 5003) % (?2 - ?3) ELSE 1 + (items.id + n.i) % ?3 END,
				  items.id, 'blocks', ?1 FROM items, n WHERE items.kind = 'task' AND items.id > ?2`, []any{tx.Stamp(), planTasks - planBlocked, planDone}},
			{`INSERT INTO item_history (item_id, at, agent_id, field, new) SELECT id, ?1, 1000, 'status', 'completed' FROM items WHERE state = 'done'`, []any{tx.Stamp()}},
			{`UPDATE items SET holds = 6 WHERE kind = 'task' AND id > ?1`, []any{planTasks - planBlocked}},
		} {
			if _, err := tx.Exec(s.sql, s.args...); err != nil {
				return fmt.Errorf("%s: %w", s.sql, err)
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return db
}

// duel reports ours beside a baseline.
func duel(b *testing.B, ours, bare func() error) {
	b.Helper()
	benchtest.Beside(b, "bare", benchtest.Of(ours), benchtest.Of(bare))
}

// BenchmarkNextTask: pm_get_next_task beside a transaction that claims the task with the highest priority and checks nothing else.
// Goal: 4.
func BenchmarkNextTask(b *testing.B) {
	db := openPlan(b)
	s := &task.Store{DB: db, ReleaseAfter: 2 * time.Hour}
	bare := func() error {
		return db.Write(b.Context(), registry.Everything, func(tx *registry.Tx) error {
			id, err := registry.One[int64](tx.QueryRow(`UPDATE items SET status = 'claimed', state = 'active', updated_at = ?, version = version + 1
				WHERE id = (SELECT id FROM items WHERE state = 'open' AND holds = 0 AND deleted_at IS NULL ORDER BY priority DESC, created_at, id LIMIT 1)
				RETURNING id`, tx.Stamp()))
			if err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO leases (item_id, agent_id, epoch, claimed_at) VALUES (?, 1000, 1, ?)`, id, tx.Stamp()); err != nil {
				return err
			}
			_, err = tx.Exec(`INSERT INTO item_history (item_id, at, agent_id, field, old, new) VALUES (?, ?, 1000, 'status', 'pending', 'claimed')`, id, tx.Stamp())
			return err
		})
	}
	for name, ask := range map[string]task.Ask{
		"every project": {Agent: "ann"}, "one project": {Agent: "ann", Project: "plan"}, "with capabilities": {Agent: "ann", Capabilities: []string{"go", "sql"}},
	} {
		b.Run(name, func(b *testing.B) {
			duel(b, func() error {
				o, err := s.Offer(b.Context(), ask)
				if err == nil && o.TaskID == nil {
					err = fmt.Errorf("nothing was offered: %v", o.Reason)
				}
				return err
			}, bare)
		})
	}
}

// BenchmarkCompleteHub: pm_report_progress completing a task that 1,000 others wait for, beside the statements that update it, free the
// others and read them.
func BenchmarkCompleteHub(b *testing.B) {
	db := openPlan(b)
	s := &graph.Store{DB: db, Tasks: &task.Store{DB: db}}
	hubs := 0
	hub := func() string { // creates a task and planHub tasks that wait for it
		hubs++
		ref := fmt.Sprintf("HUB-%d", hubs)
		err := db.Write(b.Context(), registry.Everything, func(tx *registry.Tx) error {
			id := int64(2_000_000 + hubs*10_000)
			for _, sql := range []string{
				`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at)
				  SELECT ?1, 'h' || ?1, id, 'task', ?2, lower(?2), 'hub', 'pending', 'open', ?3, ?3 FROM projects WHERE uid = 'plan'`,
				`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
				  INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, holds, created_at, updated_at)
				  SELECT ?1 + i, 'h' || (?1 + i), projects.id, 'task', ?2 || '-' || i, lower(?2) || '-' || i, 'x', 'pending', 'open', 1, ?3, ?3 FROM projects, n WHERE uid = 'plan'`,
				`INSERT INTO tasks (item_id) SELECT id FROM items WHERE id BETWEEN ?1 AND ?1 + 1000 AND ?2 <> '' AND ?3 <> ''`,
				`INSERT INTO dependencies (uid, source_id, target_id, relation, created_at)
				  SELECT 'h' || id, ?1, id, 'blocks', ?3 FROM items WHERE id > ?1 AND id <= ?1 + 1000 AND ?2 <> ''`,
			} {
				if _, err := tx.Exec(sql, id, ref, tx.Stamp()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		return ref
	}
	// Each side gets hubs of its own, created outside of the measured time.
	var ours, bares []string
	for range 25 {
		ours, bares = append(ours, hub()), append(bares, hub())
	}
	take := func(from *[]string) (ref string) {
		if len(*from) == 0 {
			*from = append(*from, hub())
		}
		ref, *from = (*from)[0], (*from)[1:]
		return ref
	}
	duel(b, func() error {
		moved, err := s.Report(b.Context(), graph.Progress{Task: take(&ours), Status: task.Completed, Caller: task.Caller{Agent: "ann"}})
		if err == nil && len(moved.Unblocked) != planHub {
			err = fmt.Errorf("%d tasks were unblocked", len(moved.Unblocked))
		}
		return err
	}, func() error {
		return db.Write(b.Context(), registry.Everything, func(tx *registry.Tx) error {
			id, err := registry.One[int64](tx.QueryRow(`UPDATE items SET status = 'completed', state = 'done', finished_at = ?, updated_at = ?
				WHERE ref = ? RETURNING id`, tx.Stamp(), tx.Stamp(), take(&bares)))
			if err != nil {
				return err
			}
			for _, sql := range []string{
				`INSERT INTO leases (item_id, agent_id, epoch, claimed_at) VALUES (?, 1000, 1, ?)`,
				`INSERT INTO item_history (item_id, at, agent_id, field, old, new) VALUES (?, ?, 1000, 'status', 'pending', 'completed')`,
			} {
				if _, err := tx.Exec(sql, id, tx.Stamp()); err != nil {
					return err
				}
			}
			if _, err := tx.Exec(`UPDATE items SET holds = holds - 1 WHERE id IN (SELECT target_id FROM dependencies WHERE source_id = ? AND relation = 'blocks')`, id); err != nil {
				return err
			}
			freed, err := registry.Collect(tx, registry.One[string], `SELECT items.ref FROM dependencies d JOIN items ON items.id = d.target_id
				WHERE d.source_id = ? AND d.relation = 'blocks' AND items.holds = 0 AND items.state = 'open' ORDER BY items.priority DESC, items.created_at, items.id`, id)
			if err == nil && len(freed) != planHub {
				err = fmt.Errorf("%d tasks were unblocked", len(freed))
			}
			return err
		})
	})
}

// BenchmarkProjectStatus: pm_get_project_status, critical path included, beside
// the statements that count by status and read the unfinished plan.
func BenchmarkProjectStatus(b *testing.B) {
	db := openPlan(b)
	s := &graph.Store{DB: db, Tasks: &task.Store{DB: db}}
	duel(b, func() error {
		st, err := s.ProjectStatus(b.Context(), "plan")
		if err == nil && (st.Tasks.Total != planTasks || len(st.CriticalPath) == 0) {
			err = fmt.Errorf("%+v", st.Tasks)
		}
		return err
	}, func() error {
		return db.Read(b.Context(), func(tx *registry.Tx) error {
			type row struct {
				a, z   int64
				ref    string
				parent registry.Null[int64]
			}
			for _, sql := range []string{
				`SELECT COUNT(*), 0, status, NULL FROM items WHERE kind = 'task' AND project_id = 1 AND deleted_at IS NULL GROUP BY status`,
				`SELECT parent_id, COUNT(*), state, NULL FROM items WHERE kind = 'task' AND project_id = 1 AND deleted_at IS NULL GROUP BY parent_id, state`,
				`SELECT id, COALESCE(estimate_seconds, 1), ref, parent_id FROM items WHERE project_id = 1 AND kind IN ('task', 'epic') AND state IN ('open', 'active') AND deleted_at IS NULL`,
				`SELECT d.source_id, d.target_id, '', NULL FROM dependencies d JOIN items t ON t.id = d.target_id WHERE d.relation = 'blocks' AND t.project_id = 1 AND t.state IN ('open', 'active')`,
			} {
				if _, err := registry.Collect(tx, func(s registry.Scanner) (r row, err error) { return r, s.Scan(&r.a, &r.z, &r.ref, &r.parent) }, sql); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
