package checkout

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/agit-suite/agit/shared/git"
)

// lockRest is how old a lock must be before it counts as left by a killed git: git holds a ref's lock for milliseconds.
const lockRest = 2 * time.Second

// ClearRefLocks removes the ref locks that the git of a killed operation left behind, which would stop every later git. It looks only at
// locks of the refs that the operation was changing and of the HEADs in gitDirs, and only at those made since it began.
func ClearRefLocks(ctx context.Context, g *git.Repo, since time.Time, refs []string, gitDirs ...string) {
	files := []string{filepath.Join(g.CommonDir, "packed-refs")}
	for _, ref := range refs {
		if ref != "" {
			files = append(files, filepath.Join(g.CommonDir, filepath.FromSlash(ref)))
		}
	}
	for _, dir := range gitDirs {
		files = append(files, filepath.Join(dir, "HEAD"))
	}
	for _, file := range files {
		ClearLock(ctx, file+".lock", since)
	}
}

// ClearOwnLocks removes the ref locks that a git left although it ended well, as on a disk that fails. That git changed these refs, began
// at the time given, and has ended. Locks that another git made since stay.
func ClearOwnLocks(ctx context.Context, g *git.Repo, began time.Time, refs ...string) {
	ended := time.Now()
	for _, ref := range append([]string{"packed-refs"}, refs...) {
		lock := filepath.Join(g.CommonDir, filepath.FromSlash(ref)) + ".lock"
		if info, err := os.Lstat(lock); err == nil && !info.ModTime().After(ended) {
			ClearLock(ctx, lock, began)
		}
	}
}

// ClearWorkLocks removes the locks made since a time that a git killed at work in a checkout left behind: those of the index, of HEAD and
// of the branch that is checked out.
func ClearWorkLocks(ctx context.Context, tree *git.Repo, since time.Time) {
	ClearLock(ctx, filepath.Join(tree.GitDir, "index.lock"), since)
	head, err := tree.Head(ctx)
	if err != nil {
		return
	}
	ClearRefLocks(ctx, tree, since, []string{head.Ref}, tree.GitDir)
}

// ClearLock removes a lock file made since a time, once it is sure that no git is at work under it.
func ClearLock(ctx context.Context, path string, since time.Time) {
	first, err := os.Lstat(path)
	if err != nil || first.ModTime().Before(since.Truncate(time.Second)) {
		return
	}
	if rest := lockRest - time.Since(first.ModTime()); rest > 0 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(rest):
		}
	}
	if now, err := os.Lstat(path); err == nil && os.SameFile(first, now) && now.ModTime().Equal(first.ModTime()) {
		_ = os.Remove(path)
	}
}
