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

// MergeCount counts what a merge did with the rows of one table.
type MergeCount struct {
	Table   string `json:"table"`
	Added   int    `json:"added"`
	Skipped int    `json:"skipped"`  // existed already
	LeftOut int    `json:"left_out"` // in conflict, or dependent on such a row
	// Conflicts are rows that the registry has under the same name with other contents. They and the rows that depend on them are left out.
	Conflicts []MergeConflict `json:"conflicts,omitempty"`
}

// notMerged are tables whose rows describe one registry or a passing state of one machine.
var notMerged = []string{"registry_meta", "changes", "session_chores", "worktree_scans", "conflict_pairs", "file_touches", "agent_states", "seats", "attempts", "tries", "questions", "messages", "gate_verdicts", "trials",
	"landings", "memory_terms", "memory_words", "memory_vector_space", "memory_vectors", "memory_embedded", // these follow from memories, which are indexed again
	"trackers", "sync_state", "sync_failures", "sync_conflicts", "pending_changes", "tracker_limits"} // a change is sent from one registry

// notCarried are columns about one machine or one registry; they arrive empty.
var notCarried = map[string]string{"worktrees": "port", "sessions": "server", "memories": "indexed"}

// orders name the order in which rows are copied where the order of their ids is wrong: a memory that was replaced may have the same key as
// its successor, and so comes after it.
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

