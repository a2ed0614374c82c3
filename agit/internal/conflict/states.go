package conflict

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/shared/git"
)

// States are the states of a repository's worktrees as commits, uncommitted work included. The commits are in a throwaway object
// store that borrows from the repository. Close them.
type States struct {
	Target  string // commit of the default branch
	List    []State
	Skipped []Skipped   // worktrees that could not be read
	Git     git.Options // makes git, in the repository, find the commits and write new objects to their store

	store *lazyObjects
	trial *mergetree.ObjectStore
}

// State is a worktree as it is now.
type State struct {
	Worktree
	Commit      string   // commit of the state; its parent is HEAD when something is uncommitted
	Head        string   // "" before the first commit
	Uncommitted int      // files
	Files       []string // files that differ from the merge base with the default branch
}

// Objects is the folder of the store.
func (s *States) Objects() string { return s.trial.Objects() }

// Close removes the store.
func (s *States) Close() { s.store.close() }

// States returns the states of the worktrees of the repository with row id repoID that someone may be working in, without branches of
// remotes and other clones. The repository is only read.
func (s *Store) States(ctx context.Context, repoID int64) (*States, error) {
	r, list, err := s.load(ctx, repoID)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(w Worktree) bool { return w.Commit != "" || w.CloneName != "" })
	return s.engine().states(ctx, r, list)
}

func (e *Engine) states(ctx context.Context, repo Repo, worktrees []Worktree) (out *States, err error) {
	r, m, err := e.begin(ctx, repo, worktrees)
	if err != nil {
		return nil, err
	}
	defer m.give()
	if r.target, err = r.defaultTip(ctx); err != nil {
		return nil, err
	}
	states, skipped, err := r.states(ctx, worktrees)
	if err != nil {
		return nil, err
	}
	c := newComparison(r, states)
	c.whole = true
	defer func() {
		if err != nil {
			c.store.close()
		}
	}()
	if err := c.readStates(ctx); err != nil {
		return nil, err
	}
	if err := c.makeCommits(ctx, c.states); err != nil {
		return nil, err
	}
	objects, err := c.store.get(ctx)
	if err != nil {
		return nil, err
	}
	out = &States{Target: r.target, Skipped: append(skipped, c.skipped...), store: c.store, trial: objects,
		Git: git.Options{Env: []string{"GIT_OBJECT_DIRECTORY=" + objects.Objects()}}}
	for _, s := range c.states {
		one := State{Worktree: s.worktree, Commit: s.Commit, Head: s.head(), Uncommitted: s.uncommitted()}
		for _, e := range s.touches() {
			one.Files = append(one.Files, e.Path)
		}
		out.List = append(out.List, one)
	}
	return out, nil
}
