package registry_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
)

// TestKeptStatementsSeeWhatIsNew: a statement that a connection keeps gives what
// is there when it runs, after writes, a change of the schema and many others.
func TestKeptStatementsSeeWhatIsNew(t *testing.T) {
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "r.db"), Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	write := func(statement string) {
		t.Helper()
		err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(statement)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(query string, args ...any) (n int) {
		t.Helper()
		err := db.Read(t.Context(), func(tx *registry.Tx) (err error) {
			n, err = registry.One[int](tx.QueryRow(query, args...))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	write(`CREATE TABLE seen (n INTEGER)`)
	for i := range 3 {
		write(fmt.Sprintf(`INSERT INTO seen (n) VALUES (%d)`, i))
		for range 3 {
			if n := read(`SELECT COUNT(*) FROM seen WHERE n >= ?`, 0); n != i+1 {
				t.Errorf("%d rows, not %d", n, i+1)
			}
		}
		write(fmt.Sprintf(`ALTER TABLE seen ADD COLUMN more%d TEXT`, i))
		write(fmt.Sprintf(`CREATE INDEX seen%d ON seen (n, more%d)`, i, i))
	}
	for i := range 200 {
		if n := read(fmt.Sprintf(`SELECT COUNT(*) + %d FROM seen`, i)); n != 3+i {
			t.Errorf("%d, not %d", n, 3+i)
		}
	}
	if n := read(`SELECT COUNT(*) FROM seen WHERE n >= ?`, 2); n != 1 {
		t.Errorf("%d rows, not 1", n)
	}
	// The same text may be in use twice at once.
	err = db.Read(t.Context(), func(tx *registry.Tx) error {
		_, err := registry.Collect(tx, func(row registry.Scanner) (int, error) {
			return registry.One[int](tx.QueryRow(`SELECT n FROM seen`))
		}, `SELECT n FROM seen`)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
