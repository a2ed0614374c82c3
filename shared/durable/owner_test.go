//go:build unix

package durable

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func owner(t *testing.T, path string) [2]uint32 {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	s := info.Sys().(*syscall.Stat_t)
	return [2]uint32{s.Uid, s.Gid}
}

// TestOwnersStay: a file that root rewrites keeps its owner and gets the requested mode.
func TestOwnersStay(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 1234, 1235); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(path, []byte("new"), 0o640); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || owner(t, path) != [2]uint32{1234, 1235} || info.Mode().Perm() != 0o640 {
		t.Errorf("it belongs to %v, with %v, %v", owner(t, path), info.Mode(), err)
	}
	fresh := filepath.Join(dir, "b")
	if err := WriteFile(fresh, nil, 0o600); err != nil || owner(t, fresh) != [2]uint32{0, uint32(os.Getegid())} {
		t.Errorf("a new file belongs to %v, %v", owner(t, fresh), err)
	}
}

// TestAdopt: a file or folder that root makes gets the owner of its folder, except links and files with another name.
func TestAdopt(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 1234, 1235); err != nil {
		t.Skip(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	file, folder, link, twice := filepath.Join(dir, "file"), filepath.Join(dir, "folder"), filepath.Join(dir, "link"), filepath.Join(dir, "twice")
	for _, err := range []error{os.WriteFile(file, nil, 0o600), os.WriteFile(other, nil, 0o600), os.Mkdir(folder, 0o700), os.Symlink(other, link), os.Link(other, twice)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{file, folder, link, twice, filepath.Join(dir, "missing")} {
		Adopt(path)
	}
	inner := filepath.Join(dir, "made", "inner")
	if err := MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]uint32{inner: 1234, filepath.Dir(inner): 1234, file: 1234, folder: 1234, link: 0, twice: 0, other: 0} {
		if got := owner(t, path); got[0] != want {
			t.Errorf("%s belongs to %v, not to %d", filepath.Base(path), got, want)
		}
	}
}

// A folder that is shared stays closed to others as the umask has it, and is not shared with a group that cannot write around it.
func TestSharedFoldersOfOtherGroups(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	defer syscall.Umask(syscall.Umask(0o027))
	for gid, want := range map[int]os.FileMode{os.Getegid(): 0o770, 1235: 0o750} {
		dir := t.TempDir()
		if err := os.Chown(dir, -1, gid); err != nil {
			t.Skip(err)
		}
		if err := os.Chmod(dir, 0o775); err != nil {
			t.Fatal(err)
		}
		fresh := filepath.Join(dir, "a")
		if err := os.Mkdir(fresh, 0o755); err != nil {
			t.Fatal(err)
		}
		share(dir, fresh, 0o755)
		if info, err := os.Stat(fresh); err != nil || info.Mode().Perm() != want {
			t.Errorf("in a folder of group %d: %v, %v, want %v", gid, info.Mode(), err, want)
		}
	}
}
