package conflict

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
)

// makeCommits makes commits of states in this run's store, unless they exist already.
func (c *comparison) makeCommits(ctx context.Context, states []*state) error {
	var todo []*state
	var commits []mergetree.Commit
	for _, s := range states {
		if s.imported {
			continue
		}
		s.imported = true
		if !s.dirty() {
			s.Commit = s.Snap.Commits[0]
			continue
		}
		todo = append(todo, s)
	}
	if len(todo) == 0 {
		return nil
	}
	store, err := c.store.get(ctx)
	if err != nil {
		return err
	}
	for _, s := range todo {
		if err := s.clean(ctx, store); err != nil {
			return err
		}
		commit := s.toCommit()
		for i := range commit.Files {
			commit.Files[i].Opaque = commit.Files[i].Opaque && !c.whole
		}
		commits = append(commits, commit)
	}
	oids, moved, err := store.Import(ctx, commits)
	if err != nil {
		return err
	}
	for i, s := range todo {
		s.Commit = oids[i]
		if len(moved) > 0 {
			s.moved(moved)
		}
	}
	return nil
}
