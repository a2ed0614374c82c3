package conflict

import (
	"context"
	"sync"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
)

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
