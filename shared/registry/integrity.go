package registry

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// integrity reads everything: pages and the contents of their cells, indexes, rules of tables, references, and the times, whose form the
// whole suite relies on. A flipped bit in free text is not detected: only the author could notice it.
func integrity(ctx context.Context, pool *sql.DB) ([]string, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA cell_size_check = 1`); err != nil {
		return nil, err
	}
	problems := []string{}
	for _, query := range []string{`PRAGMA integrity_check(20)`,
		`SELECT 'row ' || COALESCE(rowid, 0) || ' of ' || "table" || ' points to a missing row of ' || parent FROM pragma_foreign_key_check`} {
		found, err := texts(ctx, conn, query)
		if err != nil {
			return nil, err
		}
		problems = append(problems, found...)
	}
	problems = slices.DeleteFunc(problems, func(line string) bool { return line == "ok" })
	timed, err := texts(ctx, conn, `SELECT t.name || ' ' || c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.wr = 0 AND c.type = 'TEXT' AND (SUBSTR(c.name, -3) = '_at' OR c.name = 'at')`)
	if err != nil {
		return nil, err
	}
	for _, place := range timed {
		table, column, _ := strings.Cut(place, " ")
		wrong, err := texts(ctx, conn, fmt.Sprintf(`SELECT 'row ' || rowid || ' of %[1]s has no time in %[2]s' FROM "%[1]s"
			WHERE "%[2]s" <> '' AND "%[2]s" NOT GLOB '%[3]s' LIMIT 20`, table, column, timePattern))
		if err != nil {
			return nil, err
		}
		problems = append(problems, wrong...)
	}
	return problems, nil
}

const timePattern = `[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]*Z`

// texts returns the only column of a query.
func texts(ctx context.Context, conn *sql.Conn, query string) ([]string, error) {
	rows, err := conn.QueryContext(ctx, query)
	return scanAll(rows, err, One[string])
}
