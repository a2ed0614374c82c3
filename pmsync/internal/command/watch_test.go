package command

import (
	"testing"
	"time"
)

// TestPause: by day a round comes within the time that was given; at night, after some
// that brought nothing, rarely, and never more often than was asked for.
func TestPause(t *testing.T) {
	day, night, early := time.Date(2026, 11, 24, 14, 0, 0, 0, time.Local), time.Date(2026, 11, 24, 23, 0, 0, 0, time.Local), time.Date(2026, 11, 24, 5, 59, 0, 0, time.Local)
	for _, c := range []struct {
		every  time.Duration
		quiet  int
		at     time.Time
		random float64
		want   time.Duration
	}{
		{time.Minute, 0, day, 0, time.Minute}, {time.Minute, 0, day, 1, 54 * time.Second}, {time.Minute, 500, day, 0.5, 57 * time.Second},
		{time.Minute, 10, night, 0, time.Minute}, {time.Minute, 11, night, 0, 2 * time.Minute}, {time.Minute, 12, early, 0, 4 * time.Minute},
		{time.Minute, 500, night, 0, 15 * time.Minute}, {time.Minute, 500, night.Add(7 * time.Hour), 0, time.Minute}, {time.Hour, 500, night, 0, time.Hour},
	} {
		if got := pause(c.every, c.quiet, c.at, c.random); got != c.want {
			t.Errorf("every %s, after %d quiet rounds, at %s: %s, not %s", c.every, c.quiet, c.at.Format(time.TimeOnly), got, c.want)
		}
	}
}
