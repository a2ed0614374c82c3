package registry_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// foreign makes another registry and lets statements loose on it, with every check
// of SQLite's off.
func foreign(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "foreign.db")
	db := registrytest.OpenFile(t, path)
	addProject(t, db, "theirs")
	db.Close()
	execute(t, path, append([]string{`PRAGMA foreign_keys = 0`, `PRAGMA ignore_check_constraints = 1`}, statements...)...)
	return path
}

// execute runs statements in a file as another program does, on one connection.
func execute(t *testing.T, path string, statements ...string) {
	t.Helper()
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	conn, err := raw.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, s := range statements {
		if _, err := conn.ExecContext(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

const now = `'2026-01-01T00:00:00.000Z'`

// A foreign file is merged soundly, or refused with nothing changed.
func TestHostileRowsInMergeAndRestore(t *testing.T) {
	t.Parallel()
	item := func(id, columns, values string) string {
		return `INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, description, status, state, priority, holds, created_at, updated_at` + columns +
			`) VALUES (` + id + `, 'u` + id + `', 1, 'task', 'T-` + id + `', 't-` + id + `', 'x', 'x', 'pending', 'open', 2, 0, ` + now + `, ` + now + values + `)`
	}
	refused := []string{"number for a time", "text for a number", "more tables", "unknown state", "columns missing", "huge numbers"}
	for name, statements := range map[string][]string{
		"hostile text":       {`UPDATE projects SET name = char(27) || '[2J' || char(0) || '"; DROP TABLE items; --' || char(8238)`},
		"invalid UTF-8":      {`UPDATE projects SET name = CAST(x'ff80fe' AS TEXT)`},
		"blob for text":      {`UPDATE projects SET name = x'00ff00'`},
		"text for a number":  {item("1", "", ""), `UPDATE items SET priority = 'high', holds = 'none'`},
		"number for a time":  {`UPDATE projects SET created_at = 12345`},
		"huge text":          {`UPDATE projects SET description = hex(zeroblob(20000000))`},
		"huge numbers":       {item("9223372036854775807", "", ""), `UPDATE items SET priority = 9223372036854775807`},
		"negative ids":       {item("-5", ", parent_id", ", -5")},
		"dangling parent":    {item("1", ", parent_id", ", 77")},
		"dangling project":   {item("1", "", ""), `UPDATE items SET project_id = 4711`},
		"dangling edge":      {item("1", "", ""), `INSERT INTO dependencies (uid, source_id, target_id, relation, created_at) VALUES ('d', 1, 99, 'blocks', ` + now + `)`},
		"unknown state":      {item("1", "", ""), `UPDATE items SET state = 'nonsense', kind = 'nonsense'`},
		"more tables":        {`CREATE TABLE evil (x)`, `CREATE TRIGGER wipe AFTER INSERT ON projects BEGIN DELETE FROM projects; END`},
		"a view for a table": {`DROP TABLE registry_meta`, `CREATE VIEW registry_meta AS SELECT 'registry_uid' AS key, load_extension('x') AS value`},
		"columns missing":    {`ALTER TABLE projects DROP COLUMN description`},
		"a negative schema":  {`PRAGMA user_version = -7`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := foreign(t, statements...)
			for what, act := range map[string]func(*registry.DB) error{
				"merge": func(db *registry.DB) error { _, err := db.Merge(t.Context(), source); return err },
				"restore": func(db *registry.DB) error {
					_, err := registry.Restore(t.Context(), registry.Options{Path: db.Path()}, source)
					return err
				},
			} {
				if what == "restore" && registrytest.OnServer() {
					continue // which puts its own copies back
				}
				db := registrytest.Open(t)
				addProject(t, db, "mine")
				err := act(db)
				if err != nil {
					f := fault.From(err)
					if f.Kind == "" || strings.Contains(err.Error(), "panic") || strings.Contains(err.Error(), "sql: Scan") {
						t.Errorf("%s: %v", what, err)
					}
					if got := projects(t, db); !cmp.Equal(got, []string{"mine"}) {
						t.Errorf("%s was refused (%v) and left %v", what, err, got)
					}
				}
				report, checked := db.Check(t.Context())
				if checked != nil || len(report.Problems) > 0 {
					t.Errorf("%s (%v): the registry is not sound: %v %v", what, err, report.Problems, checked)
				}
				if err == nil && slices.Contains(refused, name) {
					t.Errorf("%s took it", what)
				}
				// It can still be worked in.
				addProject(t, db, "after "+what)
			}
		})
	}
}
