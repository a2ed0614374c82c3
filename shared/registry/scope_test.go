package registry_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A write that changes a row of a project that it did not name fails in tests, however the row belongs to its project.
func TestAWriteStaysInItsScope(t *testing.T) {
	registrytest.OnlySQLite(t, "locks hold what tests of a file check")
	t.Parallel()
	db := registrytest.Open(t)
	fill(t, db, "one")
	fill(t, db, "two")
	ids := map[string]int64{}
	if err := db.Read(t.Context(), func(tx *registry.Tx) error {
		_, err := registry.Collect(tx, func(row registry.Scanner) (name string, err error) {
			var id int64
			err = row.Scan(&id, &name)
			ids[name] = id
			return name, err
		}, `SELECT id, name FROM projects`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	one := registry.Scope{Project: ids["one"]}
	for _, c := range []struct {
		name, statement string
		scope           registry.Scope
		in              []string
		refused         string
	}{
		{"its own item", `UPDATE items SET title = 'y' WHERE ref = 't-one'`, one, nil, ""},
		{"another's item", `UPDATE items SET title = 'y' WHERE ref = 't-two'`, one, nil, "UPDATE of items"},
		{"every item", `UPDATE items SET title = 'y'`, one, nil, "UPDATE of items"},
		{"every item, as it says", `UPDATE items SET title = 'y'`, registry.Everything, nil, ""},
		{"both projects, as it says", `UPDATE items SET title = 'y'`, registry.Named, []string{"one", "two"}, ""},
		{"an item before its project is named", `UPDATE items SET title = 'y' WHERE ref = 't-one'`, registry.Named, nil, "UPDATE of items"},
		{"an item moved to another project", `UPDATE items SET project_id = (SELECT id FROM projects WHERE name = 'two'), ref_key = 'z' WHERE ref = 't-one'`, one, nil, "UPDATE of items"},
		{"how many things another's item waits for", `UPDATE items SET holds = holds + 1 WHERE ref = 't-two'`, one, nil, ""},
		{"another's task", `UPDATE tasks SET result = 'x' WHERE item_id = (SELECT id FROM items WHERE ref = 'c-two')`, one, nil, "UPDATE of tasks"},
		{"another's lease", `DELETE FROM leases WHERE item_id = (SELECT id FROM items WHERE ref = 'c-two')`, one, nil, "DELETE of leases"},
		{"another's worktree", `UPDATE worktrees SET branch = 'x' WHERE ref = 'w-two'`, one, nil, "UPDATE of worktrees"},
		{"another's history", `INSERT INTO item_history (item_id, at, field) SELECT id, '', 'x' FROM items WHERE ref = 'c-two'`, one, nil, "INSERT of item_history"},
		{"a trashed worktree of another", `INSERT INTO trash (uid, worktree_id, path, branch, branch_oid, status, removed_at, expires_at)
			SELECT 'u', id, 'p', 'b', 'o', 'kept', '', '' FROM worktrees WHERE ref = 'w-two'`, one, nil, "INSERT of trash"},
		{"an agent", `UPDATE agents SET type = 'x'`, registry.Named, nil, ""},
	} {
		err := db.Write(t.Context(), c.scope, func(tx *registry.Tx) error {
			for _, name := range c.in {
				if err := tx.In(ids[name]); err != nil {
					return err
				}
			}
			n, err := tx.Exec(c.statement)
			if err == nil && n == 0 {
				t.Errorf("%s: no row was changed", c.name)
			}
			return err
		})
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAWriteStoresOnlyText(t *testing.T) {
	registrytest.OnlySQLite(t, "locks hold what tests of a file check")
	t.Parallel()
	db := registrytest.Open(t)
	for _, text := range []string{"a\x00b", "caf\xe9"} {
		err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(`INSERT INTO registry_meta (key, value) VALUES ('x', ?)`, registry.NullIfZero(text))
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "is not text") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The check adds its triggers to the connection and not to the registry.
func TestCheckingScopesChangesNothing(t *testing.T) {
	registrytest.OnlySQLite(t, "locks hold what tests of a file check")
	t.Parallel()
	db := registrytest.Open(t)
	fill(t, db, "one")
	before := schemaOf(t, db)
	if err := db.Write(t.Context(), registry.Named, func(tx *registry.Tx) error { return tx.In(1) }); err != nil {
		t.Fatal(err)
	}
	if after := schemaOf(t, db); after != before {
		t.Errorf("the schema has changed:\n%s", after)
	}
}

func schemaOf(t *testing.T, db *registry.DB) string {
	t.Helper()
	all, err := db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}
