package memory

import (
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Expiry parses the time from which a memory is no longer shown: a date, RFC 3339, or a duration from now, in Go's form or in days (30d).
// Empty returns nil: never.
func Expiry(given string, now time.Time) (*timestamp.Time, error) {
	if given == "" {
		return nil, nil
	}
	if days, ok := strings.CutSuffix(given, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n < 100_000 {
			return &timestamp.Time{Time: now.AddDate(0, 0, n)}, nil
		}
	}
	if d, err := time.ParseDuration(given); err == nil && d > 0 {
		return &timestamp.Time{Time: now.Add(d)}, nil
	}
	if at, ok := moment(given); ok {
		return &timestamp.Time{Time: at}, nil
	}
	return nil, fault.Validation("expires", "%q is not a time", given).WithHint("give a date such as 2027-01-31, RFC 3339, or a duration such as 30d or 12h")
}

// NewExpiry parses the expiry of an update: like Expiry, or "never", which returns the zero time. Empty returns nil, which leaves the
// expiry as it was.
func NewExpiry(given string, now time.Time) (*timestamp.Time, error) {
	if given == "never" {
		return &timestamp.Time{}, nil
	}
	return Expiry(given, now)
}

// NotedAt parses the time at which a memory was noted: a date or RFC 3339. Empty returns the zero time, which stands for now.
func NotedAt(given string) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	if at, ok := moment(given); ok {
		return at, nil
	}
	return time.Time{}, fault.Validation("at", "%q is not a time", given).WithHint("give a date such as 2027-01-31, or RFC 3339")
}

func moment(given string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, given); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
