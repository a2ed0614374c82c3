package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Where the file system has no links, a new file takes a free place, and only that.
func TestPutNewWithoutLinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	noLinks := putNew(func(*os.Root, string, string) error { return errors.ErrUnsupported })
	for _, c := range []struct {
		text string
		want error
	}{{"first", nil}, {"second", fs.ErrExist}} {
		f, err := Create(path, 0o640)
		if err == nil {
			_, err = f.WriteString(c.text)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.commit(noLinks); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.text, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile(path)
	if left, _ := os.ReadDir(filepath.Dir(path)); err != nil || string(text) != "first" || len(left) != 1 {
		t.Errorf("%q, %v, %v", text, err, left)
	}
}
