package obstacle

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agit-suite/agit/shared/git"
)

// The content of a folder that cannot be read is unknown, so it counts as precious.
func TestPreciousUnreadable(t *testing.T) {
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil { // root reads everything
		t.Skipf("rights cannot be dropped here: %v", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"data/closed", "data/build", "secret"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(path, 0o755) })
	}
	got := precious(&git.Repo{WorkTree: t.TempDir()}, dir, []string{"data/", "secret/", "gone/"})
	if want := []string{"data/closed/", "secret/"}; !slices.Equal(got, want) {
		t.Errorf("precious are %q, want %q", got, want)
	}
}
