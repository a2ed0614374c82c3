package registry

import "time"

// timeLayout is fixed-width, so that stored times sort as text.
const timeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime gives t as the registry stores it: UTC, RFC 3339, milliseconds.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// ParseTime reads a stored time.
func ParseTime(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) }
