package registry

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// MergeCount says what a merge did with one table.
type MergeCount struct {
	Table   string `json:"table"`
	Added   int    `json:"added"`
	Skipped int    `json:"skipped"`
}

// notMerged are tables whose rows speak of one registry or one machine's moment.
var notMerged = []string{"registry_meta", "changes", "session_chores", "worktree_scans", "conflict_pairs", "file_touches", "agent_states", "attempts",
	"landings", "memory_terms", "memory_words", // these follow from memories, which are indexed again
	"trackers", "sync_state", "sync_failures", "sync_conflicts", "pending_changes"} // a change is sent from one registry

// notCarried are columns that speak of one machine or one registry; they arrive
// empty.
var notCarried = map[string]string{"worktrees": "port", "sessions": "server", "memories": "indexed"}

// orders say in which order rows are copied where that of their ids will not do: a
// memory that another one took the place of may have the same key, and so comes
// after it.
var orders = map[string]string{"memories": "superseded_by IS NOT NULL, CASE WHEN superseded_by IS NULL THEN id ELSE -id END"}

func (t mergeTable) order() string {
	if order, ok := orders[t.name]; ok {
		return order
	}
	if t.id != "" {
		return t.id
	}
	return strings.Join(t.primary, ", ")
}

// Merge adds to the registry what the one at source has and this one lacks. A
// row is the same when a unique key says so (for a table without one, when
// every column is equal); such a row is skipped and never changed, and what
// points at it in the source points at ours. The source is only read. Merging
// twice is the same as merging once. The counts come in table order.
//
// What rows say of each other (what an item waits for) is no longer true of the
// sum of two registries: settle, in the same transaction, lets the packages that
// keep such numbers count again.
func (db *DB) Merge(ctx context.Context, source string, settle ...func(*Tx) error) ([]MergeCount, error) {
	if same(source, db.path) {
		return nil, fault.Validation("file", "%q is this registry itself", source).WithHint("name another registry")
	}
	if err := checkFile(ctx, source); err != nil {
		return nil, err
	}
	copied, err := upgradedCopy(ctx, db.path, source)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(filepath.Dir(copied))
	from, err := sql.Open("sqlite", fileURL(copied)+"?_query_only=1")
	if err != nil {
		return nil, fault.Database(err, "open the copy of %q", source)
	}
	defer from.Close()

	var counts []MergeCount
	err = db.Write(ctx, Everything, func(tx *Tx) error {
		m := &merger{tx: tx, from: from, ids: map[string]map[int64]int64{}}
		if counts, err = m.run(); err != nil {
			return err
		}
		for _, again := range settle {
			if err := again(tx); err != nil {
				return err
			}
		}
		for _, topic := range []string{TopicRepos, TopicWorktrees, TopicAgents, TopicTasks, TopicSessions, TopicTickets} {
			tx.Changed(topic, 0, "")
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("merge %q: %w", source, err)
	}
	return counts, nil
}

func same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// upgradedCopy copies source into a temporary folder beside path and brings the
// copy to this program's schema, so that an older registry is left alone.
func upgradedCopy(ctx context.Context, path, source string) (string, error) {
	sweep(filepath.Dir(path))
	dir, err := os.MkdirTemp(filepath.Dir(path), copyFolder)
	if err != nil {
		return "", fault.Database(err, "make room for a copy of %q", source)
	}
	target := filepath.Join(dir, "source.db")
	fail := func(err error) (string, error) {
		os.RemoveAll(dir)
		return "", fault.Database(err, "copy %q", source)
	}
	original, err := sql.Open("sqlite", fileURL(source)+"?mode=ro&_busy_timeout=10000")
	if err != nil {
		return fail(err)
	}
	_, err = original.ExecContext(ctx, `VACUUM INTO ?`, target)
	original.Close()
	if err != nil {
		return fail(err)
	}
	upgraded, err := Open(ctx, Options{Path: target, MaxSize: MaxMaxSize})
	if err != nil {
		return fail(err)
	}
	err = upgraded.isOurs(ctx, source)
	if closed := upgraded.Close(); err == nil && closed != nil {
		return fail(closed)
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return target, nil
}

// isOurs proves that an upgraded copy of a foreign file has the tables that this
// program makes, no more and no fewer, and rows that keep their rules: nothing
// that runs by itself and nothing that reads of it would stumble over.
func (db *DB) isOurs(ctx context.Context, source string) error {
	own, err := Open(ctx, Options{Path: filepath.Join(filepath.Dir(db.path), "own.db")})
	if err != nil {
		return err
	}
	defer own.Close()
	var schemas [2][]string
	for i, r := range []*DB{own, db} {
		err := r.Read(ctx, func(tx *Tx) (err error) {
			schemas[i], err = Collect(tx, func(row Scanner) (string, error) { return One[string](row) },
				`SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY 1`)
			return err
		})
		if err != nil {
			return fault.Database(err, "read the tables of %q", source)
		}
	}
	if !slices.Equal(schemas[0], schemas[1]) {
		return fault.Validation("file", "%q has other tables than a registry of this suite", source).WithHint("name a file written by `agit db backup`")
	}
	problems, err := integrity(ctx, db.reads)
	if err != nil {
		return fault.Database(err, "check %q", source)
	}
	if len(problems) > 0 {
		return fault.Database(nil, "%q holds what no program of this suite writes: %s", source, problems[0]).WithHint("name another backup")
	}
	return nil
}

// merger copies rows table by table, parents first, translating surrogate ids.
type merger struct {
	tx   *Tx
	from *sql.DB
	ids  map[string]map[int64]int64 // table → id there → id here
}

// mergeTable is what the schema says of one table.
type mergeTable struct {
	name    string
	columns []string
	id      string            // the surrogate key column, when there is one
	foreign map[string]string // column → table it points to
	primary []string          // the primary key, when there is no surrogate
	unique  []uniqueKey
}

// uniqueKey is one way to recognise a row; a partial index holds only where its
// condition does.
type uniqueKey struct {
	columns   []string
	condition string
}

func (m *merger) run() ([]MergeCount, error) {
	tables, err := m.tables()
	if err != nil {
		return nil, err
	}
	var counts []MergeCount
	for _, t := range tables {
		count, err := m.copyTable(t)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
		}
		counts = append(counts, count)
	}
	return counts, nil
}

// tables describes every table to merge, each after the ones it points to.
func (m *merger) tables() ([]mergeTable, error) {
	names, err := Collect(m.tx, func(row Scanner) (string, error) { return One[string](row) },
		`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	var ordered []mergeTable
	done := map[string]bool{}
	var visit func(name string) error
	visit = func(name string) error {
		if done[name] || slices.Contains(notMerged, name) {
			return nil
		}
		done[name] = true
		t, err := m.describe(name)
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

func (m *merger) describe(name string) (mergeTable, error) {
	t := mergeTable{name: name, foreign: map[string]string{}}
	type column struct {
		name, kind string
		key        int
	}
	columns, err := Collect(m.tx, func(row Scanner) (c column, err error) {
		return c, row.Scan(&c.name, &c.kind, &c.key)
	}, `SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid`, name)
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
	}
	type reference struct{ column, table string }
	references, err := Collect(m.tx, func(row Scanner) (r reference, err error) {
		return r, row.Scan(&r.column, &r.table)
	}, `SELECT "from", "table" FROM pragma_foreign_key_list(?)`, name)
	if err != nil {
		return t, err
	}
	for _, r := range references {
		t.foreign[r.column] = r.table
	}
	t.unique, err = m.uniqueKeys(name)
	return t, err
}

// uniqueKeys returns whole keys before partial ones.
func (m *merger) uniqueKeys(table string) ([]uniqueKey, error) {
	type index struct {
		name    string
		partial bool
		text    Null[string]
	}
	indexes, err := Collect(m.tx, func(row Scanner) (x index, err error) {
		return x, row.Scan(&x.name, &x.partial, &x.text)
	}, `SELECT l.name, l.partial, s.sql FROM pragma_index_list(?) l JOIN sqlite_schema s ON s.name = l.name
	    WHERE l."unique" = 1 ORDER BY l.partial, l.seq DESC`, table)
	if err != nil {
		return nil, err
	}
	keys := make([]uniqueKey, len(indexes))
	for i, x := range indexes {
		if x.partial {
			_, keys[i].condition, _ = strings.Cut(x.text.V, " WHERE ")
		}
		keys[i].columns, err = Collect(m.tx, func(row Scanner) (string, error) { return One[string](row) },
			`SELECT name FROM pragma_index_info(?) ORDER BY seqno`, x.name)
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// deferred is a pointer inside one table (a parent item) set once both ends exist.
type deferred struct {
	id     int64
	column string
	target int64
}

func (m *merger) copyTable(t mergeTable) (MergeCount, error) {
	count := MergeCount{Table: t.name}
	m.ids[t.name] = map[int64]int64{}
	selected := slices.Clone(t.columns)
	if t.id != "" {
		selected = append(selected, t.id)
	}
	rows, err := m.from.QueryContext(m.tx.Context(), `SELECT `+strings.Join(selected, ", ")+` FROM `+t.name+` ORDER BY `+t.order())
	if err != nil {
		return count, err
	}
	defer rows.Close()
	var later []deferred
	for rows.Next() {
		values := make([]any, len(selected))
		into := make([]any, len(selected))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return count, err
		}
		added, inner, err := m.copyRow(t, values)
		if err != nil {
			return count, err
		}
		if added {
			count.Added++
		} else {
			count.Skipped++
		}
		later = append(later, inner...)
	}
	if err := rows.Err(); err != nil {
		return count, err
	}
	for _, d := range later {
		target, known := m.ids[t.name][d.target]
		if !known {
			continue
		}
		if err := m.point(t, d, target); err != nil {
			return count, err
		}
	}
	return count, nil
}

// point sets a pointer inside a table, unless a unique key has it and is taken: two
// registries may each have a task of one ticket. A refused statement ends the
// transaction on some engines, so that one that may be stands behind a savepoint.
func (m *merger) point(t mergeTable, d deferred, target int64) error {
	set := func() error {
		_, err := m.tx.Exec(`UPDATE `+t.name+` SET `+d.column+` = ? WHERE `+t.id+` = ?`, target, d.id)
		return err
	}
	if !slices.ContainsFunc(t.unique, func(k uniqueKey) bool { return slices.Contains(k.columns, d.column) }) {
		return set()
	}
	if _, err := m.tx.Exec(`SAVEPOINT pointer`); err != nil {
		return err
	}
	end := `RELEASE SAVEPOINT pointer`
	err := set()
	if IsDuplicate(err) {
		end, err = `ROLLBACK TO SAVEPOINT pointer`, nil
	}
	if err == nil {
		_, err = m.tx.Exec(end)
	}
	return err
}

// copyRow adds one row unless it is here already; values holds the columns and,
// last, the surrogate id if the table has one.
func (m *merger) copyRow(t mergeTable, values []any) (added bool, later []deferred, err error) {
	row := values[:len(t.columns)]
	there := t.keyOf(values)
	for i, column := range t.columns {
		parent, points := t.foreign[column]
		target, set := row[i].(int64)
		switch {
		case notCarried[t.name] == column:
			row[i] = nil
		case !points || !set:
		case parent == t.name && m.ids[parent][target] != 0:
			row[i] = m.ids[parent][target]
		case parent == t.name:
			later = append(later, deferred{column: column, target: target})
			row[i] = nil
		default:
			here, known := m.ids[parent][target]
			if !known {
				return false, nil, nil // it hangs on something that is not merged
			}
			row[i] = here
		}
	}
	here, err := m.find(t, row, false)
	if NoRows(err) {
		here, err = m.insert(t, row)
		added = err == nil
	}
	if NoRows(err) {
		here, err = m.find(t, row, true)
	}
	if err != nil {
		return false, nil, err
	}
	m.ids[t.name][there] = here
	if !added {
		return false, nil, nil
	}
	for i := range later {
		later[i].id = here
	}
	return true, later, nil
}

// keyOf is the id by which other tables of the source point at a row.
func (t mergeTable) keyOf(values []any) int64 {
	key := values[len(values)-1]
	if t.id == "" {
		if len(t.primary) != 1 {
			return 0
		}
		key = values[slices.Index(t.columns, t.primary[0])]
	}
	id, _ := key.(int64)
	return id
}

// keyHere is the expression for the id other tables point at; none do at a
// table whose key has several columns.
func (t mergeTable) keyHere() string {
	switch {
	case t.id != "":
		return t.id
	case len(t.primary) == 1:
		return t.primary[0]
	}
	return "0"
}

// insert returns ErrNoRows when a unique key is taken.
func (m *merger) insert(t mergeTable, row []any) (int64, error) {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(row)), ", ")
	return scanKey(m.tx.QueryRow(`INSERT INTO `+t.name+` (`+strings.Join(t.columns, ", ")+`) VALUES (`+marks+`)
		ON CONFLICT DO NOTHING RETURNING `+t.keyHere(), row...))
}

// find looks for the row by each whole (or each partial) unique key, and in a
// table that has none by all its columns.
func (m *merger) find(t mergeTable, row []any, partial bool) (int64, error) {
	keys := t.unique
	if len(keys) == 0 {
		keys = []uniqueKey{{columns: t.columns}}
	}
	for _, key := range keys {
		if partial != (key.condition != "") {
			continue
		}
		conditions := make([]string, 0, len(key.columns)+1)
		args := make([]any, 0, len(key.columns))
		for _, column := range key.columns {
			value := row[slices.Index(t.columns, column)]
			if value == nil {
				conditions = append(conditions, column+` IS NULL`)
				continue
			}
			conditions, args = append(conditions, column+` = ?`), append(args, value)
		}
		if key.condition != "" {
			conditions = append(conditions, "("+key.condition+")")
		}
		id, err := scanKey(m.tx.QueryRow(`SELECT `+t.keyHere()+` FROM `+t.name+` WHERE `+strings.Join(conditions, " AND ")+` LIMIT 1`, args...))
		if !NoRows(err) {
			return id, err
		}
	}
	return 0, ErrNoRows
}

// scanKey reads a key; one that is text is of no use to other tables.
func scanKey(row Scanner) (int64, error) {
	key, err := One[any](row)
	if err != nil {
		return 0, err
	}
	id, _ := key.(int64)
	return id, nil
}
