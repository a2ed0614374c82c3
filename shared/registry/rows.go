package registry

import (
	"strings"
)

// Each runs a query and calls fn with each row.
func Each(tx *Tx, fn func(Scanner) error, query string, args ...any) error {
	_, err := Collect(tx, func(row Scanner) (struct{}, error) { return struct{}{}, fn(row) }, query, args...)
	return err
}

// Map runs a query for two columns, and returns the second one of each row by the first.
func Map[K comparable, V any](tx *Tx, query string, args ...any) (map[K]V, error) {
	all := map[K]V{}
	return all, Each(tx, func(row Scanner) error {
		var key K
		var value V
		err := row.Scan(&key, &value)
		all[key] = value
		return err
	}, query, args...)
}

// OrZero takes the result of a query for one row, and returns the zero value where that matched none.
func OrZero[T any](v T, err error) (T, error) {
	if NoRows(err) {
		var none T
		return none, nil
	}
	return v, err
}

// OrNil takes the result of a query for one row, and returns nil where that matched none, or failed.
func OrNil[T any](v T, err error) (*T, error) {
	if found, err := Found(err); !found {
		return nil, err
	}
	return &v, nil
}

// In returns the marks of an IN list, and the values that they stand for.
func In[V any](values []V) (list string, args []any) {
	args = make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	return marks(len(values)), args
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// insertParameters is roughly the number of parameters of one InsertRows statement: enough to make the cost of a statement small, few
// enough for any engine.
const insertParameters = 4000

// InsertRows inserts many rows with few statements. head is an INSERT up to and including VALUES, tail the text after the rows ("" or
// RETURNING …). scan reads the returned columns of each row, in any order. All rows must have the same length.
func (tx *Tx) InsertRows(head string, rows [][]any, tail string, scan func(Scanner) error) error {
	if len(rows) == 0 {
		return nil
	}
	width := len(rows[0])
	group := "(" + marks(width) + ")"
	most := max(1, insertParameters/width)
	for len(rows) > 0 {
		n := min(len(rows), most)
		args := make([]any, 0, n*width)
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		rows = rows[n:]
		query := head + " " + strings.TrimSuffix(strings.Repeat(group+", ", n), ", ") + " " + tail
		if scan == nil {
			if err := tx.Do(query, args...); err != nil {
				return err
			}
			continue
		}
		if err := Each(tx, scan, query, args...); err != nil {
			return err
		}
	}
	return nil
}
