package registrytest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Watch writes down what changes in the rows of some tables of a registry, in a form that is the same in every run: made ids and hashes get
// numbers in the order in which they appear, and times of about now are written as their distance from now.
type Watch struct {
	t       testing.TB
	db      *registry.DB
	columns map[string][]string
	tables  []string
	before  map[string]map[string][]string // by table and key: the values
	names   map[string]string
	counts  map[string]int
}

// NewWatch begins to watch tables. A column that a test cannot foresee is left out: give it as TABLE.COLUMN in without.
func NewWatch(t testing.TB, db *registry.DB, tables []string, without ...string) *Watch {
	t.Helper()
	w := &Watch{t: t, db: db, columns: map[string][]string{}, tables: tables, before: map[string]map[string][]string{}, names: map[string]string{}, counts: map[string]int{}}
	w.read(func(tx *registry.Tx) error {
		if tx.OnServer() {
			t.Skip("rows are watched in a file")
		}
		for _, table := range tables {
			all, err := registry.Collect(tx, registry.One[string], `SELECT name FROM pragma_table_info('`+table+`')`)
			if err != nil {
				return err
			}
			w.columns[table] = slices.DeleteFunc(all, func(column string) bool { return slices.Contains(without, table+"."+column) })
		}
		return nil
	})
	w.Changes()
	return w
}

func (w *Watch) read(fn func(*registry.Tx) error) {
	w.t.Helper()
	if err := w.db.Read(w.t.Context(), fn); err != nil {
		w.t.Fatal(err)
	}
}

// Changes returns the rows that were added, removed or changed since the last call, a line each.
func (w *Watch) Changes() string {
	w.t.Helper()
	var b strings.Builder
	w.read(func(tx *registry.Tx) error {
		for _, table := range w.tables {
			rows, order, err := w.rows(tx, table)
			if err != nil {
				return err
			}
			before := w.before[table]
			for _, key := range slices.Sorted(maps.Keys(before)) {
				if rows[key] == nil {
					fmt.Fprintf(&b, "\t- %s %s\n", table, key)
				}
			}
			for _, key := range order {
				if said := w.row(table, before[key], rows[key]); said != "" {
					sign := "~"
					if before[key] == nil {
						sign = "+"
					}
					fmt.Fprintf(&b, "\t%s %s %s:%s\n", sign, table, key, said)
				}
			}
			w.before[table] = rows
		}
		return nil
	})
	return b.String()
}

// Between stands between the columns that a Watch reads, in statements that only SQLite takes.
const Between = " || char(1, 31, 1) || "

// Text writes a text in the same form as rows.
func (w *Watch) Text(s string) string {
	for _, of := range []struct {
		what *regexp.Regexp
		name string
	}{{uids, "uid"}, {refs, ""}, {hashes, "hash"}, {stamps, ""}} { // a distance looks like a reference
		s = of.what.ReplaceAllStringFunc(s, func(found string) string { return w.named(of.name, found) })
	}
	return s
}

// rows reads a table, by the key of each row: its number, which may have gaps.
func (w *Watch) rows(tx *registry.Tx, table string) (rows map[string][]string, order []string, err error) {
	quoted := make([]string, len(w.columns[table]))
	for i, column := range w.columns[table] {
		quoted[i] = "quote(" + column + ")"
	}
	key := "rowid"
	if slices.Contains(w.columns[table], "id") {
		key = "id"
	}
	all, err := registry.Collect(tx, registry.One[string], `SELECT `+key+Between+strings.Join(quoted, Between)+` FROM `+table+` ORDER BY `+key)
	if err != nil { // a table without rowid has another key
		all, err = registry.Collect(tx, registry.One[string], `SELECT quote(`+w.columns[table][0]+`)`+Between+strings.Join(quoted, Between)+` FROM `+table+` ORDER BY 1`)
	}
	if err != nil {
		return nil, nil, err
	}
	rows = map[string][]string{}
	for _, one := range all {
		values := strings.Split(one, "\x01\x1f\x01")
		key := w.Text(values[0])
		for n := 2; rows[key] != nil; n++ {
			key = w.Text(values[0]) + "." + strconv.Itoa(n)
		}
		rows[key], order = values[1:], append(order, key)
	}
	return rows, order, nil
}

// row writes the values of a row that differ from the former ones. Values that a new row lacks are left out.
func (w *Watch) row(table string, before, now []string) string {
	var b strings.Builder
	for i, value := range now {
		was := ""
		if before != nil {
			was = before[i]
		}
		if value == was || before == nil && (value == "NULL" || value == "''") {
			continue
		}
		said := w.Text(value)
		if before != nil && w.Text(was) == said {
			continue // a later time of now
		}
		fmt.Fprintf(&b, " %s=%s", w.columns[table][i], strings.ReplaceAll(said, "\n", `\n`))
	}
	return b.String()
}

var (
	stamps = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	uids   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	refs   = regexp.MustCompile(`\b[a-zA-Z]{1,4}-[0-9][0-9a-hjkmnp-tv-zA-HJKMNP-TV-Z]{9}\b`)
	hashes = regexp.MustCompile(`\b[0-9a-f]{32,64}\b`)
)

// named returns the name of a made value.
func (w *Watch) named(kind, value string) string {
	if kind == "" {
		if at, err := timestamp.Parse(value); err == nil {
			return distance(at.Time, time.Now())
		}
		kind, _, _ = strings.Cut(strings.ToLower(value), "-")
		value = strings.ToLower(value)
	}
	if w.names[value] == "" {
		w.counts[kind]++
		w.names[value] = fmt.Sprintf("<%s%d>", kind, w.counts[kind])
	}
	return w.names[value]
}

// distance writes a time relative to now, in steps of ten minutes; one more than a year away stays as it is.
func distance(at, now time.Time) string {
	apart := at.Sub(now).Round(10 * time.Minute)
	switch {
	case apart.Abs() > 365*24*time.Hour:
		return timestamp.Format(at)
	case apart == 0:
		return "now"
	case apart > 0:
		return "now+" + apart.String()
	}
	return "now" + apart.String()
}
