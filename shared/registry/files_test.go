package registry_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A server has its registry open while the files are changed as people and scripts
// change them by mistake.

func tryProject(t *testing.T, db *registry.DB, uid string) error {
	t.Helper()
	return db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO projects (uid, name, created_at, updated_at) VALUES (?, ?, ?, ?)`, uid, uid, tx.Stamp(), tx.Stamp())
		return err
	})
}

func tryRead(t *testing.T, db *registry.DB) error {
	t.Helper()
	return db.Read(t.Context(), func(tx *registry.Tx) error {
		_, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM projects`))
		return err
	})
}

// served returns a registry that a server has open and has written p1 into.
func served(t *testing.T) (*registry.DB, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agit.db")
	db := registrytest.OpenAt(t, path)
	addProject(t, db, "p1")
	if err := tryRead(t, db); err != nil {
		t.Fatal(err)
	}
	return db, path
}

func remove(t *testing.T, path string, suffixes ...string) {
	t.Helper()
	for _, suffix := range suffixes {
		if err := os.Remove(path + suffix); err != nil {
			t.Fatal(err)
		}
	}
}

// copyFile copies in another process: to close a handle of the file in this one
// would give up SQLite's locks.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", from, to).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v %s", err, out)
	}
}

func wantFault(t *testing.T, err error, parts ...string) {
	t.Helper()
	if !fault.Is(err, fault.KindDatabase) {
		t.Fatalf("error %v, want a DatabaseError", err)
	}
	f := fault.From(err)
	for _, part := range parts {
		if !strings.Contains(f.Message+" ("+f.Hint+")", part) {
			t.Errorf("%q does not say %q", f.Message+" ("+f.Hint+")", part)
		}
	}
}

func TestDeletedRegistryIsNoticed(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	db, path := served(t)
	remove(t, path, "", "-wal", "-shm")
	wantFault(t, tryProject(t, db, "p2"), "was deleted", "nothing was stored", "agit db restore")
	wantFault(t, tryRead(t, db), "was deleted")
	// The rows that the server still had are kept, and can be put back.
	saved, err := filepath.Glob(path + ".saved-*")
	if err != nil || len(saved) != 1 {
		t.Fatalf("saved copies %v, %v", saved, err)
	}
	copyFile(t, saved[0], path)
	addProject(t, db, "p3")
	if got := projects(t, db); !cmp.Equal(got, []string{"p1", "p3"}) {
		t.Errorf("projects %v", got)
	}
	if got := projects(t, openCommand(t, path)); !cmp.Equal(got, []string{"p1", "p3"}) {
		t.Errorf("a command sees %v", got)
	}
}

func TestReplacedRegistryIsNoticed(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	db, path := served(t)
	other := filepath.Join(filepath.Dir(path), "other.db")
	foreign := registrytest.OpenAt(t, other)
	addProject(t, foreign, "foreign")
	foreign.Close()
	// With the log of the old one in its place.
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	wantFault(t, tryProject(t, db, "p2"), "belongs to another registry")
	wantFault(t, tryRead(t, db), "belongs to another registry")
	_, err := registry.Open(t.Context(), registry.Options{Path: path})
	wantFault(t, err, "belongs to another registry", "agit db restore")
	// Without it.
	remove(t, path, "-wal", "-shm")
	wantFault(t, tryProject(t, db, "p2"), "was replaced by another file", "restart", "is kept in")
	if got := projects(t, openCommand(t, path)); !cmp.Equal(got, []string{"foreign"}) {
		t.Errorf("the other registry holds %v now", got)
	}
}

