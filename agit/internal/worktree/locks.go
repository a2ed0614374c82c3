package worktree

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/agit-suite/agit/shared/git"
)

// lockRest is how old a lock must be before it passes for one that a killed git
// left: git holds a ref's lock for milliseconds.
const lockRest = 2 * time.Second

// clearLocks removes the ref locks that the git of a killed operation left
// behind, which would stop every later git. Only locks of what the operation
// was changing are looked at, and only those made since it began.
func clearLocks(ctx context.Context, g *git.Repo, w Worktree, j journal, t Trash) {
	refs := []string{"refs/heads/" + w.Branch, j.Target}
	if t.Ref != "" {
		refs = append(refs, t.Ref+"/head", t.Ref+"/branch", t.Ref+"/work")
	}
	files := []string{filepath.Join(g.CommonDir, "packed-refs")}
	for _, ref := range refs {
		if ref != "" {
			files = append(files, filepath.Join(g.CommonDir, filepath.FromSlash(ref)))
		}
	}
	for _, tree := range j.Trees {
		files = append(files, filepath.Join(tree.GitDir, "HEAD"))
	}
	for _, file := range files {
		clearLock(ctx, file+".lock", w.intent.at)
	}
}

func clearLock(ctx context.Context, path string, since time.Time) {
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
