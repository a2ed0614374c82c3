package durable_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/agit-suite/agit/shared/durable"
)

func TestAbove(t *testing.T) {
	root := filepath.Join(string(filepath.Separator), "a")
	for path, want := range map[string][]string{
		filepath.Join(root, "b", "c", "d"): {filepath.Join(root, "b", "c"), filepath.Join(root, "b"), root},
		filepath.Join(root, "b"):           {root},
		filepath.Dir(root) + "x":           {filepath.Dir(root)}, // not below it: all folders up to the top
	} {
		if got := durable.Above(root, path); !slices.Equal(got, want) {
			t.Errorf("above %q are %q, want %q", path, got, want)
		}
	}
}

// Below lists all that a sync has to cover: files and folders, and nothing behind a link.
func TestBelow(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	if err := errors.Join(os.Mkdir(at("dir"), 0o755), os.WriteFile(at("dir/file"), nil, 0o600), os.WriteFile(at("file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	want := []string{root, at("dir"), at("dir/file"), at("file")}
	if err := os.Symlink(t.TempDir(), at("link")); err != nil {
		t.Skip(err)
	}
	got := durable.Below(root)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := durable.Sync(t.Context(), append(got, at("link"), at("gone"))); err != nil {
		t.Error(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := durable.Sync(over, got); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := durable.Below(at("gone")); len(got) != 0 {
		t.Errorf("below nothing: %q", got)
	}
}

// Enough files that the whole file system may be synced instead, with a path that is gone and one that is neither file nor folder.
func TestSyncMany(t *testing.T) {
	root := t.TempDir()
	paths := []string{filepath.Join(root, "gone")}
	for n := range 300 {
		path := filepath.Join(root, strconv.Itoa(n))
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	if err := durable.Sync(t.Context(), append(paths, os.DevNull)); err != nil {
		t.Error(err)
	}
}

// Missing paths need no sync, also where a file is in the place of a folder that held them.
func TestSyncPassesOverWhatIsGone(t *testing.T) {
	t.Parallel()
	lib := filepath.Join(t.TempDir(), "lib")
	if err := os.WriteFile(lib, []byte("a file now\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := durable.Sync(t.Context(), []string{lib, filepath.Join(lib, "a"), filepath.Join(lib, "deep", "b"), lib + "none"}); err != nil {
		t.Error(err)
	}
	for err, want := range map[error]bool{nil: false, fs.ErrNotExist: true, syscall.ENOTDIR: true, fs.ErrPermission: false} {
		if durable.Missing(err) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
}
