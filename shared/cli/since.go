package cli

import (
	"time"

	"github.com/agit-suite/agit/shared/config"
)

// Since reads the value of --since, as Past does.
func Since(given string, now time.Time) (time.Time, error) { return Past("since", given, now) }

// Past reads a flag's value as config.ParsePast does.
func Past(flag, given string, now time.Time) (time.Time, error) {
	return config.ParsePast(flag, "--"+flag, given, now)
}
