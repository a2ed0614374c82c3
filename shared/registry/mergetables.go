package registry

import (
	"context"
	"database/sql"
	"slices"
	"strings"
)

// mergeTable describes one table of the schema.
type mergeTable struct {
	name    string
	columns []string
	id      string            // the surrogate key column, when there is one
	foreign map[string]string // column → table it points to
	// optional are the columns that may be empty. They are left empty when the row they point at does not exist here.
	optional map[string]bool
	primary  []string // the primary key, when there is no surrogate
	unique   []uniqueKey
}

// uniqueKey is one way to recognise a row; a partial index holds only where its
// condition does.
type uniqueKey struct {
	columns   []string
	condition string
}

// selected are the columns to read a row by, the surrogate key last.
func (t mergeTable) selected() []string {
	if t.id == "" {
		return t.columns
	}
	return append(slices.Clone(t.columns), t.id)
}

// catalogue is where the tables are described, as SQLite does.
type catalogue struct {
	ctx  context.Context
	from interface {
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}
	close func()
}

// catalogue describes the tables of a registry in a file by themselves, and those of one on
// a server by tables in memory that are made as a new file's: both have the same.
func (tx *Tx) catalogue() (catalogue, error) {
	if !tx.server {
		return catalogue{tx.ctx, tx.conn, func() {}}, nil
	}
	memory, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return catalogue{}, err
	}
	memory.SetMaxOpenConns(1) // each has a memory of its own
	if _, err := memory.ExecContext(tx.ctx, newest); err != nil {
		memory.Close()
		return catalogue{}, err
	}
	return catalogue{tx.ctx, memory, func() { memory.Close() }}, nil
}

// described runs a query about the tables.
func described[T any](c catalogue, scan func(Scanner) (T, error), query string, args ...any) (all []T, err error) {
	rows, err := c.from.QueryContext(c.ctx, query, args...)
	return scanAll(rows, err, scan)
}

// tablesBut describes every table except some, each after the ones it points to as far as that is possible.
func (tx *Tx) tablesBut(left []string) ([]mergeTable, error) {
	c, err := tx.catalogue()
	if err != nil {
		return nil, err
	}
	defer c.close()
	names, err := described(c, One[string],
		`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'memory_index_%' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	var ordered []mergeTable
	done := map[string]bool{}
	var visit func(name string) error
	visit = func(name string) error {
		if done[name] || slices.Contains(left, name) {
			return nil
		}
		done[name] = true
		t, err := c.describe(name)
		if err != nil {
			return err
		}
		for _, parent := range t.foreign {
			if err := visit(parent); err != nil {
				return err
			}
		}
		ordered = append(ordered, t)
		return nil
	}
	for _, name := range names {
		if err := visit(name); err != nil {
			return nil, err
		}
	}
	return ordered, nil
}

func (c catalogue) describe(name string) (mergeTable, error) {
	t := mergeTable{name: name, foreign: map[string]string{}, optional: map[string]bool{}}
	type column struct {
		name, kind string
		key        int
		required   bool
	}
	columns, err := described(c, func(row Scanner) (c column, err error) {
		return c, row.Scan(&c.name, &c.kind, &c.key, &c.required)
	}, `SELECT name, type, pk, "notnull" FROM pragma_table_info(?) ORDER BY cid`, name)
	if err != nil {
		return t, err
	}
	keys := 0
	for _, c := range columns {
		if c.key > 0 {
			keys++
		}
	}
	for _, c := range columns {
		if c.key > 0 && c.kind == "INTEGER" && keys == 1 {
			t.id = c.name
			continue
		}
		if c.key > 0 {
			t.primary = append(t.primary, c.name)
		}
		t.columns = append(t.columns, c.name)
		t.optional[c.name] = !c.required && c.key == 0
	}
	type reference struct{ column, table string }
	references, err := described(c, func(row Scanner) (r reference, err error) {
		return r, row.Scan(&r.column, &r.table)
	}, `SELECT "from", "table" FROM pragma_foreign_key_list(?)`, name)
	if err != nil {
		return t, err
	}
	for _, r := range references {
		t.foreign[r.column] = r.table
	}
	t.unique, err = c.uniqueKeys(name)
	return t, err
}

// uniqueKeys returns whole keys before partial ones.
func (c catalogue) uniqueKeys(table string) ([]uniqueKey, error) {
	type index struct {
		name    string
		partial bool
		text    string
	}
	indexes, err := described(c, func(row Scanner) (x index, err error) {
		return x, row.Scan(&x.name, &x.partial, Nullable(&x.text))
	}, `SELECT l.name, l.partial, s.sql FROM pragma_index_list(?) l JOIN sqlite_schema s ON s.name = l.name
	    WHERE l."unique" = 1 ORDER BY l.partial, l.seq DESC`, table)
	if err != nil {
		return nil, err
	}
	keys := make([]uniqueKey, len(indexes))
	for i, x := range indexes {
		if x.partial {
			_, keys[i].condition, _ = strings.Cut(x.text, " WHERE ")
		}
		keys[i].columns, err = described(c, One[string],
			`SELECT name FROM pragma_index_info(?) ORDER BY seqno`, x.name)
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}
