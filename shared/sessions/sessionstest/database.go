package sessionstest

import (
	"testing"

	"github.com/agit-suite/agit/shared/registry/sidefile"
)

// Database is a client's database that is open, so that its log is not folded in.
type Database struct {
	t    testing.TB
	File *sidefile.File
}

// NewDatabase makes a database of some tables at path.
func NewDatabase(t testing.TB, path, tables string) Database {
	t.Helper()
	file, err := sidefile.Open(t.Context(), path, sidefile.Schema{Version: 1, SQL: tables})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return Database{t, file}
}

// Run changes the database.
func (d Database) Run(statement string, args ...any) {
	d.t.Helper()
	if err := d.File.Change(d.t.Context(), func(tx *sidefile.Tx) error { return tx.Run(statement, args...) }); err != nil {
		d.t.Fatal(err)
	}
}
