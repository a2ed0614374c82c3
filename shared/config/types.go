package config

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// Secret is a string that shows itself nowhere but through Reveal.
type Secret string

const masked = "********"

// Reveal returns the secret itself, for the one place that sends it.
func (s Secret) Reveal() string { return string(s) }

// String masks the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// GoString masks the secret in %#v.
func (s Secret) GoString() string { return strconv.Quote(s.String()) }

// MarshalText masks the secret in JSON and other encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue masks the secret in logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Size is a number of bytes, written as 512MB or as a plain number.
type Size int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"B", 1}}

// ParseSize reads a size such as 512MB, 2GB or 1048576. Units are powers of 1024.
func ParseSize(text string) (Size, error) {
	number, unit := strings.ToUpper(strings.TrimSpace(text)), int64(1)
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is not a size; write it like 512MB", text)
	}
	return Size(n * unit), nil
}

// String writes the size with the largest unit that keeps it whole.
func (s Size) String() string {
	for _, u := range sizeUnits[:3] {
		if s != 0 && int64(s)%u.bytes == 0 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// ParsePast reads a parameter, whose name is shown in the fault, as a time in the past: RFC 3339, a date of the local calendar, or how long
// before now, such as 7d. "" is the zero time.
func ParsePast(name, shown, given string, now time.Time) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, given); err == nil {
		return at, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, given, time.Local); err == nil {
		return day, nil
	}
	back, err := ParseDuration(given)
	if err != nil {
		return time.Time{}, fault.Validation(name, "%s: %q is not a time, a date or a duration", shown, given).
			WithHint("write it like 2026-11-01T12:00:00Z, 2026-11-01, 24h or 7d")
	}
	return now.Add(-back), nil
}

// maxDuration bounds durations to ten years, a range for which calendars work.
const maxDuration = 10 * 366 * 24 * time.Hour

// ParseDuration reads a duration such as 90s, 5m, 2h30m, 7d or 2w. It is never
// negative and at most ten years; 0 needs no unit.
func ParseDuration(text string) (time.Duration, error) {
	wrong := func() (time.Duration, error) {
		return 0, fmt.Errorf("%q is not a duration; write it like 90s, 5m, 2h or 7d", text)
	}
	rest := strings.TrimSpace(text)
	if rest == "0" {
		return 0, nil
	}
	if rest == "" {
		return wrong()
	}
	var total float64
	for rest != "" {
		digits := strings.TrimLeft(rest, "0123456789.")
		number := rest[:len(rest)-len(digits)]
		letters := strings.TrimLeft(digits, "abcdefghijklmnopqrstuvwxyz")
		unit, ok := durationUnits[digits[:len(digits)-len(letters)]]
		n, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil {
			return wrong()
		}
		total += n * float64(unit)
		rest = letters
	}
	if total > float64(maxDuration) {
		return 0, fmt.Errorf("%q is longer than ten years", text)
	}
	return time.Duration(total), nil
}

var durationUnits = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
}

// FormatDuration writes a duration the way ParseDuration reads it, with as few
// units as it needs: 5m, 2h, 7d, 1d12h.
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	var b strings.Builder
	for _, u := range []struct {
		name string
		unit time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}} {
		if n := d / u.unit; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			d -= n * u.unit
		}
	}
	return b.String()
}
