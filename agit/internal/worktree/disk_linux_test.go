package worktree

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// fullDisk is a small file system; making one needs the rights of root.
func fullDisk(t *testing.T) string {
	t.Helper()
	dir := gittest.TempDir(t)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill leaves about spare bytes.
func fill(t *testing.T, dir string, spare int) {
	t.Helper()
	var free syscall.Statfs_t
	must(t, syscall.Statfs(dir, &free))
	must(t, os.WriteFile(filepath.Join(dir, "filler"), bytes.Repeat([]byte("x"), int(free.Bavail)*int(free.Bsize)-spare), 0o644))
}

func TestDiskFull(t *testing.T) {
	disk := fullDisk(t)
	g := gittest.NewAt(t, filepath.Join(disk, "repo"))
	big := strings.Repeat("0123456789abcdef", 8<<10)
	g.Commit("first", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "big1", big, "big2", big)
	f := setUpWith(t, g)
	w := f.spawn(Spawn{Task: "x"})
	f.tree(w).Commit("work", "big1", "changed\n", "big3", big, "big4", big, "big5", big)

	fill(t, disk, 100<<10)
	_, err := f.Spawn(context.Background(), Spawn{Repo: "app", Task: "y"})
	contains(t, err, "make worktree", "space")
	if rows := f.rows(); len(rows) != 1 || f.branches() != w.Branch+" main" {
		t.Errorf("%v %s", rows, f.branches())
	}
	f.sound()

	head := f.main.Head()
	_, err = f.Merge(context.Background(), Merge{Worktree: w.Ref})
	contains(t, err, "space")
	f.clean()
	f.sound()
	if f.main.Head() != head || f.get(w).Status != Active {
		t.Error("something was changed")
	}

	// The disk fills between the check and the files.
	must(t, os.Remove(filepath.Join(disk, "filler")))
	failpoint = func(name string) error {
		if name == "merge:swapped" {
			fill(t, disk, 200<<10)
		}
		return nil
	}
	t.Cleanup(func() { failpoint = nil })
	_, err = f.Merge(context.Background(), Merge{Worktree: w.Ref})
	contains(t, err, "did not follow", "agit doctor --fix")
	failpoint = nil
	must(t, os.Remove(filepath.Join(disk, "filler")))
	f.fixAll()
	if f.main.Read("big5") != big || f.get(w).Status != Completed {
		t.Error("the merge is not whole")
	}
	f.clean()
	f.sound()
}

// The folder of the worktrees is on another file system than the repository.
func TestOtherFileSystem(t *testing.T) {
	f := setUp(t)
	f.set.Dir = filepath.Join(fullDisk(t), "trees")
	w := f.spawn(Spawn{Task: "x"})
	f.tree(w).Write("dirty", "d\n")
	out, err := f.Remove(context.Background(), Remove{Worktree: w.Ref, AbandonWork: true})
	if err != nil || !strings.HasPrefix(out.Trash, f.set.Dir) {
		t.Fatal(out, err)
	}
	f.sound()
	if _, err := f.Restore(context.Background(), "", w.Ref); err != nil || f.tree(w).Read("dirty") != "d\n" {
		t.Error(err)
	}
	f.sound()
}
