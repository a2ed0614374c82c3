package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// MovedTable is a table with the number of its moved rows.
type MovedTable struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// notMoved are tables that are derived from others and rebuilt, or that describe the processes of one engine.
var notMoved = []string{"memory_index", "memory_postings", "memory_scopes", "memory_vocabulary", "memory_terms", "memory_words", "memory_vectors", "memory_embedded", "memory_vector_space",
	"write_locks", "write_marks", "presences"}

// emptied are columns that are derived from tables which are not moved.
var emptied = map[string]string{"memories": "indexed"}

// Keys of registry_meta that belong to a server.
const (
	keySchema = "schema_version"
	keyMoved  = "moved_at" // time of the move to this registry
)

// Move copies a whole registry from a server to a file or from a file to a server, with the same ids, and compares the row counts. from
// stays unchanged, and no one can write to it meanwhile. switched is called once the copy is stored and before writes are possible
// again; it must make all programs use the new place. An interrupted move can be repeated. A target that holds another registry, or
// later work, is a Conflict.
func Move(ctx context.Context, from *DB, to Options, switched func() error) ([]MovedTable, error) {
	_, here := from.engine.(*serverEngine)
	if here == (to.Server != "") {
		return nil, fault.Validation("target", "a registry is moved from a file to a server, or from a server to a file").
			WithHint("copy a file with `agit db backup`, a database with pg_dump")
	}
	to, err := to.complete()
	if err != nil {
		return nil, err
	}
	if to.Server != "" {
		return moveToServer(ctx, from, to, switched)
	}
	return moveToFile(ctx, from, to, switched)
}

func moveToServer(ctx context.Context, from *DB, to Options, switched func() error) (moved []MovedTable, err error) {
	engine, err := openServer(to)
	if err != nil {
		return nil, err
	}
	target := newDB(to, engine)
	defer target.Close()
	if err := target.Read(ctx, func(*Tx) error { return nil }); err != nil { // creates the tables
		return nil, err
	}
	if err := engine.failure(engine.tryOut(ctx)); err != nil {
		return nil, err
	}
	err = from.Write(ctx, Everything, func(source *Tx) error {
		err := target.Write(ctx, Everything, func(into *Tx) error {
			m := &mover{source: source, target: into, described: source}
			if err := m.prepareServer(); err != nil {
				return err
			}
			if err := m.run(); err != nil {
				return err
			}
			moved = m.moved
			return m.finishServer()
		})
		if err != nil {
			return err
		}
		return switched()
	})
	return moved, err
}

func moveToFile(ctx context.Context, from *DB, to Options, switched func() error) (moved []MovedTable, err error) {
	var uid string
	if err := from.Read(ctx, func(tx *Tx) (err error) { uid, err = registryUIDOf(tx); return err }); err != nil {
		return nil, err
	}
	if err := sameUnlessMissing(ctx, to, uid); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(to.Path), 0o700); err != nil {
		return nil, fault.Database(err, "make the folder of %q", to.Path)
	}
	sweep(filepath.Dir(to.Path))
	dir, err := os.MkdirTemp(filepath.Dir(to.Path), copyFolder)
	if err != nil {
		return nil, fault.Database(err, "make room for a copy beside %q", to.Path)
	}
	defer os.RemoveAll(dir)
	err = from.Write(ctx, Everything, func(source *Tx) error {
		file := filepath.Join(dir, "moved-"+ShortID(6)+".db")
		engine, err := openOwn(ctx, file)
		if err != nil {
			return err
		}
		target := newDB(Options{Path: file, Told: func(string) {}}, engine)
		err = target.Write(ctx, Everything, func(into *Tx) error {
			m := &mover{source: source, target: into, described: into}
			err := m.run()
			moved = m.moved
			return err
		})
		if err = cmp.Or(err, target.Close()); err != nil {
			return err
		}
		if _, err := Restore(ctx, to, file); err != nil {
			return err
		}
		return switched()
	})
	return moved, err
}

