package land

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
)

// WithoutMergeTree is for tests of the way that a git before 2.38 goes.
var WithoutMergeTree = &withoutMergeTree

// WhatCameOf is what the process of a landing finds that another one took along, and whose
// outcome had not been told when its row was read.
func (s *Store) WhatCameOf(ctx context.Context, r repo.Repo, w worktree.Worktree, landing, host int64) (*Merged, error) {
	m := &merging{Store: s, r: r, w: w, landing: landing}
	o, err := m.taken(ctx, Landing{ID: landing, State: Landed, batch: host})
	if o == nil {
		return nil, err
	}
	return o.Merged, err
}
