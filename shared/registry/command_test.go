package registry_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/registry"
)

// openCommand opens a registry as a command does, which reads and writes on one
// connection.
func openCommand(t *testing.T, path string) *registry.DB {
	t.Helper()
	db, err := registry.Open(t.Context(), registry.Options{Path: path})
	if err != nil {
		t.Fatalf("open registry: %v", err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestCommandReadsCannotWriteAndWritesStillCan(t *testing.T) {
	t.Parallel()
	db := openCommand(t, filepath.Join(t.TempDir(), "agit.db"))
	boom := errors.New("boom")
	for _, end := range []error{nil, boom} {
		err := db.Read(t.Context(), func(tx *registry.Tx) error {
			if _, err := tx.Exec(`INSERT INTO registry_meta (key, value) VALUES ('x', 'y')`); err == nil {
				t.Error("a read transaction could write")
			}
			return end
		})
		if !errors.Is(err, end) {
			t.Fatalf("read ended with %v, want %v", err, end)
		}
	}
	addProject(t, db, "p1")
	if got := projects(t, db); !cmp.Equal(got, []string{"p1"}) {
		t.Errorf("projects %v", got)
	}
}

// A write in the middle of a read does not wait for it, nor does the read see it.
func TestCommandTransactionsOverlap(t *testing.T) {
	t.Parallel()
	db := openCommand(t, filepath.Join(t.TempDir(), "agit.db"))
	err := db.Read(t.Context(), func(tx *registry.Tx) error {
		before, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM projects`))
		if err != nil {
			return err
		}
		var writers sync.WaitGroup
		for _, uid := range []string{"p1", "p2", "p3"} {
			writers.Go(func() { addProject(t, db, uid) })
		}
		writers.Wait()
		after, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM projects`))
		if before != after {
			t.Errorf("one read saw %d projects, then %d", before, after)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := projects(t, db); len(got) != 3 {
		t.Errorf("projects %v", got)
	}
}

// Rows that a process left in the log, without folding it, exist for the next one, and the log stops growing.
func TestLogLeftAtExitIsRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agit.db")
	first := openCommand(t, path)
	addProject(t, first, "p1")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := openCommand(t, path)
	addProject(t, second, "p2")
	if err := second.CloseAtExit(); err != nil {
		t.Fatal(err)
	}
	if size(t, path+"-wal") == 0 {
		t.Error("a short log was folded at exit")
	}
	third := openCommand(t, path)
	if got := projects(t, third); !cmp.Equal(got, []string{"p1", "p2"}) {
		t.Errorf("projects %v", got)
	}
	if err := second.Close(); err != nil { // as the end of its process would have
		t.Fatal(err)
	}
	for n := range 60 {
		addProject(t, third, "q"+strings.Repeat("x", n))
	}
	if err := third.CloseAtExit(); err != nil {
		t.Fatal(err)
	}
	if got := size(t, path+"-wal"); got != 0 {
		t.Errorf("a log of %d bytes was left at exit", got)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
