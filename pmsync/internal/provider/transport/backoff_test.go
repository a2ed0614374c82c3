package transport

import (
	"testing"
	"time"
)

// Pauses grow to half a minute, whatever the number of the attempt.
func TestBackoff(t *testing.T) {
	for attempt, most := range map[int]time.Duration{0: 500 * time.Millisecond, 1: 500 * time.Millisecond, 2: time.Second, 6: 16 * time.Second, 7: 30 * time.Second, 1000: 30 * time.Second} {
		for range 50 {
			if d := backoff(attempt); d < most/2 || d > most {
				t.Errorf("before attempt %d: %s, want %s to %s", attempt+1, d, most/2, most)
			}
		}
	}
}
