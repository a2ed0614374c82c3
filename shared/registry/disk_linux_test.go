package registry_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// A disk that is full is said to be full, whichever of SQLite's files has no room: the registry, its log, or the memory that
// its processes share.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := gittest.TempDir(t)
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	path := filepath.Join(disk, "agit.db")
	write := func() error {
		db, err := registry.Open(t.Context(), registry.Options{Path: path})
		if err != nil {
			return err
		}
		defer db.Close()
		return db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(`UPDATE registry_meta SET value = value`)
			return err
		})
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(disk, "filler")
	refused := 0
	for pages := range 24 {
		var free syscall.Statfs_t
		if err := syscall.Statfs(disk, &free); err != nil {
			t.Fatal(err)
		}
		spare := pages * int(free.Bsize)
		if err := os.WriteFile(filler, bytes.Repeat([]byte("x"), int(free.Bavail)*int(free.Bsize)-spare), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := write(); err != nil {
			refused++
			if !strings.Contains(err.Error(), "the disk of the registry") {
				t.Errorf("with %d pages left: %v", pages, err)
			}
		}
		// Emptied, not removed: a process that another test starts holds the file open until it runs its program, and a removed
		// file keeps its room for as long.
		if err := os.Truncate(filler, 0); err != nil {
			t.Fatal(err)
		}
	}
	if refused == 0 {
		t.Error("nothing was refused, so nothing was tried")
	}
	if err := write(); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
