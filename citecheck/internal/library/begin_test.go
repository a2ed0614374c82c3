package library

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
)

func TestBegin(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		memory, cites string
		kind          fault.Kind
		file          string
	}{
		"a first memory":        {"notes", "src.go", "", "notes.md"},
		"a line":                {"notes", "src.go:1", "", "notes.md"},
		"in a folder":           {"testing/foo", "src.go", "", "testing/foo.md"},
		"named as a file":       {"notes.md", "src.go", "", "notes.md"},
		"what it cites is gone": {"notes", "none.go", fault.KindNotFound, ""},
		"it leads out":          {"../../x", "src.go", fault.KindValidation, ""},
		"hidden":                {".x", "src.go", fault.KindValidation, ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "src.go"), []byte("package x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Begin(dir, First{test.memory, test.cites})
		if test.kind != "" {
			if _, made := os.Lstat(filepath.Join(dir, ".serena")); !fault.Is(err, test.kind) || made == nil {
				t.Errorf("%s: %v, and the folder is there: %v", name, err, made == nil)
			}
			continue
		}
		got, readErr := os.ReadFile(filepath.Join(dir, filepath.FromSlash(Usual), test.file))
		if err != nil || readErr != nil || string(got)[:2] != "# " {
			t.Errorf("%s: %v, %v, %q", name, err, readErr, got)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(Usual), test.file), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Begin(dir, First{test.memory, test.cites}); err != nil {
			t.Errorf("%s, again: %v", name, err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(Usual), test.file)); string(got) != "mine" {
			t.Errorf("%s: what was there is %q now", name, got)
		}
	}
}

// A symbolic link in a clone cannot place the folder outside the project.
func TestBeginStaysInside(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "src.go"), []byte("package x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, ".serena")); err != nil {
		t.Skip("no links here")
	}
	if err := Begin(dir, First{"notes", "src.go"}); err == nil {
		t.Error("it was made")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("it made %v outside", left)
	}
}
