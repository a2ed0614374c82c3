package testfolder

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	want := filepath.Join(os.TempDir(), fmt.Sprintf("agit-test-%d", os.Getuid()))
	got := folder()
	if got == "" {
		t.Skip("this file system does not mark folders")
	}
	if again := folder(); got != want || again != want {
		t.Errorf("the folder is %s, then %s, not %s", got, again, want)
	}
	if env := Environment([]string{"A=b"}); len(env) != 2 || env[1] != "TMPDIR="+want {
		t.Errorf("the environment is %q", env)
	}
	opened, err := os.Open(want)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if flags, err := unix.IoctlGetUint32(int(opened.Fd()), unix.FS_IOC_GETFLAGS); err != nil || flags&topOfTree == 0 {
		t.Errorf("its flags are %#x, %v", flags, err)
	}
	if info, err := opened.Stat(); err != nil || info.Mode().Perm()&0o077 != 0o011 { // tests become other users
		t.Errorf("its mode is %s, %v", info.Mode(), err)
	}
}

func TestFolderOfOthers(t *testing.T) {
	for title, inPlace := range map[string]func(name string) error{
		"a file": func(name string) error { return os.WriteFile(name, nil, 0o600) },
		"a link": func(name string) error { return os.Symlink(t.TempDir(), name) },
	} {
		t.Setenv("TMPDIR", t.TempDir())
		if err := inPlace(filepath.Join(os.TempDir(), fmt.Sprintf("agit-test-%d", os.Getuid()))); err != nil {
			t.Fatal(err)
		}
		if got := folder(); got != "" {
			t.Errorf("%s is taken for the folder: %s", title, got)
		}
		if env := Environment([]string{"A=b"}); len(env) != 1 {
			t.Errorf("the environment is %q beside %s", env, title)
		}
	}
	if os.Getuid() != 0 {
		return
	}
	t.Setenv("TMPDIR", t.TempDir())
	other := filepath.Join(os.TempDir(), "agit-test-0")
	if err := os.Mkdir(other, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(other, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if got := folder(); got != "" {
		t.Errorf("the folder of another user is taken: %s", got)
	}
}
