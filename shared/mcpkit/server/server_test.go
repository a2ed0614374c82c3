package server

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/config"
)

// A working agent sends three heartbeats within the time after which it counts as gone.
func TestBeat(t *testing.T) {
	for _, tc := range []struct{ stale, release, want time.Duration }{
		{5 * time.Minute, 2 * time.Hour, 100 * time.Second},
		{5 * time.Minute, time.Minute, 20 * time.Second},
		{5 * time.Minute, 0, 100 * time.Second}, // claims are never released
		{time.Second, 0, time.Second},
	} {
		b := &Base{Config: &config.Config{Agent: config.Agent{StaleAfter: tc.stale, ReleaseAfter: tc.release}}}
		if got := b.Beat(); got != tc.want {
			t.Errorf("stale after %v, released after %v: %v, want %v", tc.stale, tc.release, got, tc.want)
		}
	}
}
