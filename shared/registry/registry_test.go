package registry_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// addProject writes one row for tests to look for.
func addProject(t testing.TB, db *registry.DB, uid string) {
	t.Helper()
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO projects (uid, name, created_at, updated_at) VALUES (?, ?, ?, ?)`, uid, uid, tx.Stamp(), tx.Stamp())
		tx.Changed(registry.TopicTasks, 0, uid)
		return err
	})
	if err != nil {
		t.Fatalf("add project %q: %v", uid, err)
	}
}

func projects(t testing.TB, db *registry.DB) []string {
	t.Helper()
	var uids []string
	err := db.Read(t.Context(), func(tx *registry.Tx) (err error) {
		uids, err = registry.Collect(tx, registry.One[string], `SELECT uid FROM projects ORDER BY uid`)
		return err
	})
	if err != nil {
		t.Fatalf("read projects: %v", err)
	}
	return uids
}

func TestOpenMakesAProtectedFile(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "folder with 'quotes' & %41", "agit.db")
	db := registrytest.OpenAt(t, path)
	addProject(t, db, "p1")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("registry has mode %o, want 600", got)
	}
	report, err := db.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.JournalMode != "wal" || report.SchemaVersion != registry.SchemaVersion || len(report.Problems) > 0 {
		t.Errorf("fresh registry reports %+v", report)
	}
}

// A folder in place of the file is a usage error, and the message names a file in the folder.
func TestAFolderIsNotARegistry(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	dir := t.TempDir()
	_, err := registry.Open(t.Context(), registry.Options{Path: dir})
	f := fault.From(err)
	if f.Kind != fault.KindValidation || !strings.Contains(f.Message, "is a folder") || !strings.Contains(f.Hint, filepath.Join(dir, "agit.db")) {
		t.Errorf("%v, %q", err, f.Hint)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

func TestReadCannotWrite(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	err := db.Read(t.Context(), func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO registry_meta (key, value) VALUES ('x', 'y')`)
		return err
	})
	if err == nil {
		t.Fatal("a read transaction could write")
	}
}

func TestWriteRollsBackOnError(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	boom := errors.New("boom")
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		if _, err := tx.Exec(`INSERT INTO registry_meta (key, value) VALUES ('x', 'y')`); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatalf("got %v, want the function's own error", err)
	}
	err = db.Read(t.Context(), func(tx *registry.Tx) error {
		n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM registry_meta WHERE key = 'x'`))
		if n != 0 {
			t.Errorf("%d rows of a failed write are stored", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestForeignKeysAreEnforced(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO agent_capabilities (agent_id, capability) VALUES (99, 'x')`)
		return err
	})
	if !fault.Is(err, fault.KindDatabase) {
		t.Errorf("got %v, want a DatabaseError", err)
	}
}

func TestSizeLimitIsAClearErrorAndLosesNothing(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agit.db")
	db, err := registry.Open(t.Context(), registry.Options{Path: path, MaxSize: registry.MinMaxSize})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	addProject(t, db, "kept")
	fill := strings.Repeat("x", 100_000)
	for i := 0; err == nil && i < 100; i++ {
		err = db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(`INSERT INTO registry_meta (key, value) VALUES (?, ?)`, registry.NewUID(), fill)
			return err
		})
	}
	if !fault.Is(err, fault.KindDatabase) || !strings.Contains(err.Error(), "it reached its limit; nothing stored was lost; raise max_database_size") {
		t.Fatalf("at the limit: %v", err)
	}
	if got := projects(t, db); !cmp.Equal(got, []string{"kept"}) {
		t.Errorf("projects after the limit: %v", got)
	}
	for _, size := range []int64{registry.MinMaxSize - 1, registry.MaxMaxSize + 1, -1} {
		_, err := registry.Open(t.Context(), registry.Options{Path: path, MaxSize: size})
		if !fault.Is(err, fault.KindValidation) {
			t.Errorf("size limit %d: got %v, want a ValidationError", size, err)
		}
	}
}

func TestCancelledWriterGivesItsTurnBack(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	other := registrytest.OpenAt(t, db.Path())
	inside, leave := make(chan struct{}), make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() {
		err := other.Write(t.Context(), registry.Everything, func(*registry.Tx) error {
			close(inside)
			<-leave
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Write(ctx, registry.Everything, func(*registry.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting writer got %v, want context.Canceled", err)
	}
	close(leave)
	holder.Wait()
	addProject(t, db, "after")
	addProject(t, other, "after too")
}

func TestNewerSchemaIsRefusedUntouched(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	addProject(t, db, "p1")
	stale := registrytest.OpenAt(t, db.Path())
	if err := registry.SetSchemaVersion(t.Context(), db, registry.SchemaVersion+1); err != nil {
		t.Fatal(err)
	}
	fresh, err := registry.Open(t.Context(), registrytest.OptionsAt(t, db.Path()))
	if err == nil { // a server is first contacted by a transaction
		defer fresh.Close()
		err = fresh.Read(t.Context(), func(*registry.Tx) error { return nil })
	}
	if !fault.Is(err, fault.KindDatabase) || !strings.Contains(err.Error(), "newer") {
		t.Errorf("open: got %v, want a refusal of the newer schema", err)
	}
	err = stale.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`DELETE FROM projects`)
		return err
	})
	if !fault.Is(err, fault.KindDatabase) {
		t.Errorf("a process that had it open could write: %v", err)
	}
}

func TestWatchHearsOtherConnections(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	other := registrytest.OpenAt(t, db.Path())
	addProject(t, other, "before")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard := make(chan registry.Change, 10)
	ready := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- db.Watch(ctx, func() { close(ready) }, func(changes []registry.Change) {
			for _, c := range changes {
				heard <- c
			}
		})
	}()
	<-ready
	addProject(t, other, "p2")
	if c := <-heard; c.Topic != registry.TopicTasks || c.Subject != "p2" {
		t.Errorf("heard %+v", c)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("watch ended with %v", err)
	}
}
