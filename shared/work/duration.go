package work

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// Units of a written duration. A day is one of a calendar, not of an office.
var units = []struct {
	letter byte
	length time.Duration
}{{'w', 7 * 24 * time.Hour}, {'d', 24 * time.Hour}, {'h', time.Hour}, {'m', time.Minute}, {'s', time.Second}}

// ParseDuration reads "4m 30s", "1h", "2d", "1.5h": numbers with a unit, added
// up, in whole seconds: less than one counts as one, and "" is 0. field names the parameter in the error.
func ParseDuration(field, s string) (time.Duration, error) {
	bad := func() error {
		return fault.Validation(field, "%q is not a duration", s).WithHint("write it like 30m, 4m 30s, 1h or 2d")
	}
	rest := strings.ToLower(strings.ReplaceAll(s, " ", ""))
	var total float64
	for rest != "" {
		end := strings.IndexFunc(rest, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if end < 1 {
			return 0, bad()
		}
		n, err := strconv.ParseFloat(rest[:end], 64)
		if err != nil {
			return 0, bad()
		}
		length := time.Duration(0)
		for _, u := range units {
			if rest[end] == u.letter {
				length = u.length
			}
		}
		if length == 0 {
			return 0, bad()
		}
		total += n * length.Seconds()
		rest = rest[end+1:]
	}
	if total > math.MaxInt32 {
		return 0, bad()
	}
	if total > 0 {
		total = math.Max(total, 1) // more than zero does not round to zero
	}
	return time.Duration(math.Round(total)) * time.Second, nil
}

// FormatDuration writes a duration for ParseDuration, in whole seconds and without weeks; "" for 0.
func FormatDuration(d time.Duration) string {
	d = d.Round(time.Second)
	var parts []string
	for _, u := range units[1:] {
		if n := d / u.length; n > 0 {
			parts = append(parts, strconv.FormatInt(int64(n), 10)+string(u.letter))
			d -= n * u.length
		}
	}
	return strings.Join(parts, " ")
}
