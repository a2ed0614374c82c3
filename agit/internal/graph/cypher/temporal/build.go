package temporal

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// given is the map that a value is built from, with a record of the keys that were used.
type given struct {
	fields map[string]any
	used   []string
}

func (g *given) has(keys ...string) bool {
	for _, key := range keys {
		if g.fields[key] != nil {
			return true
		}
	}
	return false
}

// int returns a whole number within bounds, or otherwise when the key is missing.
func (g *given) int(key string, otherwise, least, most int64) (int64, error) {
	g.used = append(g.used, key)
	v := g.fields[key]
	if v == nil {
		return otherwise, nil
	}
	n, ok := v.(int64)
	if !ok {
		return 0, fmt.Errorf("%s must be a whole number", key)
	}
	if n < least || n > most {
		return 0, fmt.Errorf("%s %d is not between %d and %d", key, n, least, most)
	}
	return n, nil
}

// ints reads several numbers; each has its default and bounds.
func (g *given) ints(into []*int64, keys []string, bounds [][2]int64) (err error) {
	for i, key := range keys {
		if *into[i], err = g.int(key, *into[i], bounds[i][0], bounds[i][1]); err != nil {
			return err
		}
	}
	return nil
}

// unused returns an error that names a key which was not used.
func (g *given) unused() error {
	for _, key := range slices.Sorted(maps.Keys(g.fields)) {
		if !slices.Contains(g.used, key) {
			return fmt.Errorf("%s does not go with the other fields", key)
		}
	}
	return nil
}

// date returns a day from the fields. A missing field comes from base; below a given larger field it is the first.
func (g *given) date(base *int64) (int64, error) {
	if base == nil && !g.has("year") {
		return 0, errors.New("a date needs a year")
	}
	switch {
	case g.has("week", "dayOfWeek"):
		return g.weekDate(base)
	case g.has("ordinalDay"):
		y := int64(0)
		if base != nil {
			y, _, _ = civil(*base)
		}
		y, err := g.int("year", y, -lastYear, lastYear)
		if err != nil {
			return 0, err
		}
		n, err := g.int("ordinalDay", 1, 1, yearLength(y))
		return dayOf(y, 1, 1) + n - 1, err
	case g.has("quarter", "dayOfQuarter"):
		return g.quarterDate(base)
	}
	y, m, d := int64(0), int64(1), int64(1)
	if base != nil {
		y, m, d = civil(*base)
	} else if g.has("day") && !g.has("month") {
		return 0, errors.New("a day needs a month")
	}
	if err := g.ints([]*int64{&y, &m, &d}, []string{"year", "month", "day"}, [][2]int64{{-lastYear, lastYear}, {1, 12}, {1, 31}}); err != nil {
		return 0, err
	}
	if d > monthLength(y, m) {
		return 0, fmt.Errorf("month %d of year %d has no day %d", m, y, d)
	}
	return dayOf(y, m, d), nil
}

func (g *given) weekDate(base *int64) (int64, error) {
	y, week, d := int64(0), int64(1), int64(1)
	if base != nil {
		y, week = weekOf(*base)
		d = weekday(*base)
	} else if !g.has("week") {
		return 0, errors.New("a day of the week needs a week")
	}
	if err := g.ints([]*int64{&y, &week, &d}, []string{"year", "week", "dayOfWeek"}, [][2]int64{{-lastYear, lastYear}, {1, 53}, {1, 7}}); err != nil {
		return 0, err
	}
	result := firstWeek(y) + 7*(week-1) + d - 1
	if got, _ := weekOf(result); got != y {
		return 0, fmt.Errorf("year %d has no week %d", y, week)
	}
	return result, nil
}

func (g *given) quarterDate(base *int64) (int64, error) {
	y, quarter, d := int64(0), int64(1), int64(1)
	if base != nil {
		var m int64
		y, m, _ = civil(*base)
		quarter = (m-1)/3 + 1
		d = *base - quarterStart(y, quarter) + 1
	} else if !g.has("quarter") {
		return 0, errors.New("a day of the quarter needs a quarter")
	}
	if err := g.ints([]*int64{&y, &quarter, &d}, []string{"year", "quarter", "dayOfQuarter"}, [][2]int64{{-lastYear, lastYear}, {1, 4}, {1, 92}}); err != nil {
		return 0, err
	}
	result := quarterStart(y, quarter) + d - 1
	if _, m, _ := civil(result); (m-1)/3+1 != quarter {
		return 0, fmt.Errorf("quarter %d of year %d has no day %d", quarter, y, d)
	}
	return result, nil
}

// clock returns a time of day from the fields. A missing field comes from base; below a given larger field it is zero.
func (g *given) clock(base *int64) (int64, error) {
	var h, m, s, fraction int64
	if base != nil {
		h, m, s, fraction = *base/hour, *base%hour/minute, *base%minute/second, *base%second
	} else if g.has("minute") && !g.has("hour") || g.has("second") && !g.has("minute") ||
		g.has("millisecond", "microsecond", "nanosecond") && !g.has("second") {
		return 0, errors.New("a part of a time needs the larger ones: hour, minute, second")
	}
	if err := g.ints([]*int64{&h, &m, &s}, []string{"hour", "minute", "second"}, [][2]int64{{0, 23}, {0, 59}, {0, 59}}); err != nil {
		return 0, err
	}
	if g.has("millisecond", "microsecond", "nanosecond") {
		var milli, micro, nano int64
		microMost, nanoMost := int64(999_999), int64(999_999_999)
		if g.has("millisecond") {
			microMost, nanoMost = 999, 999_999
		}
		if g.has("microsecond") {
			nanoMost = 999
		}
		if err := g.ints([]*int64{&milli, &micro, &nano}, []string{"millisecond", "microsecond", "nanosecond"}, [][2]int64{{0, 999}, {0, microMost}, {0, nanoMost}}); err != nil {
			return 0, err
		}
		fraction = milli*1_000_000 + micro*1000 + nano
	}
	return h*hour + m*minute + s*second + fraction, nil
}

