package registry

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
)

// A registry closes while a writer that gave up is still in the kernel's queue.
func TestCloseBesideAWaitingWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agit.db.lock")
	other := flock.New(path)
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	q := newWriteQueue(path)
	q.close() // nothing was written yet
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.enter(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	q.close() // ends beside the lock that the other one holds
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := q.enter(t.Context()); err != nil { // waits for the one that gave up
		t.Fatal(err)
	}
	q.leave()
	q.close()
}
