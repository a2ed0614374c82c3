package land

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
)

// WithoutMergeTree makes tests merge as a git before 2.38 does.
var WithoutMergeTree = &withoutMergeTree

// WhatCameOf returns the outcome that a landing's process finds when another process took the landing along, and the outcome was still
// missing when its row was read.
func (s *Store) WhatCameOf(ctx context.Context, r repo.Repo, w worktree.Worktree, landing, host int64) (*Merged, error) {
	m := &merging{Store: s, r: r, w: w, landing: landing}
	o, err := m.taken(ctx, Landing{ID: landing, State: Landed, batch: host})
	if o == nil {
		return nil, err
	}
	return o.Merged, err
}
