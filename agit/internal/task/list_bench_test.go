package task_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// BenchmarkReadyList: all 4,482 ready tasks of 10,000 as JSON, beside bare SQL
// that reads what is shown of them. Goal: 40 ms a command, start to exit.
func BenchmarkReadyList(b *testing.B) {
	db := registrytest.OpenPlain(b)
	const all, free = 10_000, 4482
	err := db.Write(b.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Make(tx, project.New{UID: "plan"})
		if err != nil {
			return err
		}
		for _, s := range []struct {
			sql  string
			args []any
		}{
			{`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
				INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, description, status, state, priority, holds, created_at, updated_at)
				SELECT i, 'u' || i, ?3, 'task', 'T-' || i, 't-' || i, 'task ' || i, 'task ' || i || ' of many, with a few words', 'pending', 'open', i % 5,
				  CASE WHEN i > ?4 THEN 1 ELSE 0 END, ?1, ?1 FROM n`, []any{tx.Stamp(), all, p.ID, free}},
			{`INSERT INTO tasks (item_id) SELECT id FROM items`, nil},
			{`INSERT INTO dependencies (uid, source_id, target_id, relation, created_at) SELECT 'd' || id, 1, id, 'blocks', ?1 FROM items WHERE id > ?2`, []any{tx.Stamp(), free}},
		} {
			if _, err := tx.Exec(s.sql, s.args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	s := &task.Store{DB: db}
	benchtest.Beside(b, "bare", benchtest.Of(func() error {
		page, err := s.Ready(b.Context(), task.Filter{Project: "plan"})
		if err == nil && len(page.Tasks) != free {
			err = fmt.Errorf("%d tasks are ready", len(page.Tasks))
		}
		if err != nil {
			return err
		}
		_, err = json.Marshal(page)
		return err
	}), benchtest.Of(func() error {
		return db.Read(b.Context(), func(tx *registry.Tx) error {
			_, err := registry.Collect(tx, func(row registry.Scanner) (t [6]string, err error) {
				return t, row.Scan(&t[0], &t[1], &t[2], &t[3], &t[4], &t[5])
			}, `SELECT ref, title, description, status, priority, created_at FROM items WHERE state = 'open' AND holds = 0 AND deleted_at IS NULL
				ORDER BY priority DESC, created_at, id`)
			return err
		})
	}))
}
