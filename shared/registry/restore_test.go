package registry_test

import (
	"errors"
	"fmt"
	"io/fs"
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

// drills are ways to damage the registry's file.
var drills = map[string]func(path string) error{
	"zero bytes":     func(path string) error { return os.Truncate(path, 0) },
	"one byte":       func(path string) error { return os.Truncate(path, 1) },
	"half":           func(path string) error { return os.Truncate(path, 4096*20+77) },
	"last page gone": func(path string) error { return shorten(path, 4096) },
	"garbage header": func(path string) error { return overwrite(path, 0, strings.Repeat("x", 100)) },
	"garbage page":   func(path string) error { return overwrite(path, 4096*3, strings.Repeat("\xff", 4096)) },
	"text": func(path string) error {
		return os.WriteFile(path, []byte(strings.Repeat("not a database\n", 500)), 0o600)
	},
	"schema -1": func(path string) error { return overwrite(path, 60, "\xff\xff\xff\xff") },
	"missing":   os.Remove,
}

func shorten(path string, bytes int64) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, info.Size()-bytes)
}

func overwrite(path string, at int64, text string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt([]byte(text), at)
	return err
}

func TestRestoreOverDamage(t *testing.T) {
	registrytest.OnlySQLite(t, "copies are made by the server's programs")
	t.Parallel()
	for name, damage := range drills {
		for _, log := range []string{"no log", "with its log", "under a server"} {
			t.Run(name+", "+log, func(t *testing.T) {
				t.Parallel()
				db, path := served(t)
				saved := filepath.Join(t.TempDir(), "saved.db")
				if err := db.Backup(t.Context(), saved, false); err != nil {
					t.Fatal(err)
				}
				addProject(t, db, "later")
				switch log {
				case "no log":
					db.Close()
				case "with its log": // as after a killed process
					elsewhere := filepath.Join(t.TempDir(), "agit.db")
					for _, suffix := range []string{"", "-wal", "-id"} {
						copyFile(t, path+suffix, elsewhere+suffix)
					}
					path = elsewhere
				}
				if err := damage(path); err != nil {
					t.Fatal(err)
				}
				kept, err := registry.Restore(t.Context(), registry.Options{Path: path}, saved)
				if err != nil {
					t.Fatalf("%v", err)
				}
				if len(kept) == 0 && (name != "missing" || log != "no log") {
					t.Error("the damaged file is not kept")
				}
				for _, file := range kept {
					if _, err := os.Stat(file); err != nil {
						t.Error(err)
					}
				}
				if log == "under a server" {
					addProject(t, db, "after")
				} else {
					addProject(t, openCommand(t, path), "after")
				}
				if got := projects(t, openCommand(t, path)); !cmp.Equal(got, []string{"after", "p1"}) {
					t.Errorf("projects %v", got)
				}
				report, err := openCommand(t, path).Check(t.Context())
				if err != nil || len(report.Problems) > 0 {
					t.Errorf("check: %v %v", report.Problems, err)
				}
			})
		}
	}
}

// The way back after an upgrade: a later version's registry, with its log, is kept beside the copy that takes its place.
func TestRestoreOverNewer(t *testing.T) {
	registrytest.OnlySQLite(t, "copies are made by the server's programs")
	t.Parallel()
	db, path := served(t)
	saved := filepath.Join(t.TempDir(), "saved.db")
	if err := db.Backup(t.Context(), saved, false); err != nil {
		t.Fatal(err)
	}
	addProject(t, db, "later")
	db.Close()
	if err := overwrite(path, 60, "\x00\x00\x03\xe7"); err != nil {
		t.Fatal(err)
	}
	kept, err := registry.Restore(t.Context(), registry.Options{Path: path}, saved)
	if err != nil {
		t.Fatal(err)
	}
	if got := projects(t, openCommand(t, path)); !cmp.Equal(got, []string{"p1"}) {
		t.Errorf("projects %v", got)
	}
	if len(kept) == 0 || !strings.Contains(kept[0], ".newer-") {
		t.Fatalf("kept %v", kept)
	}
	if err := overwrite(kept[0], 60, fmt.Sprintf("\x00\x00\x00%c", registry.SchemaVersion)); err != nil {
		t.Fatal(err)
	}
	if got := projects(t, openCommand(t, kept[0])); !cmp.Equal(got, []string{"later", "p1"}) {
		t.Errorf("kept projects %v", got)
	}
}

func TestRestoreRefusesAndKeepsTheRegistry(t *testing.T) {
	registrytest.OnlySQLite(t, "copies are made by the server's programs")
	t.Parallel()
	db, path := served(t)
	newer := filepath.Join(t.TempDir(), "newer.db")
	if err := db.Backup(t.Context(), newer, false); err != nil {
		t.Fatal(err)
	}
	if err := overwrite(newer, 60, "\x00\x00\x03\xe7"); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.db")
	copyFile(t, newer, broken)
	if err := shorten(broken, 4096*10); err != nil {
		t.Fatal(err)
	}
	for source, kind := range map[string]fault.Kind{
		path: fault.KindValidation, newer: fault.KindDatabase, broken: fault.KindDatabase, path + ".none": fault.KindNotFound,
	} {
		if _, err := registry.Restore(t.Context(), registry.Options{Path: path}, source); !fault.Is(err, kind) {
			t.Errorf("%s: %v, want a %s", source, err, kind)
		}
	}
	if got := projects(t, db); !cmp.Equal(got, []string{"p1"}) {
		t.Errorf("projects %v", got)
	}
}

func TestCopiesAreFound(t *testing.T) {
	registrytest.OnlySQLite(t, "copies are made by the server's programs")
	t.Parallel()
	db, path := served(t)
	for i := range 3 {
		if err := db.Backup(t.Context(), filepath.Join(filepath.Dir(path), fmt.Sprintf("saved-%d.db", i)), false); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "notes.md"), []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := registry.Copies(t.Context(), path); len(got) != 3 {
		t.Errorf("copies %v", got)
	}
}

func TestManyBackupsToOneName(t *testing.T) {
	registrytest.OnlySQLite(t, "copies are made by the server's programs")
	t.Parallel()
	db, path := served(t)
	saved := filepath.Join(t.TempDir(), "saved.db")
	errs := make(chan error, 8)
	var all sync.WaitGroup
	for range 8 {
		other := openCommand(t, path)
		all.Go(func() { errs <- other.Backup(t.Context(), saved, false) })
	}
	all.Wait()
	close(errs)
	done := 0
	for err := range errs {
		switch {
		case err == nil:
			done++
		case !fault.Is(err, fault.KindConflict):
			t.Errorf("%v, want a ConflictError", err)
		}
	}
	if done != 1 {
		t.Errorf("%d backups succeeded, want 1", done)
	}
	if got := projects(t, registrytest.OpenAt(t, saved)); !cmp.Equal(got, projects(t, db)) {
		t.Errorf("the backup holds %v", got)
	}
	if _, err := os.Stat(saved + ".part"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a part is left")
	}
}
