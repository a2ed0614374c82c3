package providertest

import (
	"context"
	"sync"
	"time"
)

// Clock is a time that passes only when it is waited for, so that an hour of
// rate limits takes no time. Client and server share one. It is safe for
// concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Start is the time at which tests begin: some minutes before the night in which
// clocks go back in Europe.
var Start = time.Date(2026, 10, 24, 21, 50, 0, 0, time.UTC)

// NewClock returns a clock that shows the time.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance lets d pass.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(d, 0))
}

// Wait lets d pass, or returns ctx's error.
func (c *Clock) Wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.Advance(d)
	return nil
}
