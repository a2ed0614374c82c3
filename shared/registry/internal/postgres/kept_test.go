//go:build unix

package postgres_test

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry/internal/postgres"
)

// asker is a connection to a server of its own, with a table of three rows.
type asker struct {
	t    *testing.T
	conn *postgres.Conn
}

func newAsker(t *testing.T) *asker {
	t.Helper()
	a := &asker{t, dial(t)}
	a.batch(`CREATE TABLE kept (n INTEGER PRIMARY KEY); INSERT INTO kept VALUES (1), (2), (3)`)
	return a
}

func (a *asker) batch(statements string) string {
	a.t.Helper()
	rows, err := a.conn.Batch(a.t.Context(), statements)
	if err != nil {
		a.t.Fatal(err)
	}
	return fmt.Sprint(rows)
}

// one asks a query for the first value of its first row.
func (a *asker) one(query string, arg any) (got any, columns int, err error) {
	rows, err := a.conn.QueryContext(a.t.Context(), query, []driver.NamedValue{{Ordinal: 1, Value: arg}})
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	row := make([]driver.Value, len(rows.Columns()))
	if err := rows.Next(row); err != nil {
		return nil, 0, err
	}
	return row[0], len(row), nil
}

// names are the statements that the server keeps for the connection.
func (a *asker) names() string {
	return a.batch(`SELECT statement FROM pg_prepared_statements ORDER BY prepare_time`)
}

// A statement is kept from its second time on, with the same answers; one that is not a query never is.
func TestKeptStatements(t *testing.T) {
	a := newAsker(t)
	for i := range 9 {
		n := int64(i%3 + 1)
		if got, _, err := a.one(`SELECT n FROM kept WHERE n = ?`, n); err != nil || got != n {
			t.Errorf("time %d: %v, %v", i, got, err)
		}
		want := `[[[SELECT n FROM kept WHERE n = $1]]]`
		if i == 0 {
			want = `[[]]`
		}
		if got := a.names(); got != want {
			t.Errorf("time %d: %s is kept", i, got)
		}
		if err := a.conn.End(t.Context(), []string{`BEGIN`, `COMMIT`}, nil); err != nil {
			t.Error(err)
		}
	}
	for range 3 { // the first statement of the message fails, so that nothing is kept of the second
		if _, err := a.conn.Ask(t.Context(), []postgres.Query{{Text: `SELECT 1 / 0`}, {Text: `SELECT 2`}}); err == nil {
			t.Error("no error")
		}
	}
	if answers, err := a.conn.Ask(t.Context(), []postgres.Query{{Text: `SELECT 2`}, {Text: `SELECT 2`}}); err != nil || len(answers) != 2 {
		t.Error(answers, err)
	}
}

// A migration under a kept statement, and a server that does not know a name, are conflicts: the transaction is run again, and then has its
// answer.
func TestForgottenStatements(t *testing.T) {
	t.Cleanup(postgres.Remember)
	a := newAsker(t)
	ask := func() (int, error) {
		got, columns, err := a.one(`SELECT * FROM kept WHERE n = ?`, int64(2))
		if err == nil && got != int64(2) {
			t.Error(got)
		}
		return columns, err
	}
	for range 3 {
		if columns, err := ask(); err != nil || columns != 1 {
			t.Fatal(columns, err)
		}
	}
	a.batch(`ALTER TABLE kept ADD COLUMN more TEXT`)
	if _, err := ask(); postgres.Judge(err) != postgres.Conflict {
		t.Errorf("after a migration: %v", err)
	}
	for range 3 {
		if columns, err := ask(); err != nil || columns != 2 {
			t.Fatal(columns, err)
		}
	}
	a.batch(`DEALLOCATE ALL`) // as a pooler does that hands the transaction to another server process
	if _, err := ask(); postgres.Judge(err) != postgres.Conflict {
		t.Errorf("of another process: %v", err)
	}
	for range 3 {
		if columns, err := ask(); err != nil || columns != 2 || a.names() != `[[]]` {
			t.Fatal(columns, err, a.names())
		}
	}
}

// Another client of a pooler keeps the same statement by the same name: it is used, or the transaction is run again.
func TestStatementsOfOthers(t *testing.T) {
	t.Cleanup(postgres.Remember)
	a := newAsker(t)
	const query, kept = `SELECT n FROM kept WHERE n = ?`, `SELECT n FROM kept WHERE n = $1`
	for range 2 {
		if _, _, err := a.one(query, int64(1)); err != nil {
			t.Fatal(err)
		}
	}
	name := strings.Trim(a.batch(`SELECT name FROM pg_prepared_statements`), "[]")
	a.batch(`DEALLOCATE ALL; PREPARE ` + name + ` AS ` + kept)
	if got, _, err := a.one(query, int64(3)); err != nil || got != int64(3) {
		t.Errorf("%v, %v", got, err)
	}
	b := newAsker(t)
	b.batch(`PREPARE ` + name + ` AS ` + kept)
	if _, _, err := b.one(query, int64(3)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.one(query, int64(3)); postgres.Judge(err) != postgres.Conflict {
		t.Errorf("the name is taken: %v", err)
	}
	if got, _, err := b.one(query, int64(3)); err != nil || got != int64(3) {
		t.Errorf("%v, %v", got, err)
	}
}
