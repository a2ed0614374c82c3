package conflict

import (
	"context"
	"sync"

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

// lazyObjects is a throwaway object store that is made when it is first needed.
type lazyObjects struct {
	run   *run
	mu    sync.Mutex
	store *mergetree.ObjectStore
}

func (l *lazyObjects) get(ctx context.Context) (*mergetree.ObjectStore, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.store != nil {
		return l.store, nil
	}
	settings, err := l.run.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	l.store, err = mergetree.New(l.run.scratch, l.run.common.CommonDir, settings.Hash, l.run.common.Alternates...)
	return l.store, err
}

// made returns the store, nil when it was not needed yet.
func (l *lazyObjects) made() *mergetree.ObjectStore {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.store
}

// objects is the folder of the store.
func (l *lazyObjects) objects(ctx context.Context) (string, error) {
	s, err := l.get(ctx)
	if err != nil {
		return "", err
	}
	return s.Objects(), nil
}

func (l *lazyObjects) close() {
	if l.store != nil {
		l.store.Close()
	}
}
