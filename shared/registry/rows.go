package registry

import "strings"

// insertParameters is about how many parameters one statement of InsertRows has:
// enough that a row costs little more than its pages, few for any engine.
const insertParameters = 4000

// InsertRows adds many rows by few statements. head is an INSERT up to and with
// VALUES, tail what follows the rows ("" or RETURNING …), whose columns scan reads
// for each row, in no promised order; all rows are as long.
func (tx *Tx) InsertRows(head string, rows [][]any, tail string, scan func(Scanner) error) error {
	if len(rows) == 0 {
		return nil
	}
	width := len(rows[0])
	group := "(" + strings.TrimSuffix(strings.Repeat("?, ", width), ", ") + ")"
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
