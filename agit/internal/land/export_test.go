package land

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
)

// WithoutMergeTree makes tests merge as a git before 2.38 does.
var WithoutMergeTree = &withoutMergeTree

// WhatCameOf returns the outcome that a landing's process finds when another process took the landing along, and the outcome was still
// missing when its row was read: what landed, or why it did not. known is false while there is none.
func (s *Store) WhatCameOf(ctx context.Context, r repo.Repo, w worktree.Worktree, landing, host int64) (landed *Merged, why string, known bool, err error) {
	m := &merging{Store: s, r: r, w: w, landing: landing, target: "main"}
	o, err := m.taken(ctx, Landing{ID: landing, WorktreeID: w.ID, State: Landed, batch: host})
	if o == nil {
		return nil, "", false, err
	}
	return o.Merged, o.Reason, true, err
}
