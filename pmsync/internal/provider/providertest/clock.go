package providertest

import (
	"context"
	"sync"
	"time"
)

// Clock is a clock that advances only when someone waits, so that an hour of rate limits takes no real time. Client and server share
// one. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Start is the time at which tests begin: some minutes before European clocks are set back.
var Start = time.Date(2026, 10, 24, 21, 50, 0, 0, time.UTC)

// NewClock returns a clock that is set to a time.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance advances the clock by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(d, 0))
}

// Wait advances the clock by d, or returns ctx's error.
func (c *Clock) Wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.Advance(d)
	return nil
}
