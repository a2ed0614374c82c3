package worktree

import (
	"context"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/git"
)

// forget takes a worktree off the lists whose folder was deleted by hand. What
// git kept of it goes to the trash; its branch stays, for what is on it cannot
// be judged without the folder, unless nothing was ever committed.
func (s *Store) forget(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) (out Removal, err error) {
	set := s.settings(r)
	p := &proof{}
	if entries := entriesFor(g, w.Path); len(entries) == 1 {
		tree := &git.Repo{GitDir: entries[0], CommonDir: g.CommonDir, WorkTree: w.Path}
		if p.head, err = tree.Head(ctx); err != nil {
			return out, err
		}
		p.entry = filepath.Base(entries[0])
	}
	oid, err := g.Resolve(ctx, "refs/heads/"+w.Branch)
	if err != nil {
		return out, err
	}
	targets, err := defaultTips(ctx, g, set.DefaultBranch)
	if err != nil {
		return out, err
	}
	if oid == w.Base {
		p.branchOID = oid
	} else if oid != "" {
		merged, err := mergedInto(ctx, g, oid, targets)
		if err != nil {
			return out, err
		}
		if merged {
			p.branchOID = oid
		}
	}
	return s.remove(ctx, g, r, w, p, set, removal{after: Trashed})
}
