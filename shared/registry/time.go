package registry

import (
	"time"

	"github.com/agit-suite/agit/shared/timestamp"
)

// FormatTime returns t as the registry stores it: UTC, RFC 3339, milliseconds. It is
// fixed-width, so that stored times sort as text.
func FormatTime(t time.Time) string { return timestamp.Format(t) }