// A log is foreign to a copy of its own registry too.
func TestLogIsNotAppliedToACopy(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	for _, how := range []string{"backup", "older file"} {
		t.Run(how, func(t *testing.T) {
			db, path := served(t)
			dir := filepath.Dir(path)
			saved := filepath.Join(dir, "saved.db")
			if how == "backup" {
				if err := db.Backup(t.Context(), saved, false); err != nil {
					t.Fatal(err)
				}
			} else {
				if _, err := db.Vacuum(t.Context()); err != nil { // which folds the log
					t.Fatal(err)
				}
				copyFile(t, path, saved)
				// Another program writes too, as there always is one.
				for _, uid := range []string{"a", "b", "c"} {
					addProject(t, openCommand(t, path), uid)
				}
				if _, err := db.Vacuum(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			addProject(t, db, "later")
			elsewhere := filepath.Join(dir, "elsewhere.db")
			copyFile(t, saved, elsewhere)
			copyFile(t, path+"-wal", elsewhere+"-wal")
			_, err := registry.Open(t.Context(), registry.Options{Path: elsewhere})
			wantFault(t, err, "belongs to")
			// Its own log it takes.
			copyFile(t, path, elsewhere)
			if got := projects(t, openCommand(t, elsewhere)); !slices.Contains(got, "later") {
				t.Errorf("projects %v", got)
			}
		})
	}
}

func TestRegistryThatIsPutBackIsOpenedAgain(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	db, path := served(t)
	saved := filepath.Join(t.TempDir(), "saved.db")
	if err := db.Backup(t.Context(), saved, false); err != nil {
		t.Fatal(err)
	}
	addProject(t, db, "later")
	remove(t, path, "", "-wal", "-shm")
	if err := os.Rename(saved, path); err != nil {
		t.Fatal(err)
	}
	addProject(t, db, "p2")
	if got := projects(t, openCommand(t, path)); !cmp.Equal(got, []string{"p1", "p2"}) {
		t.Errorf("projects %v", got)
	}
}

func TestDeletedLogIsFoldedIn(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	for _, suffixes := range [][]string{{"-wal"}, {"-wal", "-shm"}} {
		t.Run(strings.Join(suffixes, ""), func(t *testing.T) {
			db, path := served(t)
			remove(t, path, suffixes...)
			addProject(t, db, "p2")
			other := openCommand(t, path)
			if got := projects(t, other); !cmp.Equal(got, []string{"p1", "p2"}) {
				t.Errorf("another program sees %v", got)
			}
			addProject(t, other, "p3")
			if got := projects(t, db); !cmp.Equal(got, []string{"p1", "p2", "p3"}) {
				t.Errorf("the server sees %v", got)
			}
			if report, err := db.Check(t.Context()); err != nil || len(report.Problems) > 0 {
				t.Errorf("check: %v %v", report.Problems, err)
			}
		})
	}
}

// Two servers have it open; both go on, and neither writes over the other.
func TestDeletedLogWithTwoServers(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	a, path := served(t)
	b := registrytest.OpenAt(t, path)
	addProject(t, b, "p2")
	remove(t, path, "-wal")
	want := []string{"p1", "p2"}
	for _, db := range []*registry.DB{a, b, a, b} {
		uid := "x" + string(rune('0'+len(want)))
		addProject(t, db, uid)
		want = append(want, uid)
		if got := projects(t, openCommand(t, path)); !cmp.Equal(got, want) {
			t.Fatalf("projects %v, want %v", got, want)
		}
	}
}

// Others have begun a log of their own before the server noticed.
func TestDeletedLogThatOthersReplaced(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	db, path := served(t)
	remove(t, path, "-wal", "-shm")
	other, lines := startChild(t, "other:1", registry.Options{Path: path})
	for lines.Scan() {
	}
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	wantFault(t, tryProject(t, db, "p2"), "others have gone on without it", "restart")
	wantFault(t, tryRead(t, db), "restart")
	db.Close() // which must not write over what the other one stored
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		t.Errorf("the log of the other program is gone: %v", err)
	}
}

func TestRegistryLostWhileCommitting(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	for name, loss := range map[string][]string{"deleted": {"", "-wal", "-shm"}, "log": {"-wal"}} {
		t.Run(name, func(t *testing.T) {
			db, path := served(t)
			err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
				remove(t, path, loss...)
				_, err := tx.Exec(`INSERT INTO projects (uid, name, created_at, updated_at) VALUES ('p2', 'p2', ?, ?)`, tx.Stamp(), tx.Stamp())
				return err
			})
			if name == "deleted" {
				wantFault(t, err, "while a change was being stored")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := projects(t, db); !cmp.Equal(got, []string{"p1", "p2"}) {
				t.Errorf("projects %v", got)
			}
			if got := projects(t, openCommand(t, path)); !cmp.Equal(got, []string{"p1", "p2"}) {
				t.Errorf("a command sees %v", got)
			}
		})
	}
}

