package temporal

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// zone is an offset from UTC, or a named place whose offset depends on the moment.
type zone struct {
	name   string
	offset int64 // of a zone without a name
}

// parseZone reads Z, ±hh[:mm[:ss]] with or without colons, or a name.
func parseZone(s string) (zone, error) {
	if offset, ok := parseOffset(s); ok {
		return zone{offset: offset}, nil
	}
	if _, err := location(s); err != nil {
		return zone{}, err
	}
	return zone{name: s}, nil
}

// locations caches the loaded zones by name; there are some hundred.
var locations sync.Map

func location(name string) (*time.Location, error) {
	if l, known := locations.Load(name); known {
		return l.(*time.Location), nil
	}
	if name == "" || name == "Local" || strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		return nil, fmt.Errorf("%q is not a time zone", name)
	}
	l, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("time zone %q is not known", name)
	}
	locations.Store(name, l)
	return l, nil
}

func parseOffset(s string) (seconds int64, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) < 3 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	digits := s[1:]
	if strings.Contains(digits, ":") {
		if len(digits)%3 != 2 {
			return 0, false
		}
		for i := 2; i < len(digits); i += 3 {
			if digits[i] != ':' {
				return 0, false
			}
		}
		digits = strings.ReplaceAll(digits, ":", "")
	}
	if len(digits) != 2 && len(digits) != 4 && len(digits) != 6 {
		return 0, false
	}
	unit := int64(3600)
	for ; digits != ""; digits = digits[2:] {
		n, err := strconv.ParseUint(digits[:2], 10, 8)
		if err != nil || n >= 60 {
			return 0, false
		}
		seconds += int64(n) * unit
		unit /= 60
	}
	if seconds > 18*3600 {
		return 0, false
	}
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// offsetAt returns the offset of a zone at a moment, in seconds since 1970 in UTC.
func (z zone) offsetAt(moment int64) (int64, error) {
	if z.name == "" {
		return z.offset, nil
	}
	l, err := location(z.name)
	if err != nil {
		return 0, err
	}
	name, offset := time.Unix(moment, 0).In(l).Zone()
	if name == "LMT" {
		return 0, fmt.Errorf("time zone %s had no standard time then, and what clocks showed differs from database to database", z.name)
	}
	return int64(offset), nil
}

// resolve returns the moment at which clocks in a zone show a day and a time. A time that they show twice is the earlier one; a time
// that they skip is moved on by the length of the gap.
func (z zone) resolve(day, nano int64) (DateTime, error) {
	if err := inRange(day); err != nil {
		return DateTime{}, err
	}
	local := day*86400 + nano/second
	before, err := z.offsetAt(local - 86400)
	if err != nil {
		return DateTime{}, err
	}
	after, err := z.offsetAt(local + 86400)
	if err != nil {
		return DateTime{}, err
	}
	for _, offset := range []int64{before, after} {
		there, err := z.offsetAt(local - offset)
		if err != nil {
			return DateTime{}, err
		}
		if there == offset {
			return DateTime{day, nano, offset, z.name}, nil
		}
	}
	return z.at(local-before, nano%second)
}

// at returns a moment as clocks in a zone show it.
func (z zone) at(seconds, nano int64) (DateTime, error) {
	offset, err := z.offsetAt(seconds)
	if err != nil {
		return DateTime{}, err
	}
	local := seconds + offset
	t := DateTime{floorDiv(local, 86400), floorMod(local, 86400)*second + nano, offset, z.name}
	return t, inRange(t.Day)
}

func (t DateTime) zone() zone {
	if t.Zone != "" {
		return zone{name: t.Zone}
	}
	return zone{offset: t.Offset}
}
