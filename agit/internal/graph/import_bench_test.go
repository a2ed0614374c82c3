package graph_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
)

// bigPlan is 10,000 tasks, of which each waits for up to three before it.
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

// BenchmarkImport: a plan of 10,000 tasks against the same rows, one by one, in
// one transaction of bare SQL.
func BenchmarkImport(b *testing.B) {
	plan, edges := bigPlan()
	var ours, bare time.Duration
	for b.Loop() {
		s, _ := openBench(b)
		began := time.Now()
		done, err := s.Import(b.Context(), plan, graph.ImportOptions{Project: "plan"})
		if err != nil || done.Dependencies != edges {
			b.Fatalf("%d of %d edges, %v", done.Dependencies, edges, err)
		}
		ours += time.Since(began)
		_, db := openBench(b)
		began = time.Now()
		if err := bareImport(b, db, plan); err != nil {
			b.Fatal(err)
		}
		bare += time.Since(began)
	}
	b.ReportMetric(float64(ours)/float64(bare), "x-bare")
	b.ReportMetric(ours.Seconds()/float64(b.N), "s")
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

// BenchmarkCriticalPath: how a project of 10,000 tasks and 30,000 edges stands,
// against reading the rows it is found from.
func BenchmarkCriticalPath(b *testing.B) {
	plan, _ := bigPlan()
	s, db := openBench(b)
	if _, err := s.Import(b.Context(), plan, graph.ImportOptions{Project: "plan"}); err != nil {
		b.Fatal(err)
	}
	var ours, bare time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := s.ProjectStatus(b.Context(), "plan"); err != nil {
			b.Fatal(err)
		}
		ours += time.Since(began)
		began = time.Now()
		err := db.Read(b.Context(), func(tx *registry.Tx) error {
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
		if err != nil {
			b.Fatal(err)
		}
		bare += time.Since(began)
	}
	b.ReportMetric(float64(ours)/float64(bare), "x-bare")
	b.ReportMetric(1000*ours.Seconds()/float64(b.N), "ms")
}