func TestWatchGoesOnInARegistryThatWasPutBack(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	db, path := served(t)
	saved := filepath.Join(t.TempDir(), "saved.db")
	if err := db.Backup(t.Context(), saved, false); err != nil {
		t.Fatal(err)
	}
	ready, heard := make(chan bool, 8), make(chan []registry.Change, 8)
	watched := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		watched <- db.Watch(ctx, func() { ready <- true }, func(c []registry.Change) { heard <- c })
	}()
	<-ready
	remove(t, path, "", "-wal", "-shm")
	if err := os.Rename(saved, path); err != nil {
		t.Fatal(err)
	}
	<-ready
	err := openCommand(t, path).Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		tx.Changed(registry.TopicTasks, 0, "x")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := <-heard; len(got) != 1 || got[0].Subject != "x" {
		t.Errorf("heard %v", got)
	}
	stop()
	if err := <-watched; err != nil {
		t.Error(err)
	}
}

func TestEmptyAndMissingRegistryAreNotTakenForNew(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	db, path := served(t)
	db.Close()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	_, err := registry.Open(t.Context(), registry.Options{Path: path})
	wantFault(t, err, "is empty (0 bytes)", "agit db restore")
	remove(t, path, "")
	var said []string
	fresh, err := registry.Open(t.Context(), registry.Options{Path: path, Notice: func(s string) { said = append(said, s) }})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if len(said) != 1 || !strings.Contains(said[0], "is gone; a new one was made") {
		t.Errorf("said %q", said)
	}
}

func TestMissingFileWithALogIsRefused(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	_, path := served(t)
	elsewhere := filepath.Join(t.TempDir(), "agit.db")
	copyFile(t, path+"-wal", elsewhere+"-wal")
	_, err := registry.Open(t.Context(), registry.Options{Path: elsewhere})
	wantFault(t, err, "is gone", "log is still there")
	if _, err := os.Stat(elsewhere + "-wal"); err != nil {
		t.Error("the log was taken away")
	}
}

func TestSchemaOfNoProgramIsRefused(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	db, path := served(t)
	if err := registry.SetSchemaVersion(t.Context(), db, -1); err != nil {
		t.Fatal(err)
	}
	db.Close()
	_, err := registry.Open(t.Context(), registry.Options{Path: path})
	wantFault(t, err, "schema -1")
}

// A file that --db or AGIT_DB names by mistake stays as it is, unless it holds nothing yet.
func TestDatabaseOfAnotherProgramIsRefused(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	for name, c := range map[string]struct {
		statements []string
		taken      bool
	}{
		"a table":              {statements: []string{`CREATE TABLE t (x)`}},
		"a view":               {statements: []string{`CREATE VIEW t AS SELECT 1`}},
		"a table of our names": {statements: []string{`CREATE TABLE items (x)`, `PRAGMA user_version = 3`}},
		"a later version":      {statements: []string{`CREATE TABLE t (x)`, `PRAGMA user_version = 4000`}},
		"our version":          {statements: []string{`CREATE TABLE t (x)`, fmt.Sprintf(`PRAGMA user_version = %d`, registry.SchemaVersion)}},
		"a version alone":      {statements: []string{`PRAGMA user_version = 3`}},
		"SQLite's own table":   {statements: []string{`CREATE TABLE t (x INTEGER PRIMARY KEY AUTOINCREMENT)`, `DROP TABLE t`}, taken: true},
		"nothing":              {statements: []string{`VACUUM`}, taken: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "other.db")
			execute(t, path, c.statements...)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			db, err := registry.Open(t.Context(), registry.Options{Path: path})
			if c.taken {
				if err != nil {
					t.Fatal(err)
				}
				addProject(t, db, "p1")
				db.Close()
				return
			}
			if !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), "the database of another program") {
				t.Fatalf("opened it: %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed (%v)", err)
			}
			if names, err := filepath.Glob(path + "?*"); err != nil || len(names) > 0 {
				t.Errorf("left %v beside it (%v)", names, err)
			}
		})
	}
}
