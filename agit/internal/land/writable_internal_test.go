package land

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agit-suite/agit/shared/git"
)

// Folders in which files would be made or removed must be writable; a folder that does not exist yet is made in the one above.
func TestShutFolders(t *testing.T) {
	t.Parallel()
	state := map[string]error{"/top": nil, "/top/open": nil, "/top/shut": fs.ErrPermission, "/top/shut/in": nil, "/top/file": fs.ErrNotExist, "/top/file/deep": syscall.ENOTDIR}
	writable := func(path string) error {
		err, there := state[filepath.ToSlash(path)]
		if !there {
			return fs.ErrNotExist
		}
		return err
	}
	for paths, want := range map[string]string{
		"a":                    "",
		"open/a":               "",
		"open/new/deep/a":      "",
		"shut/a":               "shut",
		"shut/a shut/b":        "shut",
		"shut/new/a":           "shut",
		"shut/in/a":            "",
		"file/a file/deep/a":   "",
		"a open/b shut/in/new": "",
	} {
		var changes []git.RawChange
		for _, p := range strings.Fields(paths) {
			var c git.RawChange
			c.Path = p
			changes = append(changes, c)
		}
		if got := strings.Join(shutFolders("/top", changes, writable), " "); got != want {
			t.Errorf("%s: %q, want %q", paths, got, want)
		}
	}
}

// A link in the place of the checkout's own folder leads to the folder that must be writable.
func TestShutFoldersThroughALink(t *testing.T) {
	t.Parallel()
	top, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(top, link); err != nil {
		t.Skip(err)
	}
	shut := func(path string) error { return cmp.Or(writableFolder(path), fs.ErrPermission) }
	var change git.RawChange
	change.Path = "a"
	if got := shutFolders(link, []git.RawChange{change}, shut); !slices.Equal(got, []string{"."}) {
		t.Errorf("%q", got)
	}
}

func TestParseFilters(t *testing.T) {
	t.Parallel()
	got := parseFilters([]string{"a", "filter", "lfs", "b", "filter", "unspecified", "c", "filter", "unset", "d e", "filter", "crypt"})
	if strings.Join(got, "|") != "a|d e" {
		t.Errorf("%q", got)
	}
}

func FuzzParseFilters(f *testing.F) {
	f.Add("a\x00filter\x00lfs")
	f.Fuzz(func(t *testing.T, out string) {
		if got := parseFilters(strings.Split(out, "\x00")); len(got) > len(out)/3+1 {
			t.Errorf("%d paths of %q", len(got), out)
		}
	})
}
