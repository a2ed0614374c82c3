package registry_test

import (
	"database/sql"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// What tickets, sprints and trackers an earlier schema held is there after the upgrade,
// with what points at it; and a tracker that the schema does not know can be kept.
func TestUpgradeTakesAnyTracker(t *testing.T) {
	registrytest.OnlySQLite(t, "no schema is as old")
	t.Parallel()
	path := fixture(t, "schema-11.db")
	old, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`INSERT INTO sprints (id, uid, project_id, provider, remote_id, name, name_key, created_at, updated_at)
			SELECT 7, 'u-7', MIN(id), 'jira', '70', 'Sprint', 'sprint', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM projects`,
		`INSERT INTO tickets (item_id, project_id, provider, remote_id, status_category, sprint_id, url)
			SELECT MIN(id), MIN(project_id), 'linear', 'abc', 'todo', 7, 'https://example.org' FROM items`,
		`INSERT INTO ticket_labels (item_id, label_key, label) SELECT item_id, 'ui', 'UI' FROM tickets`,
		`INSERT INTO trackers (project_id, provider, updated_at) SELECT MIN(id), 'asana', '2026-01-01T00:00:00.000Z' FROM projects`,
	} {
		if _, err := old.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	db := registrytest.OpenAt(t, path)
	err = db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		got, err := registry.Collect(tx, registry.One[string], `SELECT t.provider || ' ' || t.remote_id || ' ' || t.url || ' ' || l.label || ' in ' || s.name || ' of ' || s.provider || ', ' || k.provider
			FROM tickets t JOIN ticket_labels l ON l.item_id = t.item_id JOIN sprints s ON s.id = t.sprint_id JOIN trackers k ON k.project_id = t.project_id`)
		if err != nil {
			return err
		}
		if diff := cmp.Diff([]string{"linear abc https://example.org UI in Sprint of jira, asana"}, got); diff != "" {
			t.Errorf("the rows differ (-want +got):\n%s", diff)
		}
		for _, table := range []string{"tickets", "sprints", "trackers"} {
			if n, err := tx.Exec(`UPDATE ` + table + ` SET provider = 'another'`); err != nil || n != 1 {
				t.Errorf("another tracker in %s: %d rows, %v", table, n, err)
			}
		}
		_, err = tx.Exec(`INSERT INTO sprints (uid, project_id, provider, remote_id, name, name_key, created_at, updated_at)
			SELECT 'u-8', project_id, provider, remote_id, 'Twin', 'twin', created_at, updated_at FROM sprints`)
		if !registry.IsDuplicate(err) {
			t.Errorf("one sprint of a tracker twice: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if report, err := db.Check(t.Context()); err != nil || len(report.Problems) > 0 {
		t.Errorf("after the upgrade: %+v, %v", report, err)
	}
}
