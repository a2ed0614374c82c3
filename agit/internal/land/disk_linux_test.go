package land_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry/registrytest"
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
	worktreetest.Must(t, syscall.Statfs(dir, &free))
	worktreetest.Must(t, os.WriteFile(filepath.Join(dir, "filler"), bytes.Repeat([]byte("x"), int(free.Bavail)*int(free.Bsize)-spare), 0o644))
}

func TestDiskFull(t *testing.T) {
	disk := fullDisk(t)
	g := gittest.NewAt(t, filepath.Join(disk, "repo"))
	big := strings.Repeat("0123456789abcdef", 8<<10)
	g.Commit("first", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "big1", big, "big2", big)
	f := worktreetest.Of(t, g, registrytest.Open(t))
	w := f.Spawn(spawn.Request{Task: "x"})
	f.Tree(w).Commit("work", "big1", "changed\n", "big3", big, "big4", big, "big5", big)

	fill(t, disk, 100<<10)
	_, err := f.Spawns.Spawn(context.Background(), spawn.Request{Repo: "app", Task: "y"})
	worktreetest.Contains(t, err, "make worktree", "space")
	if rows := f.Rows(); len(rows) != 1 || f.Branches() != w.Branch+" main" {
		t.Errorf("%v %s", rows, f.Branches())
	}
	f.Sound()

	head := f.Main.Head()
	_, err = f.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
	worktreetest.Contains(t, err, "space")
	f.Clean()
	f.Sound()
	if f.Main.Head() != head || f.Get(w).Status != worktree.Active {
		t.Error("something was changed")
	}

	// The disk fills between the check and the files.
	worktreetest.Must(t, os.Remove(filepath.Join(disk, "filler")))
	f.At("merge:swapped", func() {
		fill(t, disk, 200<<10)
	})
	_, err = f.Landings.Land(context.Background(), land.Request{Worktree: w.Ref})
	worktreetest.Contains(t, err, "did not follow", "agit doctor --fix")
	f.Step = nil
	worktreetest.Must(t, os.Remove(filepath.Join(disk, "filler")))
	f.FixAll()
	if f.Main.Read("big5") != big || f.Get(w).Status != worktree.Completed {
		t.Error("the merge is not whole")
	}
	f.Clean()
	f.Sound()
}

// The folder of the worktrees is on another file system than the repository.
func TestOtherFileSystem(t *testing.T) {
	f := worktreetest.New(t)
	f.Set.Dir = filepath.Join(fullDisk(t), "trees")
	w := f.Spawn(spawn.Request{Task: "x"})
	f.Tree(w).Write("dirty", "d\n")
	out, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, AbandonWork: true})
	if err != nil || !strings.HasPrefix(out.Trash, f.Set.Dir) {
		t.Fatal(out, err)
	}
	f.Sound()
	if _, err := f.Removals.Restore(context.Background(), "", w.Ref); err != nil || f.Tree(w).Read("dirty") != "d\n" {
		t.Error(err)
	}
	f.Sound()
}
