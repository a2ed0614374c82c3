package task

import (
	"fmt"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// Each name is read once, by kind, in as many statements as the limit of parameters requires; a row that does not exist has none.
func TestNamesOfRows(t *testing.T) {
	t.Parallel()
	const agents = 2*namesAtOnce + 7
	db := registrytest.Open(t)
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for _, query := range []string{
			`INSERT INTO projects (id, uid, name, created_at, updated_at) SELECT 1, 'p-1', 'one', s, s FROM (SELECT ? AS s) AS t`,
			`INSERT INTO repos (id, uid, project_id, name, name_key, path, common_dir, default_branch, host, created_at, updated_at)
				SELECT 1, 'r-1', 1, 'app', 'app', '/app', '/app/.git', 'main', '` + registry.Host() + `', s, s FROM (SELECT ? AS s) AS t`,
		} {
			if _, err := tx.Exec(query, tx.Stamp()); err != nil {
				return err
			}
		}
		for i := range agents {
			if _, err := tx.Exec(`INSERT INTO agents (id, uid, name, name_key, registered_at, last_seen_at) VALUES (?, ?, ?, ?, ?, ?)`,
				i+1, fmt.Sprint("a", i+1), fmt.Sprint("agent ", i+1), fmt.Sprint("agent ", i+1), tx.Stamp(), tx.Stamp()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	owned := [][kindsOfNames]int64{{nameOfProject: 1, nameOfRepo: 1, nameOfWorktree: 404}}
	for i := range agents {
		owned = append(owned, [kindsOfNames]int64{nameOfProject: 1, nameOfAgent: int64(i + 1)})
	}
	if err := db.Read(t.Context(), func(tx *registry.Tx) error {
		r := newRows()
		for range 2 { // the second time nothing is missing
			if err := r.load(tx, owned); err != nil {
				return err
			}
		}
		if p, re, w := r.names[nameOfProject][1], r.names[nameOfRepo][1], r.names[nameOfWorktree][404]; p != "p-1" || re != "app" || w != "" {
			t.Errorf("the project is %q, the repository %q, a worktree that does not exist %q", p, re, w)
		}
		for i := range agents {
			if got := r.names[nameOfAgent][int64(i+1)]; got != fmt.Sprint("agent ", i+1) {
				t.Fatalf("agent %d is %q", i+1, got)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
