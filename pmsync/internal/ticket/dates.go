package ticket

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// numeric is a date of three numbers with the year last.
var numeric = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(\d{1,2})([/.])(\d{1,2})[/.](\d{4}|\d{2})\b`) })

// dayFirst reports whether the dates of a file put the day before the month, by the first date that can be read one way only: 23/04/2026 is
// day first, and so is every date with dots. known is false when there are dates that differ by the order, and none decides it.
func dayFirst(records []record) (first, known bool) {
	seen, differ := false, false
	for _, r := range records {
		for _, field := range []string{"due", "target", "created", "updated", "completed", "canceled", "archived"} {
			for _, value := range r.fields[field] {
				m := numeric().FindStringSubmatch(value)
				if m == nil {
					continue
				}
				a, _ := strconv.Atoi(m[1])
				b, _ := strconv.Atoi(m[3])
				switch {
				case m[2] == "." || a > 12:
					return true, true
				case b > 12:
					return false, true
				}
				seen, differ = true, differ || a != b
			}
		}
	}
	return false, !seen || !differ
}

// dayMonth turns a numeric date with the day first into one with the month first, as timeLayouts read it.
func dayMonth(given string) string {
	m := numeric().FindStringSubmatch(given)
	if m == nil {
		return given
	}
	return m[3] + "/" + m[1] + "/" + m[4] + strings.TrimSpace(given)[len(strings.TrimSpace(m[0])):]
}

// timeLayouts are the forms of times in exports.
var timeLayouts = []string{
	time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04:05.000-0700", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006/01/02", "2006/01/02 15:04:05",
	"02/Jan/06 3:04 PM", "02/Jan/2006 3:04 PM", "2/Jan/06", "Jan 2, 2006", "2 Jan 2006", "01/02/2006 15:04:05", "1/2/2006 3:04:05 PM", "1/2/2006 3:04 PM", "1/2/2006 15:04", "1/2/2006",
	"Mon Jan 2 2006 15:04:05 GMT-0700", "Mon Jan 02 2006", time.RFC1123Z, time.RFC1123, time.UnixDate,
}

// parseTime reads a time in one of the forms of exports, in UTC.
func parseTime(given string) (time.Time, bool) {
	at, ok := parseZoned(given)
	return at.UTC(), ok
}

// parseZoned reads a time in the zone that it is written in.
func parseZoned(given string) (time.Time, bool) {
	given = strings.TrimSpace(given)
	if at := strings.Index(given, " ("); at > 0 && strings.HasSuffix(given, ")") && strings.Contains(given, "GMT") {
		given = given[:at] // without the zone name that JavaScript appends
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, given); err == nil && at.Year() > 1900 && at.Year() < 3000 {
			return at, true
		}
	}
	return time.Time{}, false
}

// date checks a day as a person writes it. From a time it takes the written day, whatever the day in UTC is.
func date(given string) (string, error) {
	if given == "" {
		return "", nil
	}
	at, ok := parseZoned(given)
	if !ok {
		return "", fault.Validation("due_date", "%q is not a date", given).WithHint("give it as %s", time.DateOnly)
	}
	return at.Format(time.DateOnly), nil
}
