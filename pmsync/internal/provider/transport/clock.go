package transport

import (
	"context"
	"time"
)

// Clock is the time and the waiting of a client. Tests wait in no time.
type Clock interface {
	Now() time.Time
	// Wait returns after d, or with ctx's error when that ends first.
	Wait(ctx context.Context, d time.Duration) error
}

// System is the clock of the machine.
type System struct{}

// Now returns the time.
func (System) Now() time.Time { return time.Now() }

// Wait returns after d, or with ctx's error when that ends first.
func (System) Wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
