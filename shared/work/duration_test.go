package work_test

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/work"
)

func TestDurations(t *testing.T) {
	for written, want := range map[string]time.Duration{
		"": 0, "30m": 30 * time.Minute, "4m 30s": 270 * time.Second, "1h": time.Hour, "2d": 48 * time.Hour, "1w": 7 * 24 * time.Hour,
		"1.5H": 90 * time.Minute, "1h30m": 90 * time.Minute,
	} {
		if got, err := work.ParseDuration("x", written); got != want || err != nil {
			t.Errorf("%q is %s, %v; want %s", written, got, err, want)
		}
	}
	for _, written := range []string{"30", "m", "-1m", "1y", "1m!", "999999999d", "1..5h", "½h"} {
		if got, err := work.ParseDuration("x", written); err == nil {
			t.Errorf("%q is %s", written, got)
		}
	}
}

func FuzzDuration(f *testing.F) {
	f.Add("4m 30s")
	f.Add("1.5h2d")
	f.Fuzz(func(t *testing.T, s string) {
		d, err := work.ParseDuration("x", s)
		if err != nil {
			return
		}
		again, err := work.ParseDuration("x", work.FormatDuration(d))
		if err != nil || again != d {
			t.Errorf("%q is %s, written as %q, read as %s, %v", s, d, work.FormatDuration(d), again, err)
		}
	})
}
