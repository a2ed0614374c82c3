package worktreecheck

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/term"
)

// lockPatience is how old a lock of git's is before it is told of: git holds one for moments, or as long as an editor is open.
const lockPatience = 10 * time.Minute

// locked reports locks that stop every git in the repository or in one of its worktrees. Whether a git still holds one is not
// known for sure, so that a person removes it.
func (c *visit) locked(ctx context.Context, rows []worktree.Worktree) {
	c.lock("", c.g.Dir(), filepath.Join(c.g.CommonDir, "packed-refs.lock"))
	c.lockedTree(ctx, "", c.g)
	for _, w := range rows {
		if tree, err := git.Find(w.Path); err == nil && w.Operation() == "" && tree.CommonDir == c.g.CommonDir && tree.Linked() {
			c.lockedTree(ctx, w.Ref, tree)
		}
	}
}

func (c *visit) lockedTree(ctx context.Context, ref string, tree *git.Repo) {
	locks := []string{filepath.Join(tree.GitDir, "index.lock"), filepath.Join(tree.GitDir, "HEAD.lock")}
	if head, err := tree.Head(ctx); err == nil && head.Ref != "" {
		locks = append(locks, filepath.Join(tree.CommonDir, filepath.FromSlash(head.Ref))+".lock")
	}
	for _, lock := range locks {
		c.lock(ref, tree.Dir(), lock)
	}
}

func (c *visit) lock(ref, dir, path string) {
	info, err := os.Lstat(path)
	if err != nil || time.Since(info.ModTime()) < lockPatience {
		return
	}
	c.report(Locked, ref, "remove that file once no git, nor an editor that git opened, runs there", nil,
		"git in %q is stopped by the lock %q, which a git left %s ago, or holds since", dir, path, term.Since(info.ModTime(), time.Now()))
}