// sameUnlessMissing refuses a file that holds another registry.
func sameUnlessMissing(ctx context.Context, to Options, uid string) error {
	if _, err := os.Stat(to.Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	engine, err := openFile(ctx, to)
	if err != nil {
		return err
	}
	defer engine.Close()
	there, err := engine.registryUID(ctx)
	if err == nil && there != uid {
		err = fault.Conflict("file", to.Path, "%q is another registry", to.Path).WithHint("name a file that does not exist")
	}
	return err
}

func registryUIDOf(tx *Tx) (string, error) {
	return One[string](tx.QueryRow(`SELECT value FROM registry_meta WHERE key = 'registry_uid'`))
}

// mover copies rows table by table.
type mover struct {
	source, target *Tx
	described      *Tx // the transaction whose tables describe both
	tables         []mergeTable
	moved          []MovedTable
}

// run copies all tables, parents first. A column that refers to a later table, or to its own, is set after all rows are copied.
func (m *mover) run() error {
	if err := m.describe(); err != nil {
		return err
	}
	loaded := map[string]bool{}
	var later []func() error
	for _, t := range m.tables {
		set, err := m.copy(t, loaded)
		if err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
		later = append(later, set...)
		loaded[t.name] = true
	}
	for _, set := range later {
		if err := set(); err != nil {
			return err
		}
	}
	for _, t := range m.tables {
		if err := m.compare(t.name); err != nil {
			return err
		}
	}
	return nil
}

func (m *mover) describe() error {
	all, err := m.described.tablesBut(notMoved)
	m.tables = all
	return err
}

// copy copies one table and returns a function that sets the postponed columns.
func (m *mover) copy(t mergeTable, loaded map[string]bool) (later []func() error, err error) {
	columns := t.selected()
	if t.name == "registry_meta" { // into which the target's creation has put rows
		if _, err := m.target.Exec(`DELETE FROM registry_meta` + m.which(t.name)); err != nil {
			return nil, err
		}
	}
	var rows [][]any
	flush := func() error {
		err := m.target.InsertRows(`INSERT INTO `+t.name+` (`+strings.Join(columns, ", ")+`) VALUES`, rows, "", nil)
		rows = nil
		return err
	}
	for row, err := range m.source.Rows(`SELECT ` + strings.Join(columns, ", ") + ` FROM ` + t.name + m.which(t.name) + ` ORDER BY ` + t.order()) {
		if err != nil {
			return nil, err
		}
		values, err := scanColumns(row, len(columns))
		if err != nil {
			return nil, err
		}
		for i, column := range columns {
			if bytes, ok := values[i].([]byte); ok {
				values[i] = string(bytes) // no moved table stores bytes
			}
			if emptied[t.name] == column {
				values[i] = nil
			}
			parent := t.foreign[column]
			if values[i] == nil || parent == "" || loaded[parent] || !t.optional[column] || t.id == "" || slices.Contains(notMoved, parent) {
				continue
			}
			id, to := values[len(columns)-1], values[i]
			later = append(later, func() error {
				_, err := m.target.Exec(`UPDATE `+t.name+` SET `+column+` = ? WHERE `+t.id+` = ?`, to, id)
				return err
			})
			values[i] = nil
		}
		if rows = append(rows, values); len(rows) == rowsInMove {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return later, flush()
}

// rowsInMove is how many rows are held in memory before they are written.
const rowsInMove = 500

// which returns the SQL condition that leaves out rows of a single engine.
func (m *mover) which(table string) string {
	if table == "registry_meta" {
		return ` WHERE key NOT IN ('` + keySchema + `', '` + keyMoved + `')`
	}
	return ""
}

// compare compares the row counts of a table in both registries.
func (m *mover) compare(table string) error {
	var counts [2]int64
	for i, tx := range []*Tx{m.source, m.target} {
		var err error
		if counts[i], err = One[int64](tx.QueryRow(`SELECT COUNT(*) FROM ` + table + m.which(table))); err != nil {
			return err
		}
	}
	if counts[0] != counts[1] {
		return fault.Database(nil, "%d of %d rows of the table %s arrived; nothing was changed", counts[1], counts[0], table).WithHint("please report this")
	}
	m.moved = append(m.moved, MovedTable{table, counts[0]})
	return nil
}

// prepareServer refuses a database with other content, and removes the rows of an interrupted move.
func (m *mover) prepareServer() error {
	uid, err := registryUIDOf(m.source)
	if err != nil {
		return err
	}
	var there string
	var used, worked bool
	err = m.target.QueryRow(`SELECT value, EXISTS (SELECT 1 FROM projects) OR EXISTS (SELECT 1 FROM agents),
		EXISTS (SELECT 1 FROM write_marks WHERE at > COALESCE((SELECT value FROM registry_meta WHERE key = ?), ''))
		FROM registry_meta WHERE key = 'registry_uid'`, keyMoved).Scan(&there, &used, &worked)
	switch {
	case err != nil || !used:
		return err
	case there != uid:
		return fault.Conflict("database", "", "that database holds another registry; nothing was changed").
			WithHint("use an empty database or another schema (?search_path=NAME)")
	case worked:
		return fault.Conflict("database", "", "this registry was moved to that database before, and work was done there since; nothing was changed").
			WithHint("use it as it is, by `agit config set database.path` and the URL, or name an empty database or another schema (?search_path=NAME)")
	}
	if err := m.describe(); err != nil {
		return err
	}
	names := make([]string, 0, len(m.tables))
	for _, t := range m.tables {
		if t.name != "registry_meta" {
			names = append(names, t.name)
		}
	}
	_, err = m.target.Exec(`TRUNCATE ` + strings.Join(append(names, "memory_index", "memory_terms", "memory_words", "memory_vectors", "memory_embedded", "memory_vector_space"), ", ") + ` CASCADE`)
	return err
}

// finishServer sets the id sequences after the copied rows, and records the move.
func (m *mover) finishServer() error {
	for _, t := range m.tables {
		if t.id == "" {
			continue
		}
		_, err := One[Null[int64]](m.target.QueryRow(`SELECT setval(pg_get_serial_sequence('` + t.name + `', '` + t.id + `'), MAX(` + t.id + `)) FROM ` + t.name + ` HAVING MAX(` + t.id + `) IS NOT NULL
			AND pg_get_serial_sequence('` + t.name + `', '` + t.id + `') IS NOT NULL`))
		if _, err := Found(err); err != nil {
			return err
		}
	}
	_, err := m.target.Exec(`INSERT INTO registry_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, keyMoved, m.target.Stamp())
	return err
}
