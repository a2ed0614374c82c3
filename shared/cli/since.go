package cli

import (
	"time"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
)

// Since reads the value of --since, as Past does.
func Since(given string, now time.Time) (time.Time, error) { return Past("since", given, now) }

// Past reads a flag's value as a time in the past: RFC 3339, a date of the local calendar, or how long ago, such as 7d. "" is the
// zero time.
func Past(flag, given string, now time.Time) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, given); err == nil {
		return at, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, given, time.Local); err == nil {
		return day, nil
	}
	back, err := config.ParseDuration(given)
	if err != nil {
		return time.Time{}, fault.Validation(flag, "--%s: %q is not a time, a date or a duration", flag, given).
			WithHint("write it like 2026-11-01T12:00:00Z, 2026-11-01, 24h or 7d")
	}
	return now.Add(-back), nil
}