// Merge adds the rows of the registry at source that this one lacks. A row that exists
// here already (sameness.go) is skipped and never changed, and rows that point at it in
// the source point at ours. A row with the name of one of ours and other content is a
// conflict: it is left out with all rows that depend on it, and named in the counts.
// The source is only read. Merging twice is the same as merging once. The
// counts come in table order.
//
// Counts between rows (such as what an item waits for) do not hold in the sum of
// two registries: settle, in the same transaction, lets the packages that
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
		m := newMerger(tx, from)
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
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fault.Database(err, "make room for a copy of %q", source)
	}
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
	upgraded, err := openOwn(ctx, target)
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
func (db *sqliteEngine) isOurs(ctx context.Context, source string) error {
	own, err := openOwn(ctx, filepath.Join(filepath.Dir(db.path), "own.db"))
	if err != nil {
		return err
	}
	defer own.Close()
	var schemas [2][]string
	for i, r := range []*sqliteEngine{own, db} {
		err := r.read(ctx, func(tx *Tx) (err error) {
			schemas[i], err = Collect(tx, One[string],
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
		return fault.Database(nil, "%q was not written by a program of this suite: %s", source, problems[0]).WithHint("name another backup")
	}
	return nil
}

// merger copies rows table by table, parents first, translating surrogate ids.
type merger struct {
	tx   *Tx
	from *sql.DB
	ids  map[string]map[int64]int64    // table → id there → id here
	like map[string]map[int64]likeness // table → id there → what it is to the row here
	// fresh are the ids here of the rows that were added: two rows of one source are two.
	fresh map[string]map[int64]bool
	later []deferred
}

func newMerger(tx *Tx, from *sql.DB) *merger {
	return &merger{tx: tx, from: from, ids: map[string]map[int64]int64{}, like: map[string]map[int64]likeness{}, fresh: map[string]map[int64]bool{}}
}

// begin makes room for the rows of a table.
func (m *merger) begin(table string) {
	m.ids[table], m.like[table], m.fresh[table] = map[int64]int64{}, map[int64]likeness{}, map[int64]bool{}
}

func (m *merger) run() ([]MergeCount, error) {
	tables, err := m.tx.tablesBut(notMerged)
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

// deferred is a pointer inside one table (a parent item) set once both ends exist.
type deferred struct {
	table  mergeTable
	id     int64
	column string
	target int64
}

func (m *merger) copyTable(t mergeTable) (MergeCount, error) {
	count := MergeCount{Table: t.name}
	m.begin(t.name)
	selected := t.selected()
	rows, err := m.from.QueryContext(m.tx.Context(), `SELECT `+strings.Join(selected, ", ")+` FROM `+t.name+` ORDER BY `+t.order())
	if err != nil {
		return count, err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := scanColumns(rows, len(selected))
		if err != nil {
			return count, err
		}
		if err := m.copyRow(t, values, &count); err != nil {
			return count, err
		}
	}
	if err := rows.Err(); err != nil {
		return count, err
	}
	return count, m.settle()
}

// settle sets the pointers inside tables whose both ends exist.
func (m *merger) settle() error {
	for _, d := range m.later {
		if target, known := m.ids[d.table.name][d.target]; known {
			if err := m.point(d, target); err != nil {
				return err
			}
		}
	}
	m.later = nil
	return nil
}

// point sets a pointer inside a table, unless a unique key includes it and is taken: two registries may each have a task of one ticket. A
// refused statement ends the transaction on some engines, so a statement that may be refused runs behind a savepoint.
func (m *merger) point(d deferred, target int64) error {
	set := func() error {
		_, err := m.tx.Exec(`UPDATE `+d.table.name+` SET `+d.column+` = ? WHERE `+d.table.id+` = ?`, target, d.id)
		return err
	}
	if !d.table.inKey(d.column) {
		return set()
	}
	if err := m.tx.Attempt(set); !IsDuplicate(err) {
		return err
	}
	return nil
}

// inKey reports whether a column is part of a unique key.
func (t mergeTable) inKey(column string) bool {
	return slices.ContainsFunc(t.unique, func(k uniqueKey) bool { return slices.Contains(k.columns, column) })
}

// copyRow adds one row unless it exists already, and counts it; values holds the columns and, last, the surrogate id if the table has one.
func (m *merger) copyRow(t mergeTable, values []any, count *MergeCount) error {
	row := values[:len(t.columns)]
	there := t.keyOf(values)
	later, hangs := m.translate(t, row)
	if hangs {
		m.like[t.name][there] = another
		count.LeftOut++
		return nil
	}
	here, err := m.find(t, row, there, false)
	isNew := NoRows(err)
	if isNew {
		here.id, err = m.insert(t, row)
	}
	if NoRows(err) {
		here, err = m.find(t, row, there, true)
		isNew = false
	}
	if err != nil {
		return err
	}
	like := fresh
	var conflict *MergeConflict
	if !isNew {
		if like, conflict, err = m.compare(t, row, here); err != nil {
			return err
		}
	}
	m.like[t.name][there] = like
	if like < another {
		m.ids[t.name][there] = here.id
	}
	switch {
	case conflict != nil:
		count.LeftOut++
		count.Conflicts = append(count.Conflicts, *conflict)
	case isNew:
		count.Added++
		m.fresh[t.name][here.id] = true
		for _, d := range later {
			d.id = here.id
			m.later = append(m.later, d)
		}
	default:
		count.Skipped++
	}
	return nil
}

// translate turns a row's pointers into the ids of this registry, and empties columns that are not carried. later are pointers inside the
// table whose target has not been copied yet. hangs reports that the row belongs to one that is not merged.
func (m *merger) translate(t mergeTable, row []any) (later []deferred, hangs bool) {
	for i, column := range t.columns {
		parent, points := t.foreign[column]
		target, set := row[i].(int64)
		if notCarried[t.name] == column {
			row[i] = nil
			continue
		}
		if !points || !set {
			continue
		}
		here, known := m.ids[parent][target]
		switch {
		case known && !t.optional[column] && !m.like[parent][target].travels(t.name):
			return nil, true
		case known && parent == t.name && t.inKey(column):
			later = append(later, deferred{table: t, column: column, target: target}) // a row without it is better than none
			row[i] = nil
		case known:
			row[i] = here
		case takesItsPlace[t.name] == column && m.like[parent][target] == another:
			return nil, true
		case parent == t.name:
			later = append(later, deferred{table: t, column: column, target: target})
			row[i] = nil
		case t.optional[column]:
			row[i] = nil
		default:
			return nil, true
		}
	}
	return later, false
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

// keyHere is the expression for the id that other tables point at; no table points at one whose key has several columns.
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
	return scanKey(m.tx.QueryRow(`INSERT INTO `+t.name+` (`+strings.Join(t.columns, ", ")+`) VALUES (`+marks(len(row))+`)
		ON CONFLICT DO NOTHING RETURNING `+t.keyHere(), row...))
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
