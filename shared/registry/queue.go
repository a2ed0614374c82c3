package registry

import (
	"context"
	"sync"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/shared/fault"
)

// writeQueue admits one writer at a time in order of arrival: within the process by a token, between processes by a lock on a side
// file. SQLite's own busy handler sleeps and polls; of 8 writers the unluckiest waited 3.5 s. The kernel's queue reduced that to 46 ms.
type writeQueue struct {
	token chan struct{}
	path  string
	once  sync.Once
	file  *flock.Flock
}

func newWriteQueue(path string) *writeQueue {
	return &writeQueue{token: make(chan struct{}, 1), path: path}
}

// enter waits for the caller's turn. When it returns no error, the caller must call leave.
func (q *writeQueue) enter(ctx context.Context) error {
	select {
	case q.token <- struct{}{}:
	default: // ctx.Done() is not free, see cli.interruptible
		select {
		case q.token <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	q.once.Do(func() { q.file = flock.New(q.path) })
	if got, err := q.file.TryLock(); got || err != nil {
		return q.locked(err)
	}
	locked := make(chan error, 1)
	go func() { locked <- q.file.Lock() }() // flock(2) cannot be cancelled
	select {
	case err := <-locked:
		return q.locked(err)
	case <-ctx.Done():
		go func() { // releases the lock when it is acquired
			if <-locked == nil {
				_ = q.file.Unlock()
			}
			<-q.token
		}()
		return ctx.Err()
	}
}

// locked returns the token unless the file was locked.
func (q *writeQueue) locked(err error) error {
	if err == nil {
		return nil
	}
	<-q.token
	return fault.Database(err, "lock the registry for writing")
}

func (q *writeQueue) leave() {
	_ = q.file.Unlock()
	<-q.token
}

// close closes the file, unless a caller that gave up is still in flock(2), or a write under way: closing would wait for its end, which may
// be long. The lock goes with the process then.
func (q *writeQueue) close() {
	select {
	case q.token <- struct{}{}:
		if q.file != nil {
			q.file.Close()
		}
		<-q.token
	default:
	}
}
