package term

import (
	"fmt"
	"time"
)

// Ago returns how long before now t was, for people, in one unit.
func Ago(t, now time.Time) string {
	if t.IsZero() {
		return "never"
	}
	if d := Since(t, now); d != "now" {
		return d + " ago"
	}
	return "just now"
}

// Since returns how long ago t was, in one short unit: "now" for less than a minute, "6m", "3h", "2d".
func Since(t, now time.Time) string {
	d := max(0, now.Sub(t))
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}
