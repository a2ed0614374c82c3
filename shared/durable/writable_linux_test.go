package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agit-suite/agit/shared/durable"
)

// Writable checks the permissions of the user that the process acts as. The test runs as root and becomes another user, on a thread that
// ends with the test.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kept"), nil, 0o444); err != nil {
		t.Fatal(err)
	}
	shut := filepath.Join(dir, "shut")
	if err := os.Mkdir(shut, 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		for _, folder := range []string{dir, filepath.Dir(dir)} {
			if err := os.Chmod(folder, 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if os.Getuid() == 0 {
			const nobody = 65534
			if _, _, err := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), nobody, ^uintptr(0)); err != 0 {
				t.Logf("root stays root: %v", err)
				return
			}
		}
		for path, want := range map[string]error{dir: nil, shut: fs.ErrPermission, filepath.Join(dir, "kept"): fs.ErrPermission, filepath.Join(dir, "none"): fs.ErrNotExist} {
			if err := durable.Writable(path); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", path, err, want)
			}
		}
	}()
	<-done
}
