package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
	"github.com/agit-suite/agit/shared/fault"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A file is written only where it still is as it was read, or still does not exist; folders are made for it.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	place := filepath.Join(dir, "a", "b", "settings.json")
	made := &file{path: place, place: place, text: "{}", mode: 0o600}
	if err := made.write(); err != nil || !made.written || read(t, place) != "{}" {
		t.Fatalf("a new file: %v", err)
	}
	if info, err := os.Stat(place); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}

	late := &file{path: place, place: place, text: "[]", mode: 0o600}
	if err := late.write(); !fault.Is(err, fault.KindConflict) || late.written || read(t, place) != "{}" {
		t.Errorf("another program made it meanwhile: %v", err)
	}
	stale := &file{path: place, place: place, exists: true, before: "{ }", text: "[]", mode: 0o600}
	if err := stale.write(); !fault.Is(err, fault.KindConflict) || read(t, place) != "{}" {
		t.Errorf("another program changed it meanwhile: %v", err)
	}
	known := &file{path: place, place: place, exists: true, before: "{}", text: `{"a": 1}`, mode: 0o600}
	if err := known.write(); err != nil || read(t, place) != `{"a": 1}` {
		t.Errorf("as it was read: %v", err)
	}
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}
	lost := &file{path: place, place: place, exists: true, before: `{"a": 1}`, text: "{}", mode: 0o600}
	if err := lost.write(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleted meanwhile: %v", err)
	}
}

// A file that setup made goes with the folders that were made for it, as far as nothing else is in them.
func TestWriteTakesAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outer, inner := filepath.Join(dir, "a"), filepath.Join(dir, "a", "b")
	place := filepath.Join(inner, "settings.json")
	if folders := newFolders(place); !slices.Equal(folders, []string{outer, inner}) {
		t.Errorf("%q would be made", folders)
	}
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{place, filepath.Join(outer, "other")} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := &file{path: place, place: place, exists: true, gone: true, before: "x", rec: &record{Folders: []string{outer, inner}}}
	if err := f.write(); err != nil || !f.written {
		t.Fatal(err)
	}
	if _, err := os.Lstat(inner); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty folder stays: %v", err)
	}
	if _, err := os.Lstat(outer); err != nil {
		t.Errorf("the folder with another file is gone: %v", err)
	}
	if folders := newFolders(place); !slices.Equal(folders, []string{inner}) {
		t.Errorf("%q would be made", folders)
	}
}

// A record knows whether the file was setup's own, and keeps one entry for each item.
func TestRemember(t *testing.T) {
	t.Parallel()
	for before, whole := range map[string]bool{"": true, " \n": true, "\ufeff\n": true, "// mine\n": true, `{"a": 1}`: false, "text": false} {
		f := &file{path: "settings.json", place: filepath.Join(t.TempDir(), "settings.json"), exists: true, before: before}
		f.remember("server agit", "1", "mcpServers", edit.Added{})
		if f.rec.Whole != whole || f.rec.Made || whole && f.rec.Blank != before || !f.dirty {
			t.Errorf("%q: %+v", before, f.rec)
		}
	}
	text := &file{path: "AGENTS.md", place: filepath.Join(t.TempDir(), "AGENTS.md"), before: "// mine"}
	text.remember("habits", "1", "", edit.Added{})
	if text.rec.Whole || !text.rec.Made {
		t.Errorf("slashes in a text: %+v", text.rec)
	}
	text.remember("habits", "2", "", edit.Added{})
	if len(text.rec.Entries) != 1 || text.rec.entryOf("habits").Sum != "2" || text.rec.entryOf("other") != nil {
		t.Errorf("again: %+v", text.rec.Entries)
	}
	text.dirty = false
	if text.forget("other"); text.dirty || len(text.rec.Entries) != 1 {
		t.Error("an item that is not known was forgotten")
	}
	if text.forget("habits"); !text.dirty || len(text.rec.Entries) != 0 {
		t.Errorf("forgotten: %+v", text.rec.Entries)
	}
}

// The text after an entry stays with another entry of the same container.
func TestForgetBequeaths(t *testing.T) {
	t.Parallel()
	f := &file{rec: &record{Entries: []entry{
		{ID: "one", In: "servers", Added: edit.Added{After: "\n"}}, {ID: "elsewhere", In: "hooks"}, {ID: "apart"},
		{ID: "there before", In: "servers", Added: edit.Added{Keys: []string{"args"}}}, {ID: "two", In: "servers"},
	}}}
	f.forget("one")
	for id, want := range map[string]string{"elsewhere": "", "apart": "", "there before": "", "two": "\n"} {
		if got := f.rec.entryOf(id).After; got != want {
			t.Errorf("%s: %q", id, got)
		}
	}
	alone := &file{rec: &record{Entries: []entry{{ID: "one", Added: edit.Added{After: "\n"}}, {ID: "two"}}}}
	kept := &file{rec: &record{Entries: []entry{{ID: "one", In: "servers", Added: edit.Added{After: "\n", Keys: []string{"args"}}}, {ID: "two", In: "servers"}}}}
	if kept.forget("one"); kept.rec.entryOf("two").After != "" {
		t.Error("what is behind the keys of an entry is taken for what is behind it")
	}
	if alone.forget("one"); alone.rec.entryOf("two").After != "" {
		t.Error("items outside of a container share one")
	}
}

// A path that is a folder, or a file that is too large, is left alone with its reason; a missing file loses its record.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	large, folder, missing := filepath.Join(dir, "large"), filepath.Join(dir, "folder"), filepath.Join(dir, "missing")
	for path, size := range map[string]int{large: edit.MaxBytes + 1, filepath.Join(dir, "just"): edit.MaxBytes} {
		if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s := &Setup{Dir: dir, Home: dir, Options: Options{Scope: Project}, files: map[string]*file{}, records: &manifest{Files: map[string]*record{missing: {Made: true}}}}
	for path, want := range map[string]string{large: "larger than", folder: "not a regular file", filepath.Join(dir, "just"): "", missing: ""} {
		f := s.open(path)
		if want == "" && f.err != nil || want != "" && (f.err == nil || !strings.Contains(f.err.Error(), want)) {
			t.Errorf("%s: %v", filepath.Base(path), f.err)
		}
		if f.exists != (filepath.Base(path) == "just") || f.rec != nil || f.mode.Perm()&0o077 != 0 && f.exists {
			t.Errorf("%s: %+v", filepath.Base(path), f)
		}
		if s.open(path) != f {
			t.Errorf("%s is read twice", filepath.Base(path))
		}
	}
	if f := s.open(missing); f.old == nil || f.mode != 0o644 {
		t.Errorf("missing: %+v", f)
	}
	s.Options.Scope = User
	if f := s.open(filepath.Join(dir, "mine")); f.mode != 0o600 {
		t.Errorf("a file of the user's: %v", f.mode)
	}
}
