package review

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// Between opens the difference between two worktrees of the same repository: between the commits that they show for review, else those of
// their branches. It leaves out uncommitted changes.
func (s *Store) Between(ctx context.Context, repoName, from, to string) (*Diff, error) {
	var repos [2]repo.Repo
	var trees [2]worktree.Worktree
	var shown [2]string
	err := s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		for i, ref := range []string{from, to} {
			if repos[i], trees[i], err = s.Trees.Find(tx, repoName, ref, false); err != nil {
				return err
			}
			if shown[i], err = shownOf(tx, trees[i].ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if trees[0].RepoID != trees[1].RepoID {
		return nil, fault.Validation("worktree", "worktrees %q and %q are of two repositories", trees[0].Ref, trees[1].Ref).WithHint("compare two of one")
	}
	main, err := repos[0].Open()
	if err != nil {
		return nil, err
	}
	for i, w := range trees {
		if shown[i] != "" {
			continue
		}
		if !w.Status.Live() {
			return nil, worktree.Conflictf(w, "worktree %q was removed", w.Ref).WithHint("`agit undo %s` brings it back", w.Ref)
		}
		if shown[i], err = main.Resolve(ctx, "refs/heads/"+w.Branch); err != nil {
			return nil, git.Fault(err, "read branch %q", w.Branch)
		}
	}
	return &Diff{Worktree: trees[1], Base: shown[0], of: shown[1], to: shown[1], tree: main}, nil
}
