package registry

import (
	"context"
	"fmt"
	"strconv"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry/internal/postgres"
)

func itoa[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// atoi parses a number from the server.
func atoi(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// columnsOfServer are the columns of the registry's tables.
const columnsOfServer = ` FROM information_schema.columns c JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
	WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' `

// Check looks for times in a wrong format. The server itself checks keys, references and pages.
func (e *serverEngine) Check(ctx context.Context) (Report, error) {
	r := Report{Path: e.Name(), Engine: EnginePostgreSQL, Problems: []string{}}
	err := e.read(ctx, func(tx *Tx) error {
		r.SchemaVersion = SchemaVersion
		err := tx.QueryRow(`SELECT current_setting('server_version'), COALESCE(SUM(pg_total_relation_size(c.oid)), 0) FROM pg_class c
			JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r'`).Scan(&r.EngineVersion, &r.StoredBytes)
		if err != nil {
			return err
		}
		type place struct{ table, column string }
		places, err := Collect(tx, func(row Scanner) (p place, err error) { return p, row.Scan(&p.table, &p.column) },
			`SELECT c.table_name, c.column_name`+columnsOfServer+`AND t.table_name <> 'write_marks'
				AND (RIGHT(c.column_name, 3) = '_at' OR c.column_name = 'at') ORDER BY c.table_name, c.ordinal_position`)
		if err != nil {
			return err
		}
		for _, p := range places {
			wrong, err := Collect(tx, One[string], fmt.Sprintf(`SELECT 'a row of %[1]s has no time in %[2]s: ' || %[2]s FROM %[1]s
				WHERE %[2]s <> '' AND %[2]s !~ '^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9].*Z$' LIMIT 20`, p.table, p.column))
			if err != nil {
				return err
			}
			r.Problems = append(r.Problems, wrong...)
		}
		return nil
	})
	return r, e.failure(err)
}

// Vacuum makes the space of deleted rows available to new ones, table by table.
func (e *serverEngine) Vacuum(ctx context.Context) (freed int64, err error) {
	before, err := e.Check(ctx)
	if err != nil {
		return 0, err
	}
	conn, err := e.server.Dial(ctx)
	if err != nil {
		return 0, e.failure(err)
	}
	defer conn.Close()
	set := ``
	if schema := e.server.Schema(); schema != "" {
		set = `SET search_path = ` + postgres.QuoteName(schema) + `; `
	}
	answers, err := conn.Batch(ctx, set+`SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind = 'r' ORDER BY 1`)
	if err != nil {
		return 0, e.failure(err)
	}
	for _, row := range answers[len(answers)-1] {
		if _, err := conn.Batch(ctx, `VACUUM (ANALYZE) `+row[0]); err != nil {
			return 0, e.failure(err)
		}
	}
	after, err := e.Check(ctx)
	return max(before.StoredBytes-after.StoredBytes, 0), err
}

// Backup names the server's own backup program, whose copies that server can restore.
func (e *serverEngine) Backup(context.Context, string, bool) error {
	return fault.Operation(nil, "the registry %q is on a server, which makes its own copies", e.Name()).
		WithHint("run pg_dump with that URL, or `agit db move FILE` to take the registry into a file")
}

// Schema returns the schema from the server's catalogue.
func (e *serverEngine) Schema(ctx context.Context) (statements []string, err error) {
	err = e.read(ctx, func(tx *Tx) error {
		statements, err = Collect(tx, One[string], `SELECT 'CREATE TABLE ' || c.table_name || E' (\n' || string_agg('  ' || c.column_name || ' ' || c.data_type
			|| CASE WHEN c.is_nullable = 'NO' THEN ' NOT NULL' ELSE '' END || COALESCE(' DEFAULT ' || c.column_default, ''), E',\n' ORDER BY c.ordinal_position)
			|| E'\n)'`+columnsOfServer+`GROUP BY c.table_name ORDER BY c.table_name`)
		if err != nil {
			return err
		}
		indexes, err := Collect(tx, One[string], `SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY indexname`)
		statements = append(statements, indexes...)
		return err
	})
	if err != nil {
		return nil, e.failure(err)
	}
	return statements, nil
}

// tryOut checks two properties of a server that the registry relies on: a row locked by one connection cannot be locked by another, and
// SKIP LOCKED skips it. Some servers that speak PostgreSQL's protocol lack them.
func (e *serverEngine) tryOut(ctx context.Context) error {
	one, err := e.server.Dial(ctx)
	if err != nil {
		return err
	}
	defer one.Close()
	other, err := e.server.Dial(ctx)
	if err != nil {
		return err
	}
	defer other.Close()
	begin := `BEGIN; ` + e.settings() + `; `
	if _, err := one.Batch(ctx, begin+lockRow(registryLock, `FOR UPDATE`)); err != nil {
		return err
	}
	answers, err := other.Batch(ctx, begin+lockRow(registryLock, `FOR UPDATE SKIP LOCKED`))
	if err != nil {
		return err
	}
	if len(answers[len(answers)-1]) > 0 {
		return e.lacks("a row that one connection has locked is not passed over by SKIP LOCKED")
	}
	_, err = other.Batch(ctx, `SET LOCAL lock_timeout = '100ms'; `+lockRow(registryLock, `FOR UPDATE`))
	switch {
	case err == nil:
		return e.lacks("a row that one connection has locked is given to another one")
	case postgres.Judge(err) != postgres.Waiting:
		return err
	}
	return nil
}

func (e *serverEngine) lacks(what string) error {
	return fault.Validation("target", "the server %q (%s) cannot keep a registry: %s; nothing was changed", e.Name(), "PostgreSQL's protocol", what).
		WithHint("use PostgreSQL itself")
}
