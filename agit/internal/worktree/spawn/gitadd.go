package spawn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/userhook"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// build lets git make the worktree and fills it.
func (m *spawning) build(ctx context.Context) error {
	g, w := m.g, m.w
	if err := m.Trees.Reach("spawn:planned"); err != nil {
		return err
	}
	if err := checkout.Hide(ctx, g, m.dir); err != nil {
		return err
	}
	if err := durable.MkdirAll(m.dir, 0o755); err != nil {
		return fault.Operation(err, "create the folder of the worktrees").WithHint("check that %q can be written", filepath.Dir(m.dir))
	}
	if err := add(ctx, g, w, m.existing, m.Trees.Notice); err != nil {
		return err
	}
	if err := m.Trees.Reach("spawn:added"); err != nil {
		return err
	}
	if err := m.Trees.Inclusion(g, m.r, m.set, m.base).Copy(ctx, w.Path, m.Trees.Notice); err != nil {
		return err
	}
	if err := m.syncSpawned(ctx, g, m.r, w); err != nil { // before the hooks, whose files can be made again
		return err
	}
	if err := userhook.Run(ctx, m.Trees.Hooks("post_spawn", m.set.PostSpawn, m.set, w.Path, w)); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(w.Path, ".gitmodules")); err == nil {
		m.Trees.Notice(fmt.Sprintf("worktree %s has submodules, which git leaves empty in a new worktree; `git submodule update --init` there fills them", w.Ref))
	}
	if hooks := checkout.LackingHooks(g, w.Path); hooks != "" {
		m.Trees.Notice(fmt.Sprintf("git runs no hooks in worktree %s, which lacks their folder %q (core.hooksPath); %s", w.Ref, hooks, checkout.HooksHint))
	}
	return m.Trees.Reach("spawn:built")
}

// add runs `git worktree add`, on a new branch or, with existing, on the branch that exists. Several at once can disturb each other: git
// reads the entries of all worktrees, and fails on one that is being written.
func add(ctx context.Context, g *git.Repo, w worktree.Worktree, existing bool, notice func(string)) error {
	defer checkout.Slow(notice, func() string { return "waiting for git to make worktree " + w.Ref + ", its hooks included" })()
	const tries = 10
	args := []string{"worktree", "add", "--quiet", "--no-track", "-b", w.Branch, "--", w.Path, w.Base}
	if existing {
		args = []string{"worktree", "add", "--quiet", "--", w.Path, w.Branch}
	}
	for try := 1; ; try++ {
		_, err := g.Run(ctx, args...)
		if err == nil {
			return unlockNew(g, w)
		}
		if whole(ctx, g, w) {
			notice(fmt.Sprintf("worktree %s was made, and the hook post-checkout failed in it: %v", w.Ref, err))
			return unlockNew(g, w)
		}
		if try == tries || !strings.Contains(checkout.Stderr(err), "failed to read") || ctx.Err() != nil {
			return addFault(err, w)
		}
		if err := checkout.Discard(g, w.Ref, w.Path); err != nil {
			return err
		}
		if existing {
			continue
		}
		if err := takeBackBranch(ctx, g, w); err != nil {
			return err
		}
	}
}

// whole reports whether a worktree is complete although git failed: git runs the hook post-checkout after everything else.
func whole(ctx context.Context, g *git.Repo, w worktree.Worktree) bool {
	tree, err := checkout.Open(g, w.Path)
	if err != nil {
		return false
	}
	head, err := tree.Head(ctx)
	if err != nil || head.Branch() != w.Branch || head.OID != w.Base {
		return false
	}
	entries, err := tree.Status(ctx, "--untracked-files=no")
	return err == nil && len(entries) == 0
}

// unlockNew removes the lock that git keeps on a worktree while it makes it, where git could not.
func unlockNew(g *git.Repo, w worktree.Worktree) error {
	for _, entry := range checkout.Entries(g, w.Path) {
		if err := os.Remove(filepath.Join(entry, "locked")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Operation(err, "unlock worktree %q", w.Path)
		}
	}
	return nil
}

// addFault returns the fault for a failed `git worktree add`. Refusals that could not be foreseen get words of our own; all others keep
// git's.
func addFault(err error, w worktree.Worktree) error {
	f, said := git.Fault(err, "make worktree %q", w.Path), checkout.Stderr(err)
	switch {
	case branchWasThere(err, w.Branch):
		f.Kind, f.Message, f.Err = fault.KindConflict, fmt.Sprintf("branch %q exists already", w.Branch), nil
		return takenError{f.WithHint("choose another branch, or leave it out to have one made")}
	case strings.Contains(said, "cannot lock ref") && strings.Contains(said, "exists; cannot create"):
		f.Kind, f.Message, f.Err = fault.KindConflict, fmt.Sprintf("branch %q cannot be made beside a branch that is the beginning of its name", w.Branch), nil
		return f.WithHint("choose another branch, or set worktree.branch_prefix to something no branch is named")
	}
	return f
}

// branchWasThere reports whether git refused because another process made the branch since it was looked for.
func branchWasThere(err error, branch string) bool {
	_, taken := errors.AsType[takenError](err)
	return taken || strings.Contains(checkout.Stderr(err), "a branch named '"+branch+"' already exists")
}
