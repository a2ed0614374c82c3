package temporal

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// given is the map that a value is built from, with a record of the keys that were used. Its methods return a default after a mistake, and
// keep the first one in err.
type given struct {
	fields map[string]any
	used   []string
	err    error
}

// fail keeps the first mistake, and returns no number.
func (g *given) fail(format string, args ...any) int64 {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
	return 0
}

func (g *given) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return g.fields[key] != nil })
}

// int returns a whole number within bounds, or otherwise when the key is missing.
func (g *given) int(key string, otherwise, least, most int64) int64 {
	g.used = append(g.used, key)
	v := g.fields[key]
	n, ok := v.(int64)
	switch {
	case v == nil:
	case !ok:
		g.fail("%s must be a whole number", key)
	case n < least || n > most:
		g.fail("%s %d is not between %d and %d", key, n, least, most)
	default:
		return n
	}
	return otherwise
}

// unused refuses a key that was not used.
func (g *given) unused() {
	for _, key := range slices.Sorted(maps.Keys(g.fields)) {
		if !slices.Contains(g.used, key) {
			g.fail("%s does not go with the other fields", key)
		}
	}
}

// date returns a day from the fields. A missing field comes from base; below a given larger field it is the first.
func (g *given) date(base *int64) int64 {
	if base == nil && !g.has("year") {
		return g.fail("a date needs a year")
	}
	switch {
	case g.has("week", "dayOfWeek"):
		return g.weekDate(base)
	case g.has("ordinalDay"):
		y := int64(0)
		if base != nil {
			y, _, _ = civil(*base)
		}
		y = g.int("year", y, -lastYear, lastYear)
		return dayOf(y, 1, 1) + g.int("ordinalDay", 1, 1, yearLength(y)) - 1
	case g.has("quarter", "dayOfQuarter"):
		return g.quarterDate(base)
	}
	y, m, d := int64(0), int64(1), int64(1)
	if base != nil {
		y, m, d = civil(*base)
	} else if g.has("day") && !g.has("month") {
		return g.fail("a day needs a month")
	}
	y, m, d = g.int("year", y, -lastYear, lastYear), g.int("month", m, 1, 12), g.int("day", d, 1, 31)
	if d > monthLength(y, m) {
		return g.fail("month %d of year %d has no day %d", m, y, d)
	}
	return dayOf(y, m, d)
}

func (g *given) weekDate(base *int64) int64 {
	y, week, d := int64(0), int64(1), int64(1)
	if base != nil {
		y, week = weekOf(*base)
		d = weekday(*base)
	} else if !g.has("week") {
		return g.fail("a day of the week needs a week")
	}
	y, week, d = g.int("year", y, -lastYear, lastYear), g.int("week", week, 1, 53), g.int("dayOfWeek", d, 1, 7)
	result := firstWeek(y) + 7*(week-1) + d - 1
	if got, _ := weekOf(result); got != y {
		return g.fail("year %d has no week %d", y, week)
	}
	return result
}

func (g *given) quarterDate(base *int64) int64 {
	y, quarter, d := int64(0), int64(1), int64(1)
	if base != nil {
		var m int64
		y, m, _ = civil(*base)
		quarter = (m-1)/3 + 1
		d = *base - quarterStart(y, quarter) + 1
	} else if !g.has("quarter") {
		return g.fail("a day of the quarter needs a quarter")
	}
	y, quarter, d = g.int("year", y, -lastYear, lastYear), g.int("quarter", quarter, 1, 4), g.int("dayOfQuarter", d, 1, 92)
	result := quarterStart(y, quarter) + d - 1
	if _, m, _ := civil(result); (m-1)/3+1 != quarter {
		return g.fail("quarter %d of year %d has no day %d", quarter, y, d)
	}
	return result
}

