package land

import (
	"context"
	"fmt"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
)

// takeTurn waits until no other process merges in the repository; end lets the next
// one in. The lock ends with its process. takeTurn first completes or undoes a killed
// merge, whose lock on the index would stand in the way.
func (m *merging) takeTurn(ctx context.Context) (end func(), err error) {
	lock, err := checkout.LockFile(m.g, "merge.lock")
	if err != nil {
		return nil, err
	}
	waited := false
	const pause = 10 * time.Millisecond
	if got, err := lock.TryLock(); err == nil && !got {
		waited = true
		done := checkout.Slow(m.Trees.Notice, func() string {
			return fmt.Sprintf("waiting for another process that moves a branch of repository %q", m.r.Name)
		})
		defer done()
		if _, err = lock.TryLockContext(ctx, pause); err != nil {
			lock.Close()
			return nil, err
		}
	} else if err != nil {
		lock.Close()
		return nil, fault.Operation(err, "take the lock for merges into %q", m.r.Path).WithHint("check that %q can be written", m.g.CommonDir)
	}
	if waited {
		if _, err := m.Trees.Recovered(ctx, m.r); err != nil {
			lock.Close()
			return nil, err
		}
	}
	return func() { lock.Close() }, nil
}
