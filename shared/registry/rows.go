package registry

import "strings"

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
		if _, err := Collect(tx, func(row Scanner) (struct{}, error) { return struct{}{}, scan(row) }, query, args...); err != nil {
			return err
		}
	}
	return nil
}
