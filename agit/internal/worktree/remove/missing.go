package remove

import (
	"context"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/git"
)

// Forget takes a worktree whose folder was deleted by hand off the lists. Git's entry of it goes to the trash. Its branch stays unless
// nothing was ever committed, because its commits cannot be judged without the folder.
func (s *Store) Forget(ctx context.Context, of obstacle.Subject) (out Removal, err error) {
	p := &obstacle.Proof{Subject: of}
	g, w := of.Git, of.Worktree
	if entries := checkout.Entries(g, w.Path); len(entries) == 1 {
		tree := &git.Repo{GitDir: entries[0], CommonDir: g.CommonDir, WorkTree: w.Path}
		if p.Head, err = tree.Head(ctx); err != nil {
			return out, err
		}
		p.Entry = filepath.Base(entries[0])
	}
	tip, merged, err := s.wasMerged(ctx, g, of.Repo, w)
	if err != nil {
		return out, err
	}
	if merged || tip == w.Base {
		p.BranchOID = tip
	}
	return s.RemoveProved(ctx, p, Ending{After: worktree.Trashed})
}
