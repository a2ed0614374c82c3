package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// undoSpawn takes back what a spawn that failed with cause has made so far. It
// may be repeated, and runs as well for a process that was killed.
func (s *Store) undoSpawn(ctx context.Context, g *git.Repo, w Worktree, cause error) error {
	if err := discardFolder(g, w); err != nil {
		return err
	}
	if !branchWasThere(cause, w.Branch) {
		if err := takeBackBranch(ctx, g, w); err != nil {
			return err
		}
	}
	return s.db.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		_, err := tx.Exec(`DELETE FROM worktrees WHERE id = ? AND status = 'creating'`, w.ID)
		return err
	})
}

// discardFolder removes the folder and git's entry of a worktree that was never
// handed out. Both are renamed first, so that they vanish at once: a git that
// outlived its killed agit may still write there.
func discardFolder(g *git.Repo, w Worktree) error {
	for _, entry := range entriesFor(g, w.Path) {
		if err := discardEntry(g, entry); err != nil {
			return fault.Operation(err, "take back git's entry for %q", w.Path)
		}
	}
	_ = os.Remove(filepath.Join(g.CommonDir, "worktrees")) // git keeps no empty one
	if _, err := os.Lstat(w.Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	aside := filepath.Join(filepath.Dir(w.Path), ".undone-"+w.Ref)
	if err := os.Rename(w.Path, aside); err != nil {
		return fault.Operation(err, "take back folder %q", w.Path)
	}
	if err := removeAll(aside); err != nil {
		return fault.Operation(err, "take back folder %q", aside)
	}
	_ = os.Remove(filepath.Dir(w.Path)) // only when it was the first
	return nil
}

func discardEntry(g *git.Repo, entry string) error {
	dir := filepath.Join(g.CommonDir, "agit", "undone")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	aside := filepath.Join(dir, filepath.Base(entry))
	if err := removeAll(aside); err != nil { // of an earlier try
		return err
	}
	if err := os.Rename(entry, aside); err != nil {
		return err
	}
	if err := removeAll(aside); err != nil {
		return err
	}
	_ = os.Remove(dir)
	return nil
}

// removeAll removes a folder that somebody may be writing into: a file made
// after its folder was listed is met by the next try.
func removeAll(dir string) (err error) {
	const tries = 10
	for range tries {
		if err = os.RemoveAll(dir); !errors.Is(err, syscall.ENOTEMPTY) {
			return err
		}
	}
	return err
}

// entriesFor returns git's folders for a worktree at path: the one that points
// there, and one that a killed `git worktree add` had not yet made point.
func entriesFor(g *git.Repo, path string) []string {
	root := filepath.Join(g.CommonDir, "worktrees")
	list, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	var found []string
	for _, entry := range list {
		dir := filepath.Join(root, entry.Name())
		back, err := git.ReadBackPointer(dir)
		if err != nil && entry.Name() == filepath.Base(path) || err == nil && back == filepath.Join(path, ".git") {
			found = append(found, dir)
		}
	}
	return found
}

// takeBackBranch deletes the branch of a failed spawn, if it is still where
// that made it.
func takeBackBranch(ctx context.Context, g *git.Repo, w Worktree) error {
	oid, err := g.Resolve(ctx, "refs/heads/"+w.Branch)
	if err != nil || oid != w.Base {
		return err
	}
	if _, err := g.Run(ctx, "update-ref", "-d", "refs/heads/"+w.Branch, w.Base); err != nil {
		return git.Fault(err, "take back branch %q", w.Branch)
	}
	return nil
}
