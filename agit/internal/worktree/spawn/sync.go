package spawn

import (
	"context"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/git"
)

// syncSpawned makes a new worktree survive a power cut: its files, git's entry of it, its branch, the default branch it starts from, and
// the objects these need.
func (s *Store) syncSpawned(ctx context.Context, g *git.Repo, r repo.Repo, w worktree.Worktree) error {
	base := "refs/heads/" + s.Trees.Settings(r).DefaultBranch
	tree, err := git.Find(w.Path)
	if err != nil {
		return err
	}
	return s.Trees.SyncWithObjects(ctx, g, w, durable.Below(w.Path), []string{filepath.Dir(w.Path)},
		durable.Below(tree.GitDir), durable.Above(g.CommonDir, tree.GitDir),
		g.RefFiles("refs/heads/"+w.Branch, base))
}
