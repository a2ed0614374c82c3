package conflict

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
)

// KnownUses returns what the last scan found that git merges and that may break. of keeps the findings of one worktree, by its ref or
// folder, and file those of one path as git has it; "" keeps all. It looks at no worktree.
func (s *Store) KnownUses(ctx context.Context, repoID int64, of, file string) ([]Use, error) {
	if repoID == 0 {
		return nil, nil // a branch that no worktree has
	}
	r, list, err := s.load(ctx, repoID)
	if err != nil {
		return nil, err
	}
	return s.engine().knownUses(ctx, r, list, of, file)
}

func (e *Engine) knownUses(ctx context.Context, repo Repo, list []Worktree, of, file string) ([]Use, error) {
	last, err := e.lastReport(ctx, repo)
	if err != nil || last == nil {
		return nil, err
	}
	ref := of
	for _, w := range list {
		if w.Ref == of || of != "" && checkout.SameFolder(w.Path, of) {
			ref = w.Ref
		}
	}
	var found []Use
	for _, c := range last.Conflicts {
		for _, u := range c.Uses {
			if of != "" && u.By != ref && u.ChangedBy != ref || file != "" && u.File != display(file) && u.ChangedFile != display(file) {
				continue
			}
			found = including(found, u)
		}
	}
	return found, nil
}
