package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Worktree is one line of git's own list of working trees.
type Worktree struct {
	// Name is the folder under .git/worktrees, empty for the main working tree.
	Name string
	// Path is the folder as git has it recorded; it may be gone.
	Path string
	// Head is the commit checked out, Branch the full ref, empty when detached.
	Head, Branch string
	Bare         bool
	Locked       bool
	LockReason   string
	// Prunable is git's reason to forget this worktree.
	Prunable string
}

// Worktrees reads git's list of working trees, the main one first. No process
// is started unless refs are kept in a format of their own.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	main, err := r.Main()
	if err != nil {
		return nil, err
	}
	head, err := main.Head(ctx)
	if err != nil && head.Ref == "" { // a damaged branch is still checked out
		return nil, err
	}
	list := []Worktree{{Path: main.Dir(), Head: head.OID, Branch: head.Ref, Bare: main.Bare}}
	entries, err := os.ReadDir(filepath.Join(r.CommonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Operation(err, "list worktrees of %q", r.CommonDir)
	}
	for _, entry := range entries {
		if w, ok := r.linkedWorktree(ctx, entry.Name()); ok {
			list = append(list, w)
		}
	}
	return list, nil
}

// linkedWorktree reads one entry; like git it skips folders that are not worktrees (one may vanish during the read).
func (r *Repo) linkedWorktree(ctx context.Context, name string) (Worktree, bool) {
	gitDir := filepath.Join(r.CommonDir, "worktrees", name)
	back, err := ReadBackPointer(gitDir)
	if err != nil {
		return Worktree{}, false
	}
	w := Worktree{Name: name, Path: strings.TrimSuffix(back, string(filepath.Separator)+".git")}
	linked := &Repo{GitDir: gitDir, CommonDir: r.CommonDir, WorkTree: w.Path}
	if head, err := linked.Head(ctx); err == nil || head.Ref != "" {
		w.Head, w.Branch = head.OID, head.Ref
	}
	if reason, err := os.ReadFile(filepath.Join(gitDir, "locked")); err == nil {
		w.Locked, w.LockReason = true, strings.TrimSpace(string(reason))
	}
	if _, err := os.Lstat(back); errors.Is(err, fs.ErrNotExist) {
		w.Prunable = "gitdir file points to non-existent location"
	}
	return w, true
}
