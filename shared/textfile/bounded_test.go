package textfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
)

// A file of exactly the limit's size is read; one byte more is refused with the file's name.
func TestReadAtMost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "plan")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadAtMost(path, "plan", 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	for name, c := range map[string]struct {
		path string
		most int64
		kind fault.Kind
	}{"too large": {path, 4, fault.KindValidation}, "not there": {path + "x", 5, fault.KindNotFound}, "a folder": {dir, 5, fault.KindOperation}} {
		if data, err := ReadAtMost(c.path, "plan", c.most); !fault.Is(err, c.kind) || data != nil {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}
