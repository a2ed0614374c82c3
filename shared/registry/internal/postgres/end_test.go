//go:build unix

package postgres_test

import (
	"database/sql/driver"
	"errors"
	"testing"

	"github.com/agit-suite/agit/shared/registry/internal/postgres"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// dial connects to a server of the test's own.
func dial(t *testing.T) *postgres.Conn {
	t.Helper()
	server, err := postgres.Parse(registrytest.NewCluster(t).URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := server.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// The statements after the end of a transaction do not change what became of it, and the connection is free for the next one.
func TestEnd(t *testing.T) {
	t.Parallel()
	conn := dial(t)
	if _, err := conn.Batch(t.Context(), `CREATE TABLE kept (n INTEGER PRIMARY KEY)`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what              string
		statements, after []string
		kept              string
		failed            bool
	}{
		{"nothing after it", []string{`INSERT INTO kept VALUES (1)`, `COMMIT`}, nil, "1", false},
		{"a sound statement after it", []string{`INSERT INTO kept VALUES (2)`, `COMMIT`}, []string{`NOTIFY x`}, "2", false},
		{"a statement that fails after it", []string{`INSERT INTO kept VALUES (3)`, `COMMIT`}, []string{`SELECT 1 / 0`, `NOTIFY x`}, "3", false},
		{"a statement that fails", []string{`INSERT INTO kept VALUES (4)`, `INSERT INTO kept VALUES (1)`, `COMMIT`}, []string{`NOTIFY x`}, "3", true},
		{"a commit that fails", []string{`INSERT INTO kept VALUES (5)`, `SELECT 1 / 0`}, nil, "3", true},
	} {
		conn.Open([]string{`BEGIN`}, `SELECT 1`, func([][][]string) error { return nil })
		err := conn.End(t.Context(), c.statements, c.after)
		if (err != nil) != c.failed {
			t.Errorf("%s: %v", c.what, err)
		}
		if err != nil {
			if err := conn.Undo(t.Context()); err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
		}
		rows, err := conn.Batch(t.Context(), `SELECT MAX(n) FROM kept`)
		if err != nil || rows[0][0][0] != c.kept || !conn.IsValid() {
			t.Errorf("%s: %v is kept, not %s; valid %t, %v", c.what, rows, c.kept, conn.IsValid(), err)
		}
	}
}

// A transaction that begins and ends in one message is not stored when what its begin answers is refused.
func TestEndOfARefusedTransaction(t *testing.T) {
	t.Parallel()
	conn := dial(t)
	if _, err := conn.Batch(t.Context(), `CREATE TABLE kept (n INTEGER PRIMARY KEY)`); err != nil {
		t.Fatal(err)
	}
	refusal := errors.New("refused")
	for _, c := range []struct {
		guard   string
		refusal error
		kept    string
	}{
		{`SELECT 1 / 0`, refusal, "0"},
		{`SELECT 1 / 1`, nil, "1"},
	} {
		var said string
		conn.Open([]string{`BEGIN`, `SELECT 'begun'`}, c.guard, func(rows [][][]string) error { said = rows[1][0][0]; return c.refusal })
		conn.Ahead(postgres.Query{Text: `INSERT INTO kept VALUES (1)`})
		if err := conn.End(t.Context(), []string{`COMMIT`}, nil); !errors.Is(err, c.refusal) || said != "begun" {
			t.Errorf("%v, with the answer %q", err, said)
		}
		if err := conn.Undo(t.Context()); err != nil {
			t.Error(err)
		}
		rows, err := conn.Batch(t.Context(), `SELECT COUNT(*) FROM kept`)
		if err != nil || rows[0][0][0] != c.kept || !conn.IsValid() {
			t.Errorf("guarded by %s: %v rows are kept, not %s; %v", c.guard, rows, c.kept, err)
		}
	}
}

// A transaction that ends together with the beginning of the next one is told apart from that: the next one is of no interest where the
// first fails, and fails alone.
func TestEndLater(t *testing.T) {
	t.Parallel()
	conn := dial(t)
	if _, err := conn.Batch(t.Context(), `CREATE TABLE kept (n INTEGER PRIMARY KEY)`); err != nil {
		t.Fatal(err)
	}
	refusal := errors.New("there is none")
	for _, c := range []struct {
		what        string
		ahead       postgres.Query
		ask         string // "" for no question
		arg         any    // of the question; nil for none
		first, next bool   // that fail
		kept        string
	}{
		{"both", postgres.Query{Text: `INSERT INTO kept VALUES (1)`}, `SELECT COUNT(*) FROM kept`, nil, false, false, "1"},
		{"the first fails", postgres.Query{Text: `SELECT 1 / 0`, Refusal: refusal}, `SELECT COUNT(*) FROM kept`, nil, true, true, "1"},
		{"the next fails", postgres.Query{Text: `INSERT INTO kept VALUES (2)`}, `SELECT 1 / 0`, nil, false, true, "2"},
		{"without a question", postgres.Query{Text: `INSERT INTO kept VALUES (3)`}, ``, nil, false, false, "3"},
		{"the first fails, without a question", postgres.Query{Text: `SELECT 1 / 0`, Refusal: refusal}, ``, nil, true, true, "3"},
		{"the next cannot be sent", postgres.Query{Text: `INSERT INTO kept VALUES (4)`}, `SELECT ?`, struct{}{}, false, true, "4"},
	} {
		open := func() {
			conn.Open([]string{`BEGIN`}, `SELECT 1`, func([][][]string) error { return nil })
		}
		open()
		conn.Ahead(c.ahead)
		end, err := conn.EndLater([]string{`COMMIT`}, []string{`NOTIFY x`})
		if err != nil || end.Sent {
			t.Fatalf("%s: sent %t, %v", c.what, end.Sent, err)
		}
		open()
		if c.ask != "" {
			next := postgres.Query{Text: c.ask}
			if c.arg != nil {
				next.Args = []driver.NamedValue{{Ordinal: 1, Value: c.arg}}
			}
			_, err = conn.Ask(t.Context(), []postgres.Query{next})
			if (err != nil) != c.next || c.first && !errors.Is(err, refusal) || !c.first && errors.Is(err, refusal) {
				t.Errorf("%s: the next: %v", c.what, err)
			}
		}
		conn.Flush(t.Context())
		if !end.Sent || c.first != errors.Is(end.Err(), refusal) || !c.first && end.Err() != nil {
			t.Errorf("%s: sent %t, %v", c.what, end.Sent, end.Err())
		}
		if err := conn.Undo(t.Context()); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		rows, err := conn.Batch(t.Context(), `SELECT COUNT(*) FROM kept`)
		if err != nil || rows[0][0][0] != c.kept || !conn.IsValid() {
			t.Errorf("%s: %v rows are kept, not %s; valid %t, %v", c.what, rows, c.kept, conn.IsValid(), err)
		}
	}
}
