package registry

import (
	"time"

	"github.com/agit-suite/agit/shared/jsontime"
)

// FormatTime returns t as the registry stores it: UTC, RFC 3339, milliseconds. It is
// fixed-width, so that stored times sort as text.
func FormatTime(t time.Time) string { return jsontime.Format(t) }

// ParseTime reads a stored time.
func ParseTime(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) }
