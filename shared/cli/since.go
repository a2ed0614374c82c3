package cli

import (
	"time"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
)

// Since reads the value of --since: a date of the local calendar, or how long ago, such as 7d. "" is the zero time.
func Since(given string, now time.Time) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, given, time.Local); err == nil {
		return day, nil
	}
	back, err := config.ParseDuration(given)
	if err != nil {
		return time.Time{}, fault.Validation("since", "--since: %q is neither a date nor a duration", given).WithHint("write it like 2026-11-01, 24h or 7d")
	}
	return now.Add(-back), nil
}
