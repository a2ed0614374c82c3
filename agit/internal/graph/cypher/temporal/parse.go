package temporal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// The accepted text forms: extended or basic, with calendar days, weeks, quarters or days of the year. Each matches a whole text.
var (
	dateForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:([+-]\d{1,9})|(\d{4}))(?:-(\d{2})(?:-(\d{2}))?|-?W(\d{2})(?:-?(\d))?|-?Q(\d)(?:-?(\d{2}))?|-(\d{3})|(\d{2})(\d{2})?|(\d{3}))?$`)
	})
	timeForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?(Z|z|[+-][\d:]+)?(?:\[([^\]]+)\])?$`)
	})
	durationForm = sync.OnceValue(func() *regexp.Regexp {
		const n = `(?:([+-]?\d+(?:[.,]\d+)?)`
		return regexp.MustCompile(`^([+-])?P` + n + `Y)?` + n + `M)?` + n + `W)?` + n + `D)?(T` + n + `H)?` + n + `M)?` + n + `S)?)?$`)
	})
	writtenForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^P(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2}(?:[.,]\d{1,9})?)$`)
	})
)

func unreadable(s, what string) error { return fmt.Errorf("%q is not a %s", s, what) }

func parseDate(s string) (Value, error) {
	d, err := parseDay(s)
	return wrap(Date{d}, err)
}

func parseDay(s string) (int64, error) {
	m := dateForm().FindStringSubmatch(s)
	if m == nil || m[1] != "" && (m[10] != "" || m[12] != "") {
		return 0, unreadable(s, "date")
	}
	fields := map[string]any{}
	for key, groups := range map[string][]int{
		"year": {1, 2}, "month": {3, 10}, "day": {4, 11}, "week": {5}, "dayOfWeek": {6}, "quarter": {7}, "dayOfQuarter": {8}, "ordinalDay": {9, 12},
	} {
		for _, group := range groups {
			if m[group] != "" {
				n, err := strconv.ParseInt(m[group], 10, 64)
				if err != nil {
					return 0, unreadable(s, "date")
				}
				fields[key] = n
			}
		}
	}
	g := &given{fields: fields}
	d := g.date(nil)
	if g.err != nil {
		return 0, fmt.Errorf("%q is not a date: %w", s, g.err)
	}
	return d, nil
}

// clockText is a parsed time with its zone, if it has one.
type clockText struct {
	nano   int64
	offset *int64
	zone   string
}

func parseClock(s string) (c clockText, err error) {
	m := timeForm().FindStringSubmatch(s)
	if m == nil {
		return c, unreadable(s, "time")
	}
	for i, most := range []int64{23, 59, 59} {
		if m[i+1] == "" {
			continue
		}
		n, err := strconv.ParseInt(m[i+1], 10, 64)
		if err != nil || n > most {
			return c, unreadable(s, "time")
		}
		c.nano += n * []int64{hour, minute, second}[i]
	}
	if m[4] != "" {
		n, err := strconv.ParseInt((m[4] + "00000000")[:9], 10, 64)
		if err != nil {
			return c, unreadable(s, "time")
		}
		c.nano += n
	}
	if m[5] != "" {
		offset, ok := parseOffset(m[5])
		if !ok {
			return c, unreadable(s, "time: its offset cannot be read")
		}
		c.offset = &offset
	}
	c.zone = m[6]
	return c, nil
}

func parseLocalTime(s string) (Value, error) {
	c, err := parseClock(s)
	if err == nil && (c.offset != nil || c.zone != "") {
		err = unreadable(s, "time without a zone")
	}
	return wrap(LocalTime{c.nano}, err)
}

func parseTime(s string) (Value, error) {
	c, err := parseClock(s)
	if err == nil && c.zone != "" {
		err = fmt.Errorf("%q names a zone, which has no offset without a date", s)
	}
	t := Time{Nano: c.nano}
	if c.offset != nil {
		t.Offset = *c.offset
	}
	return wrap(t, err)
}

func parseBoth(s string) (day int64, c clockText, err error) {
	date, rest, both := strings.Cut(s, "T")
	day, err = parseDay(date)
	if err == nil && both {
		c, err = parseClock(rest)
	}
	return day, c, err
}

func parseLocalDateTime(s string) (Value, error) {
	d, c, err := parseBoth(s)
	if err == nil && (c.offset != nil || c.zone != "") {
		err = unreadable(s, "date and time without a zone")
	}
	return wrap(LocalDateTime{d, c.nano}, err)
}

// parseDateTime reads date and time with an offset, a named zone, or both.
func parseDateTime(s string) (Value, error) {
	d, c, err := parseBoth(s)
	if err != nil {
		return nil, err
	}
	z := zone{name: c.zone}
	if c.zone != "" {
		if _, err := location(c.zone); err != nil {
			return nil, err
		}
	}
	if c.offset == nil {
		return wrap(z.resolve(d, c.nano))
	}
	if c.zone == "" {
		z.offset = *c.offset
	}
	return wrap(z.at(d*86400+c.nano/second-*c.offset, c.nano%second))
}

// ParseDuration reads an ISO 8601 duration; any unit may have a fraction and a
// sign.
func ParseDuration(s string) (Duration, error) {
	if m := writtenForm().FindStringSubmatch(s); m != nil {
		return durationOf(s, "", m[1], m[2], "", m[3], m[4], m[5], m[6])
	}
	m := durationForm().FindStringSubmatch(s)
	if m == nil || strings.HasSuffix(s, "P") || strings.HasSuffix(s, "T") {
		return Duration{}, unreadable(s, "duration")
	}
	return durationOf(s, m[1], m[2], m[3], m[4], m[5], m[7], m[8], m[9])
}

func durationOf(s, sign string, parts ...string) (Duration, error) {
	fields := map[string]any{}
	for i, key := range []string{"years", "months", "weeks", "days", "hours", "minutes", "seconds"} {
		text := strings.Replace(parts[i], ",", ".", 1)
		if text == "" {
			continue
		}
		if sign == "-" {
			if strings.HasPrefix(text, "-") {
				text = text[1:]
			} else {
				text = "-" + strings.TrimPrefix(text, "+")
			}
		}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			fields[key] = n
			continue
		}
		whole, fraction, cut := strings.Cut(text, ".")
		if key == "seconds" && cut { // exact to the nanosecond
			n, err := strconv.ParseInt(whole+(fraction + "000000000")[:9], 10, 64)
			if err != nil || len(whole) > 9 {
				return Duration{}, unreadable(s, "duration")
			}
			fields["nanoseconds"] = n
			continue
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return Duration{}, unreadable(s, "duration")
		}
		fields[key] = f
	}
	return BuildDuration(fields)
}
