package obstacle

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agit-suite/agit/shared/git"
)

func TestIsRebuildable(t *testing.T) {
	for name, want := range map[string]bool{
		"node_modules/": true, "node_modules/a/b.js": true, "web/node_modules/a.js": true, "cmake-build-debug/cache": true,
		"py/my.egg-info/PKG-INFO": true, "a/b.pyc": true, "a.log": true, "build/": true,
		"build": false, "notes/build": false, ".env": false, "rebuild/x": false, "my.egg-info.d/x": false, "a.pyc.txt": false, "certs/": false,
	} {
		if got := isRebuildable(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// Files that would be lost with a worktree are precious; files that the main working tree has too are not.
func TestPrecious(t *testing.T) {
	main, dir := t.TempDir(), t.TempDir()
	write := func(at, name string, content []byte) {
		path := filepath.Join(at, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(at, name, to string) {
		if err := os.Symlink(to, filepath.Join(at, name)); err != nil {
			t.Skipf("symbolic links cannot be made here: %v", err)
		}
	}
	large := bytes.Repeat([]byte("x"), 200<<10)
	other := slices.Clone(large)
	other[len(other)-1] = 'y' // beyond one read
	write(main, "same", large)
	write(dir, "same", large)
	write(main, "other", large)
	write(dir, "other", other)
	write(main, "shorter", []byte("ab"))
	write(dir, "shorter", []byte("a"))
	write(dir, "only", []byte("a"))
	write(dir, "data/secret", []byte("a"))
	write(dir, "data/node_modules/x", []byte("a"))
	write(dir, "data/z.log", []byte("a"))
	write(dir, "data/same", []byte("a"))
	write(main, "data/same", []byte("a"))
	write(dir, "data/zz", []byte("a"))
	write(dir, "build/x", []byte("a"))
	link(main, "link", "a")
	link(dir, "link", "a")
	link(main, "elsewhere", "a")
	link(dir, "elsewhere", "b")
	link(main, "was file", "same")
	write(dir, "was file", large)
	ignored := []string{"build/", "gone/", "same", "other", "shorter", "only", "data/", "link", "elsewhere", "was file"}

	got := precious(&git.Repo{WorkTree: main}, dir, ignored)
	want := []string{"other", "shorter", "only", "data/secret", "data/zz", "elsewhere", "was file"}
	if !slices.Equal(got, want) {
		t.Errorf("precious are %q, want %q", got, want)
	}
	if got := precious(&git.Repo{WorkTree: main, Bare: true}, dir, []string{"same"}); len(got) != 1 {
		t.Errorf("a bare repository has %q too", got)
	}

	for _, pair := range [][2]string{{"gone", "same"}, {"same", "gone"}} {
		if sameContent(filepath.Join(dir, pair[0]), filepath.Join(dir, pair[1])) {
			t.Errorf("%q cannot be compared, and counts as the same", pair)
		}
	}

	for i := range enough + 20 {
		write(dir, fmt.Sprintf("many/%03d", i), nil)
	}
	if got := precious(&git.Repo{WorkTree: main}, dir, []string{"many/", "only"}); len(got) != enough {
		t.Errorf("%d precious files are listed, want %d", len(got), enough)
	}
}
