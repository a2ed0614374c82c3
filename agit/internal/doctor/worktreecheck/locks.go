package worktreecheck

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/term"
)

// Ages at which a lock of git's is reported. Git holds the lock of an index as long as the editor is open in which a person writes
// the message of a commit, and the lock of a ref for milliseconds.
const (
	indexPatience = 10 * time.Minute
	refPatience   = 10 * time.Second
)

// locked reports locks that stop git in the repository or in one of its worktrees. Those of refs are removed by a fix. Whether a
// git or an editor still holds the lock of an index is not known for sure, so that a person removes it.
func (c *visit) locked(ctx context.Context, rows []worktree.Worktree) {
	refs := []string{filepath.Join(c.g.CommonDir, "packed-refs.lock")}
	_ = filepath.WalkDir(filepath.Join(c.g.CommonDir, "refs"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".lock") {
			refs = append(refs, path)
		}
		return nil // what cannot be read is reported as damage
	})
	trees := map[string]string{} // by the lock of the branch checked out there: the worktree
	look := func(ref string, tree *git.Repo) {
		c.indexLock(ref, tree)
		c.refLock(ref, tree.Dir(), filepath.Join(tree.GitDir, "HEAD.lock"))
		if head, err := tree.Head(ctx); err == nil && head.Ref != "" {
			trees[filepath.Join(tree.CommonDir, filepath.FromSlash(head.Ref))+".lock"] = ref
		}
	}
	look("", c.g)
	for _, w := range rows {
		if tree, err := git.Find(w.Path); err == nil && w.Operation() == "" && tree.CommonDir == c.g.CommonDir && tree.Linked() {
			look(w.Ref, tree)
		}
	}
	for _, lock := range refs {
		c.refLock(trees[lock], c.g.Dir(), lock)
	}
}

func (c *visit) indexLock(ref string, tree *git.Repo) {
	path := filepath.Join(tree.GitDir, "index.lock")
	if at, old := older(path, indexPatience); old {
		c.report(Locked, ref, "remove that file once no git, nor an editor that git opened, runs there", nil,
			"git in %q is stopped by the lock %q, which a git left %s ago, or holds since", tree.Dir(), path, term.Since(at, time.Now()))
	}
}

func (c *visit) refLock(ref, dir, path string) {
	at, old := older(path, refPatience)
	if !old {
		return
	}
	if at, writes := older(strings.TrimSuffix(path, ".lock")+".new", 0); writes && time.Since(at) < refPatience {
		return // git packs many refs, and is at it
	}
	c.report(Locked, ref, "remove that lock", func(ctx context.Context) error {
		checkout.ClearLock(ctx, path, time.Time{})
		return nil
	}, "git in %q is stopped by the lock %q, which a git left %s ago", dir, path, term.Since(at, time.Now()))
}

// older returns when a file was written, if that is at least an age ago.
func older(path string, age time.Duration) (time.Time, bool) {
	info, err := os.Lstat(path)
	if err != nil || time.Since(info.ModTime()) < age {
		return time.Time{}, false
	}
	return info.ModTime(), true
}
