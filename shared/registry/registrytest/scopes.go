package registrytest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/registry"
)

// scopeSets holds the statements of scopeTriggers by the schema of their registry: describing the tables takes longer than most tests.
var scopeSets sync.Map

// scopeTriggers returns the SQL of a table that holds the scope of the current write, and of a trigger for every change of a table whose
// rows belong to a project, which compares with it.
func scopeTriggers(tx *registry.Tx) (string, error) {
	schema, err := registry.One[string](tx.QueryRow(`SELECT COALESCE(GROUP_CONCAT(sql, ';'), '') FROM main.sqlite_schema`))
	if err != nil {
		return "", err
	}
	statements, known := scopeSets.Load(schema)
	if !known {
		if statements, err = describeScopes(tx); err != nil {
			return "", err
		}
		scopeSets.Store(schema, statements)
	}
	return statements.(string), nil
}

// column is one of a table, with the table that it points to. A key that counts the rows points at none.
type column struct{ table, name, parent string }

// unowned are tables whose rows belong to no project, though a column points at one.
var unowned = []string{"projects", "project_folders", "registry_meta"}

func describeScopes(tx *registry.Tx) (string, error) {
	columns, err := registry.Collect(tx, func(row registry.Scanner) (c column, err error) {
		return c, row.Scan(&c.table, &c.name, &c.parent)
	}, `SELECT t.name, c.name, CASE WHEN c.type = 'INTEGER' AND c.pk > 0 AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) k WHERE k.pk > 1) THEN ''
			ELSE COALESCE(f."table", '') END
		FROM pragma_table_list t JOIN pragma_table_info(t.name) c LEFT JOIN pragma_foreign_key_list(t.name) f ON f."from" = c.name
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.pk = 0, c.cid`)
	if err != nil {
		return "", err
	}
	tables := map[string][]column{}
	var names []string
	for _, c := range columns {
		if tables[c.table] == nil {
			names = append(names, c.table)
		}
		tables[c.table] = append(tables[c.table], c)
	}
	var all strings.Builder
	all.WriteString("CREATE TEMP TABLE write_scope (project INTEGER PRIMARY KEY);\n")
	for _, name := range names {
		owner, owned := ownerOf(tables, name, nil)
		if !owned || slices.Contains(unowned, name) {
			continue
		}
		for verb, rows := range map[string][]string{"INSERT": {"NEW"}, "UPDATE": {"OLD", "NEW"}, "DELETE": {"OLD"}} {
			var outside []string
			for _, row := range rows {
				outside = append(outside, fmt.Sprintf(`%[1]s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM temp.write_scope WHERE project IN (%[1]s, %[2]d))`,
					owner(row), registry.EveryProject))
			}
			condition := strings.Join(outside, " OR ")
			if name == "items" && verb == "UPDATE" { // a waiting item may belong to another project; the count is updated by one statement
				condition = "OLD.holds = NEW.holds AND (" + condition + ")"
			}
			fmt.Fprintf(&all, "CREATE TEMP TRIGGER scope_%[1]s_%[2]s BEFORE %[2]s ON main.%[1]s WHEN %[3]s\n"+
				"BEGIN SELECT RAISE(ABORT, '%[2]s of %[1]s outside of the scope of the write'); END;\n", name, verb, condition)
		}
	}
	return all.String(), nil
}

// ownerOf returns the SQL expression for the project of a row: its own column, otherwise that of its required parent.
func ownerOf(tables map[string][]column, name string, way []string) (func(row string) string, bool) {
	if slices.ContainsFunc(tables[name], func(c column) bool { return c.name == "project_id" }) {
		return func(row string) string { return row + `.project_id` }, true
	}
	if slices.Contains(way, name) {
		return nil, false
	}
	for _, c := range tables[name] {
		if c.parent == "" || c.parent == "agents" || name == "dependencies" && c.name != "target_id" { // the waiting item
			continue
		}
		above, owned := ownerOf(tables, c.parent, append(way, name))
		if !owned {
			continue
		}
		key, alias := tables[c.parent][0].name, fmt.Sprintf("p%d", len(way))
		return func(row string) string {
			return fmt.Sprintf(`(SELECT %s FROM main.%s %s WHERE %s.%s = %s.%s)`, above(alias), c.parent, alias, alias, key, row, c.name)
		}, true
	}
	return nil, false
}
