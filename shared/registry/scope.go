package registry

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Scope lists the projects whose rows a write may change. SQLite ignores it, because one file has one lock; a registry on a server
// locks by project.
type Scope struct {
	Project int64
	all     bool
	claims  bool
}

var (
	// Everything is the scope of a write that may change any project, such as a merge or a sweep.
	Everything = Scope{all: true}
	// Named is the scope of a write that finds its project itself and names it by Tx.In. Until then it may change only rows without a
	// project, such as agents.
	Named = Scope{}
	// Claiming is Named for a write that takes one item from a queue by statements that are each atomic. ClaimingAny is the same for
	// the queue of all projects. On a server neither waits for other writers of the project.
	Claiming    = Scope{claims: true}
	ClaimingAny = Scope{claims: true, all: true}
)

// In adds a project whose rows the write will change to its scope; 0 adds none. On a server it takes the project's lock. In a read it
// has no effect.
func (tx *Tx) In(project int64) error {
	if tx.lock != nil {
		return tx.lock(tx.ctx, project)
	}
	if tx.confined == nil || project == 0 {
		return nil
	}
	return tx.confined.allow(tx, project)
}

// confinement checks a write against its scope: temporary triggers compare the project of each changed row with the named projects.
type confinement struct{ changed int64 }

// rows returns how many rows the check itself has changed.
func (c *confinement) rows() int64 {
	if c == nil {
		return 0
	}
	return c.changed
}

// onlyText refuses texts that PostgreSQL does not accept. Only paths of folders can be such texts, because they are stored as raw bytes.
func onlyText(query string, args []any) error {
	for _, a := range args {
		if null, ok := a.(Null[string]); ok {
			a = null.V
		}
		if t, ok := a.(string); ok && (!utf8.ValidString(t) || strings.ContainsRune(t, 0)) {
			return fmt.Errorf("%q is not text, in %s", t, query)
		}
	}
	return nil
}

// unowned are tables whose rows define the projects or describe the registry.
var unowned = []string{"projects", "project_folders", "registry_meta"}

// confine begins the check of a write if the registry is strict.
func (db *sqliteEngine) confine(tx *Tx, scope Scope) error {
	if !db.strict {
		return nil
	}
	explain := tx.explain
	tx.explain = nil
	defer func() { tx.explain = explain }()
	there, err := One[int](tx.QueryRow(`SELECT COUNT(*) FROM temp.sqlite_schema WHERE name = 'write_scope'`))
	if err != nil {
		return err
	}
	if there == 0 {
		if err := watchScopes(tx); err != nil {
			return fmt.Errorf("watch the scopes of writes: %w", err)
		}
	}
	c := &confinement{}
	n, err := tx.Exec(`DELETE FROM temp.write_scope`)
	if err != nil {
		return err
	}
	c.changed = n
	tx.confined = c
	if scope.all {
		return c.allow(tx, everyProject)
	}
	return tx.In(scope.Project)
}

// everyProject stands for all projects in write_scope.
const everyProject = -1

func (c *confinement) allow(tx *Tx, project int64) error {
	n, err := tx.Exec(`INSERT INTO temp.write_scope (project) VALUES (?) ON CONFLICT DO NOTHING`, project)
	c.changed += n
	return err
}

// scopeWatches holds the statements of watchScopes by the schema of their registry: describing the tables takes longer than most tests.
var scopeWatches sync.Map

// watchScopes adds a trigger on every change of a table whose rows belong to a project.
func watchScopes(tx *Tx) error {
	schema, err := One[string](tx.QueryRow(`SELECT COALESCE(GROUP_CONCAT(sql, ';'), '') FROM main.sqlite_schema`))
	if err != nil {
		return err
	}
	statements, known := scopeWatches.Load(schema)
	if !known {
		if statements, err = scopeStatements(tx); err != nil {
			return err
		}
		scopeWatches.Store(schema, statements)
	}
	_, err = tx.conn.ExecContext(tx.ctx, statements.(string))
	return err
}

// scopeStatements returns the SQL of a table that holds the scope of the current write, and of the triggers that compare with it.
func scopeStatements(tx *Tx) (string, error) {
	c, err := tx.catalogue()
	if err != nil {
		return "", err
	}
	names, err := Collect(tx, One[string], `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	if err != nil {
		return "", err
	}
	tables := map[string]mergeTable{}
	for _, name := range names {
		if tables[name], err = c.describe(name); err != nil {
			return "", err
		}
	}
	all := "CREATE TEMP TABLE write_scope (project INTEGER PRIMARY KEY);\n"
	for _, name := range names {
		owner, owned := ownerOf(tables, name, nil)
		if !owned || slices.Contains(unowned, name) {
			continue
		}
		for verb, rows := range map[string][]string{"INSERT": {"NEW"}, "UPDATE": {"OLD", "NEW"}, "DELETE": {"OLD"}} {
			var outside []string
			for _, row := range rows {
				outside = append(outside, fmt.Sprintf(`%[1]s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM temp.write_scope WHERE project IN (%[1]s, %[2]d))`,
					owner(row), everyProject))
			}
			condition := strings.Join(outside, " OR ")
			if name == "items" && verb == "UPDATE" { // a waiting item may belong to another project; the count is updated by one statement
				condition = "OLD.holds = NEW.holds AND (" + condition + ")"
			}
			all += fmt.Sprintf("CREATE TEMP TRIGGER scope_%[1]s_%[2]s BEFORE %[2]s ON main.%[1]s WHEN %[3]s\n"+
				"BEGIN SELECT RAISE(ABORT, '%[2]s of %[1]s outside of the scope of the write'); END;\n", name, verb, condition)
		}
	}
	return all, nil
}

// ownerOf returns the SQL expression for the project of a row: its own column, otherwise that of its required parent.
func ownerOf(tables map[string]mergeTable, name string, way []string) (func(row string) string, bool) {
	t := tables[name]
	if slices.Contains(t.columns, "project_id") {
		return func(row string) string { return row + `.project_id` }, true
	}
	if slices.Contains(way, name) {
		return nil, false
	}
	parents := append(slices.Clone(t.primary), t.columns...)
	if name == "dependencies" {
		parents = []string{"target_id"} // the waiting item
	}
	for _, column := range parents {
		parent := t.foreign[column]
		if parent == "" || parent == "agents" {
			continue
		}
		above, owned := ownerOf(tables, parent, append(way, name))
		if !owned {
			continue
		}
		key := tables[parent].keyHere()
		alias := fmt.Sprintf("p%d", len(way))
		return func(row string) string {
			return fmt.Sprintf(`(SELECT %s FROM main.%s %s WHERE %s.%s = %s.%s)`, above(alias), parent, alias, alias, key, row, column)
		}, true
	}
	return nil, false
}
