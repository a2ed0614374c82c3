package unattended

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
)

// LastSession returns the newest attempt in a worktree that had a client's session, and whether an attempt runs there now; the zero Attempt
// when there is none.
func (s *Store) LastSession(ctx context.Context, w worktree.Worktree) (last Attempt, running bool, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		all, err := registry.Collect(tx, scan, selection+`WHERE t.worktree_id = ? ORDER BY t.id`, w.ID)
		for _, a := range all {
			if a.Session != "" {
				last = a
			}
			running = running || a.State == Running && !a.gone()
		}
		return err
	})
	return last, running, err
}
