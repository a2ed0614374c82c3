package graph_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/registry"
)

// bigPlan returns 10,000 tasks; each waits for up to three earlier ones.
func bigPlan() (plan []graph.PlanEntry, edges int) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		e := graph.PlanEntry{Kind: "task", ID: fmt.Sprintf("T-%d", i), Name: fmt.Sprintf("task %d of many", i), Description: "some words about it, and some more of them", Estimate: "30m"}
		seen := map[int]bool{}
		for range 3 {
			if on := i - 1 - r.IntN(400); on >= 0 && !seen[on] {
				seen[on] = true
				e.DependsOn = append(e.DependsOn, fmt.Sprintf("T-%d", on))
			}
		}
		edges += len(e.DependsOn)
		plan = append(plan, e)
	}
	return plan, edges
}

func openBench(b *testing.B) (*graph.Store, *registry.DB) {
	b.Helper()
	db, err := registry.Open(b.Context(), registry.Options{Path: b.TempDir() + "/agit.db"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	s := &graph.Store{DB: db, Tasks: &task.Store{DB: db}}
	if _, err := s.CreateProject(b.Context(), graph.NewProject{ID: "plan"}); err != nil {
		b.Fatal(err)
	}
	return s, db
}

// BenchmarkImport: a plan of 10,000 tasks, beside plain SQL that inserts the same rows one by one in one transaction.
func BenchmarkImport(b *testing.B) {
	plan, edges := bigPlan()
	var into *graph.Store
	var empty *registry.DB
	benchtest.Beside(b, "bare", benchtest.Side{
		Prepare: func() error { into, _ = openBench(b); return nil },
		Run: func() error {
			done, err := into.Import(b.Context(), plan, graph.ImportOptions{Project: "plan"})
			if err == nil && done.Dependencies != edges {
				err = fmt.Errorf("%d of %d edges", done.Dependencies, edges)
			}
			return err
		},
	}, benchtest.Side{
		Prepare: func() error { _, empty = openBench(b); return nil },
		Run:     func() error { return bareImport(b, empty, plan) },
	})
}

func bareImport(b *testing.B, db *registry.DB, plan []graph.PlanEntry) error {
	return db.Write(b.Context(), registry.Everything, func(tx *registry.Tx) error {
		ids := map[string]int64{}
		for _, e := range plan {
			id, err := tx.Insert(`INSERT INTO items (uid, project_id, kind, ref, ref_key, title, description, status, state, priority, created_at, updated_at)
				VALUES (?, 1, 'task', ?, ?, ?, ?, 'pending', 'open', 2, ?, ?) RETURNING id`, registry.NewUID(), e.ID, e.ID, e.Name, e.Description, tx.Stamp(), tx.Stamp())
			if err != nil {
				return err
			}
			ids[e.ID] = id
			if _, err := tx.Exec(`INSERT INTO tasks (item_id) VALUES (?)`, id); err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO item_history (item_id, at, field, new, why) VALUES (?, ?, 'status', 'pending', 'created')`, id, tx.Stamp()); err != nil {
				return err
			}
			for _, on := range e.DependsOn {
				if _, err := tx.Exec(`INSERT INTO dependencies (uid, source_id, target_id, relation, created_at) VALUES (?, ?, ?, 'blocks', ?)`,
					registry.NewUID(), ids[on], id, tx.Stamp()); err != nil {
					return err
				}
				if _, err := tx.Exec(`INSERT INTO item_history (item_id, at, field, new) VALUES (?, ?, 'blocked_by', ?)`, id, tx.Stamp(), on); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// BenchmarkCriticalPath: the status of a project of 10,000 tasks and 30,000 edges, beside reading the rows that it is computed from.
func BenchmarkCriticalPath(b *testing.B) {
	plan, _ := bigPlan()
	s, db := openBench(b)
	if _, err := s.Import(b.Context(), plan, graph.ImportOptions{Project: "plan"}); err != nil {
		b.Fatal(err)
	}
	benchtest.Beside(b, "bare", benchtest.Of(func() error {
		_, err := s.ProjectStatus(b.Context(), "plan")
		return err
	}), benchtest.Of(func() error {
		return db.Read(b.Context(), func(tx *registry.Tx) error {
			for _, query := range []string{`SELECT id, parent_id FROM items`, `SELECT source_id, target_id FROM dependencies`} {
				_, err := registry.Collect(tx, func(row registry.Scanner) (p [2]int64, err error) {
					var second registry.Null[int64]
					err = row.Scan(&p[0], &second)
					p[1] = second.V
					return p, err
				}, query)
				if err != nil {
					return err
				}
			}
			return nil
		})
	}))
}
