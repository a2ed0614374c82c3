package conflict

import (
	"context"
	"sync"

	"github.com/agit-suite/agit/agit/internal/conflict/trial"
)

// lazyStore is a throwaway store that is made when it is first needed.
type lazyStore struct {
	run   *run
	mu    sync.Mutex
	store *trial.Store
}

func (l *lazyStore) get(ctx context.Context) (*trial.Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.store != nil {
		return l.store, nil
	}
	settings, err := l.run.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	l.store, err = trial.New(l.run.scratch, l.run.common.CommonDir, settings.Hash)
	return l.store, err
}

// objects is get for package scan.
func (l *lazyStore) objects() (string, error) {
	s, err := l.get(context.Background())
	if err != nil {
		return "", err
	}
	return s.Objects(), nil
}

func (l *lazyStore) close() {
	if l.store != nil {
		l.store.Close()
	}
}
