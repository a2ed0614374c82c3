package durable_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agit-suite/agit/shared/durable"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func names(t *testing.T, dir string) (found []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}

func TestWriteFileReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	for _, text := range []string{"one", "", "three"} {
		if err := durable.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != text {
			t.Fatalf("%q, want %q", got, text)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Fatalf("left over: %q", got)
	}
}

func TestFileWithoutCommitLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := durable.Create(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "old" || len(names(t, dir)) != 1 {
		t.Fatalf("%q beside %q", got, names(t, dir))
	}
}

func TestCreateNeedsItsFolder(t *testing.T) {
	if _, err := durable.Create(filepath.Join(t.TempDir(), "no", "a"), 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
}

// The next write sweeps what a killed writer left, and keeps a file that is still being written.
func TestLeftoversAreSwept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	dead := filepath.Join(dir, ".a.txt.ABCDEFGHIJ.part")
	other := filepath.Join(dir, ".b.txt.ABCDEFGHIJ.part")
	for _, name := range []string{dead, other} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	live, err := durable.Create(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	if err := durable.WriteFile(path, []byte("second"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 3 {
		t.Fatalf("want the file, the one being written and another file's: %q", got)
	}
	if _, err := live.WriteString("first, later"); err != nil {
		t.Fatal(err)
	}
	if err := live.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "first, later" {
		t.Fatalf("got %q", got)
	}
}

func TestWritersAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 20 {
				text := strings.Repeat(fmt.Sprintf("%d/%d\n", w, i), 500)
				if err := durable.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	lines := strings.Split(strings.TrimSpace(read(t, path)), "\n")
	for _, line := range lines {
		if line != lines[0] || len(lines) != 500 {
			t.Fatalf("torn: %d lines, %q beside %q", len(lines), line, lines[0])
		}
	}
	if got := names(t, dir); len(got) != 1 {
		t.Fatalf("left over: %q", got)
	}
}

func TestWriteFileInStaysInside(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(inside, "link")); err != nil {
		t.Skip(err)
	}
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := durable.WriteFileIn(root, filepath.Join("link", "a"), nil, 0o600); err == nil {
		t.Fatal("wrote through a link that leads out")
	}
	if err := durable.WriteFileIn(root, "b", []byte("b"), 0o600); err != nil || read(t, filepath.Join(inside, "b")) != "b" {
		t.Fatal(err)
	}
	if got := names(t, outside); len(got) != 0 {
		t.Fatalf("outside: %q", got)
	}
}

func TestLongNamesHaveTemporaryOnes(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	if err := durable.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b", "c")
	for range 2 {
		if err := durable.MkdirAll(deep, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := durable.Rename(deep, filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	if err := durable.SyncFolder(filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	if err := durable.Remove(filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	if err := durable.SyncFile(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
}

// In a folder that a group shares, what is made for everyone is shared too; what is private, or lies where everyone can write, is not.
func TestSharedFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are of Unix")
	}
	for _, tc := range []struct{ around, mode, want fs.FileMode }{
		{0o775, 0o755, 0o775},
		{0o775 | fs.ModeSetgid, 0o755, 0o775 | fs.ModeSetgid},
		{0o775, 0o700, 0o700},
		{0o755, 0o755, 0o755},
		{0o777 | fs.ModeSticky, 0o755, 0o755},
	} {
		dir := t.TempDir()
		if err := os.Chmod(dir, tc.around); err != nil {
			t.Fatal(err)
		}
		if err := durable.MkdirAll(filepath.Join(dir, "a", "b"), tc.mode); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "a/b"} {
			info, err := os.Stat(filepath.Join(dir, name))
			if got := info.Mode() & (fs.ModePerm | fs.ModeSetgid); err != nil || got&^0o022 != tc.want&^0o022 || got&0o020 != tc.want&0o020 {
				t.Errorf("%v in %v: %s is %v, %v", tc.mode, tc.around, name, got, err)
			}
		}
	}
}

func TestCommitNewLetsOneWin(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	var won, lost atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			f, err := durable.Create(path, 0o600)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			switch err := f.CommitNew(); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, fs.ErrExist):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || lost.Load() != 7 || len(names(t, dir)) != 1 {
		t.Errorf("%d won, %d lost, %q", won.Load(), lost.Load(), names(t, dir))
	}
}
