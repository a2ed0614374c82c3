package memory

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// many returns the marks and values of a list for `IN (…)`. Values are repeated up to a power of two, so that lists of similar length share
// one statement.
func many[T any](values []T) (marks string, args []any) {
	n := 4
	for n < len(values) {
		n *= 2
	}
	args = make([]any, n)
	for i := range args {
		if len(values) > 0 {
			args[i] = values[min(i, len(values)-1)]
		} // else NULL, which equals nothing
	}
	return `(?` + strings.Repeat(`, ?`, n-1) + `)`, args
}

// mapped returns what becomes of each element of a list.
func mapped[T, R any](list []T, of func(T) R) []R {
	out := make([]R, len(list))
	for i, one := range list {
		out[i] = of(one)
	}
	return out
}

// rowsAtOnce is how many rows one statement inserts.
const rowsAtOnce = 256

// insertRows inserts the rows that do not exist yet, all of one length; `INSERT … VALUES` precedes their values. Rows are repeated up to a
// power of two, so that lists of similar length share one statement.
func insertRows(tx *registry.Tx, into string, rows [][]any) error {
	for len(rows) > 0 {
		some := slices.Clone(rows[:min(len(rows), rowsAtOnce)])
		rows = rows[len(some):]
		n := 1
		for n < len(some) {
			n *= 2
		}
		for len(some) < n {
			some = append(some, some[0])
		}
		row := ` (?` + strings.Repeat(`, ?`, len(some[0])-1) + `)`
		if err := tx.Do(into+row+strings.Repeat(`,`+row, n-1)+` ON CONFLICT DO NOTHING`, slices.Concat(some...)...); err != nil {
			return err
		}
	}
	return nil
}

// insertEach is insertRows with a row for each element of a list.
func insertEach[T any](tx *registry.Tx, into string, list []T, row func(one T) []any) error {
	return insertRows(tx, into, mapped(list, row))
}

// folded returns names in the form in which they are compared.
func folded(names []string) []string {
	return mapped(names, func(name string) string { return text.Key(strings.TrimSpace(name)) })
}
