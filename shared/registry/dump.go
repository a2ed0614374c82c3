package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// DumpedRow is one row of a dump: the table, and its columns by name. Numbers that point at other rows are those of the dumped registry.
// The dump holds the rows that they point at, or stubs of them.
type DumpedRow struct {
	Table string         `json:"table"`
	Stub  bool           `json:"stub,omitempty"` // a stub: names a row that is not dumped itself
	Row   map[string]any `json:"row"`
}

// Dump emits every row of some tables, and of the projects and agents that they refer to, each after the rows it points at. project 0 is
// every project; otherwise rows of other projects are left out. emit must not keep the row.
func (tx *Tx) Dump(tables []string, project int64, emit func(DumpedRow) error) error {
	ordered, err := tx.tablesBut(notMerged)
	if err != nil {
		return err
	}
	kept := map[string]map[int64]bool{} // table → rows in the dump
	for _, t := range ordered {
		if t.name != "items" && !slices.Contains(tables, t.name) {
			continue
		}
		kept[t.name] = map[int64]bool{}
		if err := tx.dumpTable(t, project, kept, emit); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return nil
}

func (tx *Tx) dumpTable(t mergeTable, project int64, kept map[string]map[int64]bool, emit func(DumpedRow) error) error {
	columns := t.selected()
	if t.name == "items" {
		columns = []string{"uid", "project_id", t.id} // those of agit travel by agit db merge
	}
	for row, err := range tx.Rows(`SELECT ` + strings.Join(columns, ", ") + ` FROM ` + t.name + ` ORDER BY ` + t.order()) {
		if err != nil {
			return err
		}
		values, err := scanColumns(row, len(columns))
		if err != nil {
			return err
		}
		if !wanted(t, columns, values, project, kept) {
			continue
		}
		dumped := make(map[string]any, len(columns))
		for i, column := range columns {
			if values[i] != nil && notCarried[t.name] != column {
				dumped[column] = values[i]
			}
		}
		if id, ok := dumped[t.id].(int64); ok && t.id != "" {
			kept[t.name][id] = true
		}
		if err := emit(DumpedRow{Table: t.name, Stub: t.name == "items", Row: dumped}); err != nil {
			return err
		}
	}
	return nil
}

// wanted leaves out the rows of other projects, and the rows that depend on them.
func wanted(t mergeTable, columns []string, values []any, project int64, kept map[string]map[int64]bool) bool {
	if project == 0 {
		return true
	}
	for i, column := range columns {
		id, set := values[i].(int64)
		if t.name == "projects" && column == t.id && id != project {
			return false
		}
		if !set || t.foreign[column] == "" || t.foreign[column] == t.name {
			continue
		}
		if t.foreign[column] == "projects" && id != project {
			return false
		}
		if in, dumped := kept[t.foreign[column]]; dumped && !in[id] && t.foreign[column] != "items" {
			return false
		}
	}
	return true
}

// Load adds the rows of a dump that the registry lacks, as Merge does: existing rows are never changed, and loading twice is the same as
// loading once. Only rows of the named tables are taken. A row of another table or with an unknown column is a Validation fault that names
// the row by its place, from 1.
func (db *DB) Load(ctx context.Context, tables []string, rows []DumpedRow) ([]MergeCount, error) {
	var counts []MergeCount
	err := db.Write(ctx, Everything, func(tx *Tx) error {
		m := newMerger(tx, nil)
		described, err := tx.tablesBut(notMerged)
		if err != nil {
			return err
		}
		counts = nil
		l := &loader{m: m, tables: map[string]mergeTable{}, counts: map[string]*MergeCount{}}
		for _, t := range described {
			if slices.Contains(tables, t.name) || t.name == "items" {
				l.tables[t.name] = t
				m.begin(t.name)
			}
		}
		for i, row := range rows {
			if err := l.row(row); err != nil {
				return inRow(err, i+1)
			}
		}
		if err := m.settle(); err != nil {
			return err
		}
		for _, t := range described {
			if c := l.counts[t.name]; c != nil {
				counts = append(counts, *c)
			}
		}
		for _, topic := range []string{TopicAgents, TopicTasks} {
			tx.Changed(topic, 0, "")
		}
		return nil
	})
	return counts, err
}

func inRow(err error, n int) error {
	f := fault.From(err)
	if f.Kind != fault.KindValidation {
		return fmt.Errorf("row %d: %w", n, err)
	}
	named := *f
	named.Message = fmt.Sprintf("row %d: %s", n, f.Message)
	return &named
}

// loader takes rows one by one.
type loader struct {
	m      *merger
	tables map[string]mergeTable
	counts map[string]*MergeCount
}

func (l *loader) row(r DumpedRow) error {
	t, known := l.tables[r.Table]
	if !known || r.Stub != (r.Table == "items") {
		return fault.Validation("file", "%q is not a table of an export", r.Table).WithHint("give a file that memoryd export wrote")
	}
	if r.Stub {
		return l.stub(r)
	}
	values := make([]any, 0, len(t.columns)+1)
	used := 0
	for _, column := range t.columns {
		value, given := r.Row[column]
		if given {
			used++
		}
		values = append(values, value)
	}
	if t.id != "" {
		id, ok := r.Row[t.id].(int64)
		if !ok {
			return fault.Validation("file", "a row of %s has no number", r.Table).WithHint("give a file that memoryd export wrote")
		}
		used++
		values = append(values, id)
	}
	if used != len(r.Row) {
		return fault.Validation("file", "a row of %s has columns that this program does not know", r.Table).WithHint("upgrade this program")
	}
	l.forget(t, values)
	if l.counts[r.Table] == nil {
		l.counts[r.Table] = &MergeCount{Table: r.Table}
	}
	err := l.m.copyRow(t, values, l.counts[r.Table])
	if IsConstraint(err) {
		return fault.Validation("file", "a row of %s breaks a rule of its table: %v", r.Table, err).WithHint("give a file that memoryd export wrote, unchanged")
	}
	return err
}

// forget empties pointers to items that the registry does not have; the row itself is worth keeping.
func (l *loader) forget(t mergeTable, values []any) {
	for i, column := range t.columns {
		id, set := values[i].(int64)
		if set && t.foreign[column] == "items" && l.m.ids["items"][id] == 0 {
			values[i] = nil
		}
	}
}

// stub finds an item by its identity.
func (l *loader) stub(r DumpedRow) error {
	there, ok := r.Row["id"].(int64)
	uid, named := r.Row["uid"].(string)
	if !ok || !named {
		return fault.Validation("file", "an item has no identity").WithHint("give a file that memoryd export wrote")
	}
	here, err := One[int64](l.m.tx.QueryRow(`SELECT id FROM items WHERE uid = ?`, uid))
	if found, err := Found(err); !found {
		return err
	}
	l.m.ids["items"][there], l.m.like["items"][there] = here, theSame
	return nil
}
