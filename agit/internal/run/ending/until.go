package ending

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/text"
)

var (
	atUnix   = text.Pattern{Expr: `\b(1[0-9]{9})\b`}
	atISO    = text.Pattern{Expr: `\b20[0-9]{2}-[01][0-9]-[0-3][0-9]t[0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?(?:z|[+-][0-2][0-9]:?[0-5][0-9])`}
	within   = text.Pattern{Expr: `(?:\bin|\bafter|retry.?after"?:?|retrydelay"?:?|\bwait|resets_in_seconds"?:?)\s*"?(?:((?:[0-9]+(?:\.[0-9]+)?\s*(?:w(?:eeks?)?|d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b[\s,]*(?:and\s+)?)+)|([0-9]+(?:\.[0-9]+)?)[ \t]*(?:\.?\s*$|\.\s|[^a-z0-9 \t.]))`}
	part     = text.Pattern{Expr: `([0-9]+(?:\.[0-9]+)?)\s*([wdhms]?)`}
	onDate   = text.Pattern{Expr: `\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? ([0-9]{1,2})(?:st|nd|rd|th)?,?(?: (20[0-9]{2}))?,?(?: at)? ([0-9]{1,2})(?::([0-5][0-9]))? ?(am|pm)?`}
	atClock  = text.Pattern{Expr: `(?:resets?|again|until|available)(?: (?:at|on))? ([0-9]{1,2})(?::([0-5][0-9]))? ?(am|pm)\b|(?:resets?|again|until|available) at ([0-9]{1,2}):([0-5][0-9])\b`}
	zone     = text.Pattern{Expr: `\(([A-Z][A-Za-z_]+(?:/[A-Za-z_+-]+)*)\)`}
	monthsOf = map[string]time.Month{"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12}
)

// FindTime finds in a client's text when a limit is lifted: a Unix time in seconds, RFC 3339, a span ("in 2 days 3 hours", "retry after
// 30"), a date, or an hour of the day ("resets 3pm"). An hour means its next occurrence in the zone that the text names in parentheses,
// otherwise in now's zone. found is false when the text has no time.
func FindTime(said string, now time.Time) (at time.Time, found bool) {
	where := now.Location()
	if m := zone.Regexp().FindStringSubmatch(said); m != nil {
		if l, err := time.LoadLocation(m[1]); err == nil {
			where = l
		}
	}
	said = strings.ToLower(said)
	if m := atISO.Regexp().FindString(said); m != "" {
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700"} {
			if at, err := time.Parse(layout, strings.ToUpper(m)); err == nil {
				return at, true
			}
		}
	}
	if m := atUnix.Regexp().FindStringSubmatch(said); m != nil {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		return time.Unix(n, 0).In(now.Location()), true
	}
	if m := onDate.Regexp().FindStringSubmatch(said); m != nil {
		return date(m, now.In(where))
	}
	if m := atClock.Regexp().FindStringSubmatch(said); m != nil {
		hour, ok := hourOf(m[1]+m[4], m[3])
		minute, _ := strconv.Atoi("0" + m[2] + m[5])
		if !ok {
			return at, false
		}
		n := now.In(where)
		at = time.Date(n.Year(), n.Month(), n.Day(), hour, minute, 0, 0, where)
		if !at.After(n) {
			at = time.Date(n.Year(), n.Month(), n.Day()+1, hour, minute, 0, 0, where)
		}
		return at, true
	}
	if m := within.Regexp().FindStringSubmatch(said); m != nil {
		if span := spanOf(m[1] + m[2]); span > 0 {
			return now.Add(span), true
		}
	}
	return at, false
}

func date(m []string, now time.Time) (at time.Time, found bool) {
	hour, ok := hourOf(m[4], m[6])
	if !ok {
		return at, false
	}
	day, _ := strconv.Atoi(m[2])
	minute, _ := strconv.Atoi("0" + m[5])
	year, _ := strconv.Atoi("0" + m[3])
	given := year != 0
	if !given {
		year = now.Year()
	}
	at = time.Date(year, monthsOf[m[1]], day, hour, minute, 0, 0, now.Location())
	if !given && at.Before(now) {
		at = time.Date(year+1, monthsOf[m[1]], day, hour, minute, 0, 0, now.Location())
	}
	return at, true
}

// hourOf parses an hour of the day on a 24-hour clock, or on a 12-hour clock with half; ok is false for an invalid hour.
func hourOf(digits, half string) (hour int, ok bool) {
	hour, err := strconv.Atoi(digits)
	switch {
	case err != nil || hour > 23 || half != "" && (hour < 1 || hour > 12):
		return 0, false
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
	}
	return hour, true
}

// spanOf adds up "2 days 3 hours"; a number without a unit means seconds.
func spanOf(words string) (span time.Duration) {
	for _, m := range part.Regexp().FindAllStringSubmatch(words, -1) {
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil || n > 1e6 {
			return 0
		}
		unit := map[string]time.Duration{"w": 7 * 24 * time.Hour, "d": 24 * time.Hour, "h": time.Hour, "m": time.Minute}[m[2]]
		span += time.Duration(n * float64(cmp.Or(unit, time.Second)))
	}
	return span
}