// clock returns a time of day from the fields. A missing field comes from base; below a given larger field it is zero.
func (g *given) clock(base *int64) int64 {
	var h, m, s, fraction int64
	if base != nil {
		h, m, s, fraction = *base/hour, *base%hour/minute, *base%minute/second, *base%second
	} else if g.has("minute") && !g.has("hour") || g.has("second") && !g.has("minute") ||
		g.has("millisecond", "microsecond", "nanosecond") && !g.has("second") {
		return g.fail("a part of a time needs the larger ones: hour, minute, second")
	}
	h, m, s = g.int("hour", h, 0, 23), g.int("minute", m, 0, 59), g.int("second", s, 0, 59)
	if g.has("millisecond", "microsecond", "nanosecond") {
		microMost, nanoMost := int64(999_999), int64(999_999_999)
		if g.has("millisecond") {
			microMost, nanoMost = 999, 999_999
		}
		if g.has("microsecond") {
			nanoMost = 999
		}
		fraction = g.int("millisecond", 0, 0, 999)*1_000_000 + g.int("microsecond", 0, 0, microMost)*1000 + g.int("nanosecond", 0, 0, nanoMost)
	}
	return h*hour + m*minute + s*second + fraction
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
func (g *given) selected(key string) (p point, there bool) {
	g.used = append(g.used, key)
	v := g.fields[key]
	if v == nil {
		return p, false
	}
	p, ok := pointOf(v)
	if !ok || key != "time" && p.day == nil || key != "date" && p.nano == nil {
		g.fail("%s does not hold a %s", key, key)
		return point{}, false
	}
	return p, true
}

// value returns the value of a point after its time of day is read from the fields.
func (g *given) value(p point, t *Type) (Value, error) {
	if t.nano {
		p.nano = new(g.clock(p.nano))
	}
	if g.unused(); g.err != nil {
		return nil, g.err
	}
	return t.of(p)
}

// build returns a value from a map: parts of other values, overridden by the fields.
func build(fields map[string]any, t *Type) (Value, error) {
	g := &given{fields: fields}
	p, whole := g.selected("datetime")
	date, hasDate := g.selected("date")
	clock, hasClock := g.selected("time")
	if whole && (hasDate || hasClock) || hasDate && !t.day || hasClock && !t.nano {
		g.fail("these fields do not go together")
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
		g.inZone(&p, t, clock, whole)
	}
	if t.day {
		p.day = new(g.date(p.day))
	}
	if t.nano && p.nano == nil && !t.day && !g.has("hour") {
		g.fail("a time needs an hour")
	}
	return g.value(p, t)
}

// inZone reads timezone. A value with a zone keeps its moment and is shown in the new zone; a value without one keeps its clock time.
func (g *given) inZone(p *point, t *Type, clock point, whole bool) {
	g.used = append(g.used, "timezone")
	v := g.fields["timezone"]
	if v == nil {
		return
	}
	name, ok := v.(string)
	if !ok {
		g.fail("timezone is a String")
		return
	}
	z, err := parseZone(name)
	if err != nil {
		g.fail("%w", err)
		return
	}
	was := p.zone
	p.zone = &z
	if was == nil || p.nano == nil {
		return
	}
	if z.name == "" && was.name == "" && !whole {
		p.nano = new(floorMod(*p.nano+(z.offset-was.offset)*second, 24*hour))
		return
	}
	day := p.day
	switch {
	case whole:
	case t.day: // the offset of a zone depends on the resulting date
		of := &given{fields: g.fields, err: g.err}
		day = new(of.date(p.day))
		g.err = of.err
	default:
		day = clock.day
	}
	if day == nil {
		g.fail("a named zone has no offset without a date")
		return
	}
	moment, err := was.resolve(*day, *p.nano)
	if err == nil {
		moment, err = z.at(moment.seconds(), moment.nano())
	}
	if err != nil {
		g.fail("%w", err)
		return
	}
	p.nano = &moment.Nano
	if whole {
		p.day = &moment.Day
	}
}

func fromEpoch(fields map[string]any, key string, per int64) (DateTime, error) {
	g := &given{fields: fields, used: []string{"timezone"}}
	most := int64(lastYear+1) * 31_556_952 // beyond any year; every number of milliseconds is within it
	if per > 1 {
		most = math.MaxInt64
	}
	n, nano := g.int(key, 0, -most, most), g.int("nanosecond", 0, 0, second/per-1)
	z := zone{}
	if name, ok := fields["timezone"].(string); ok {
		var err error
		if z, err = parseZone(name); err != nil {
			g.fail("%w", err)
		}
	}
	if g.unused(); g.err != nil {
		return DateTime{}, g.err
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

// truncateDay returns the first day of the unit that contains a day; ok is false when it is not a unit of days.
func truncateDay(unit string, d int64) (int64, bool) {
	y, m, _ := civil(d)
	if years, ok := map[string]int64{"millennium": 1000, "century": 100, "decade": 10, "year": 1}[unit]; ok {
		return dayOf(floorDiv(y, years)*years, 1, 1), true
	}
	switch unit {
	case "weekYear":
		year, _ := weekOf(d)
		return firstWeek(year), true
	case "quarter":
		return quarterStart(y, (m-1)/3+1), true
	case "month":
		return dayOf(y, m, 1), true
	case "week":
		return d - weekday(d) + 1, true
	case "day":
		return d, true
	}
	return 0, false
}

// clockUnits are the units of a time of day, in nanoseconds.
var clockUnits = map[string]int64{"day": day, "hour": hour, "minute": minute, "second": second, "millisecond": 1_000_000, "microsecond": 1000}

// Truncate cuts a value down to a unit, limited to the parts that the type has, and then sets fields.
func (t *Type) Truncate(unit string, v Value, fields map[string]any) (Value, error) {
	p, ok := t.parts(v)
	if !ok || t.day && p.day == nil || !t.day && p.nano == nil {
		return nil, fmt.Errorf("%s cannot be truncated to this", v)
	}
	days, isDays := int64(0), false
	if p.day != nil {
		days, isDays = truncateDay(unit, *p.day)
	}
	n, isClock := clockUnits[unit]
	switch {
	case t.day && isDays:
		p.day, p.nano = &days, new(int64)
	case t.nano && isClock && (p.nano != nil || unit == "day"):
		p.nano = new(*p.nano - *p.nano%n)
	default:
		return nil, fmt.Errorf("%q is not a unit that this can be truncated to", unit)
	}
	if !t.nano {
		p.nano = nil
	}
	if !t.day {
		p.day = nil
	}
	g := &given{fields: maps.Clone(fields)}
	if t.zone {
		z := p.zone
		p.zone = nil // the remaining clock reading is taken in the given zone
		g.inZone(&p, t, point{}, true)
		if p.zone == nil {
			p.zone = z
		}
	}
	if t.day {
		p.day = new(g.date(p.day))
	}
	if t.nano {
		g.keepFraction(*p.nano, unit)
	}
	return g.value(p, t)
}

// keepFraction adds the part of the second that the truncation left to a given fraction: fields set only what is smaller than the unit.
func (g *given) keepFraction(nano int64, unit string) {
	if !g.has("millisecond", "microsecond", "nanosecond") || unit != "millisecond" && unit != "microsecond" {
		return
	}
	if g.has("millisecond") || unit == "microsecond" && g.has("microsecond") {
		g.fail("a part larger than the unit cannot be set")
		return
	}
	micro, small := g.int("microsecond", 0, 0, 999), g.int("nanosecond", 0, 0, 999_999)
	delete(g.fields, "microsecond")
	g.fields["nanosecond"] = nano%second + micro*1000 + small
}