// point is a partly known moment: perhaps a day, a time of day and a zone.
type point struct {
	day, nano *int64
	zone      *zone
}

func pointOf(v any) (p point, ok bool) {
	switch v := v.(type) {
	case Date:
		return point{day: &v.Day}, true
	case LocalTime:
		return point{nano: &v.Nano}, true
	case Time:
		return point{nano: &v.Nano, zone: &zone{offset: v.Offset}}, true
	case LocalDateTime:
		return point{day: &v.Day, nano: &v.Nano}, true
	case DateTime:
		z := v.zone()
		return point{day: &v.Day, nano: &v.Nano, zone: &z}, true
	}
	return p, false
}

// selected reads the value of date, time or datetime.
func (g *given) selected(key string) (p point, there bool, err error) {
	g.used = append(g.used, key)
	v := g.fields[key]
	if v == nil {
		return p, false, nil
	}
	p, ok := pointOf(v)
	if !ok || key != "time" && p.day == nil || key != "date" && p.nano == nil {
		return p, false, fmt.Errorf("%s does not hold a %s", key, key)
	}
	return p, true, nil
}

// build returns a point from a map: parts of other values, overridden by the fields.
func build(fields map[string]any, t *Type) (p point, err error) {
	g := &given{fields: fields}
	moment, whole, err := g.selected("datetime")
	if err != nil {
		return p, err
	}
	date, hasDate, err := g.selected("date")
	if err != nil {
		return p, err
	}
	clock, hasClock, err := g.selected("time")
	if err != nil {
		return p, err
	}
	if whole && (hasDate || hasClock) || hasDate && !t.day || hasClock && !t.nano {
		return p, errors.New("these fields do not go together")
	}
	if whole {
		p = moment
	}
	if hasDate {
		p.day = date.day
	}
	if hasClock {
		p.nano, p.zone = clock.nano, clock.zone
	}
	if moment, is := fields["time"].(DateTime); is && !t.day {
		p.zone = &zone{offset: moment.Offset}
	}
	if t.zone {
		if err := g.inZone(&p, t, clock, whole); err != nil {
			return p, err
		}
	}
	if t.day {
		d, err := g.date(p.day)
		if err != nil {
			return p, err
		}
		p.day = &d
	}
	if t.nano {
		if p.nano == nil && !t.day && !g.has("hour") {
			return p, errors.New("a time needs an hour")
		}
		n, err := g.clock(p.nano)
		if err != nil {
			return p, err
		}
		p.nano = &n
	}
	return p, g.unused()
}

// inZone reads timezone. A value with a zone keeps its moment and is shown in the new zone; a value without one keeps its clock time.
func (g *given) inZone(p *point, t *Type, clock point, whole bool) error {
	g.used = append(g.used, "timezone")
	v := g.fields["timezone"]
	if v == nil {
		return nil
	}
	name, ok := v.(string)
	if !ok {
		return errors.New("timezone is a String")
	}
	z, err := parseZone(name)
	if err != nil {
		return err
	}
	was := p.zone
	p.zone = &z
	if was == nil || p.nano == nil {
		return nil
	}
	if z.name == "" && was.name == "" && !whole {
		n := floorMod(*p.nano+(z.offset-was.offset)*second, 24*hour)
		p.nano = &n
		return nil
	}
	day := p.day
	switch {
	case whole:
	case t.day: // the offset of a zone depends on the resulting date
		d, err := (&given{fields: g.fields}).date(p.day)
		if err != nil {
			return err
		}
		day = &d
	default:
		day = clock.day
	}
	if day == nil {
		return errors.New("a named zone has no offset without a date")
	}
	moment, err := was.resolve(*day, *p.nano)
	if err != nil {
		return err
	}
	if moment, err = z.at(moment.seconds(), moment.nano()); err != nil {
		return err
	}
	p.nano = &moment.Nano
	if whole {
		p.day = &moment.Day
	}
	return nil
}

func fromEpoch(fields map[string]any, key string, per int64) (DateTime, error) {
	g := &given{fields: fields, used: []string{"timezone"}}
	most := int64(lastYear+1) * 31_556_952 // beyond any year; every number of milliseconds is within it
	if per > 1 {
		most = math.MaxInt64
	}
	n, err := g.int(key, 0, -most, most)
	if err != nil {
		return DateTime{}, err
	}
	nano, err := g.int("nanosecond", 0, 0, second/per-1)
	if err != nil {
		return DateTime{}, err
	}
	z := zone{}
	if name, ok := fields["timezone"].(string); ok {
		if z, err = parseZone(name); err != nil {
			return DateTime{}, err
		}
	}
	if err := g.unused(); err != nil {
		return DateTime{}, err
	}
	return z.at(floorDiv(n, per), floorMod(n, per)*(second/per)+nano)
}

// FromEpoch is the moment so many seconds and nanoseconds after 1970 began, at UTC.
func FromEpoch(seconds, nanos int64) (DateTime, error) {
	total, over := addInt(seconds, floorDiv(nanos, second))
	if over {
		return DateTime{}, outOfRange()
	}
	return fromEpoch(map[string]any{"epochSeconds": total, "nanosecond": floorMod(nanos, second)}, "epochSeconds", 1)
}

// FromEpochMillis is the moment so many milliseconds after 1970 began, at UTC.
func FromEpochMillis(millis int64) (DateTime, error) {
	return fromEpoch(map[string]any{"epochMillis": millis}, "epochMillis", 1000)
}
