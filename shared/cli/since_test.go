package cli_test

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
)

func TestSince(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
	for given, want := range map[string]time.Time{
		"":           {},
		"2026-11-01": time.Date(2026, 11, 1, 0, 0, 0, 0, time.Local),
		"24h":        now.Add(-24 * time.Hour),
		"7d":         now.Add(-7 * 24 * time.Hour),
		"0":          now,

		"2026-11-01T12:00:00Z":      time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		"2026-11-01T12:00:00+02:00": time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC),
	} {
		if got, err := cli.Since(given, now); err != nil || !got.Equal(want) {
			t.Errorf("Since(%q) = %v, %v, not %v", given, got, err, want)
		}
	}
	for _, given := range []string{"yesterday", "2026-13-01", "7"} {
		if got, err := cli.Since(given, now); !fault.Is(err, fault.KindValidation) || !got.IsZero() {
			t.Errorf("Since(%q) = %v, %v, not an error", given, got, err)
		}
	}
	want := `--at: "yesterday" is not a time, a date or a duration; write it like 2026-11-01T12:00:00Z, 2026-11-01, 24h or 7d`
	if _, err := cli.Past("at", "yesterday", now); err == nil || err.Error() != want {
		t.Errorf("Past(yesterday): %v, not %s", err, want)
	}
}
