package temporal

import "math"

// Component returns a part of a value by its name, as an int64 or a string; ok is false when the type has no such part.
func Component(v Value, name string) (part any, ok bool) {
	if d, is := v.(Duration); is {
		return d.component(name)
	}
	p, _ := pointOf(v)
	if p.day != nil {
		if n, ok := dateComponent(*p.day, name); ok {
			return n, true
		}
	}
	if p.nano != nil {
		if n, ok := clockComponent(*p.nano, name); ok {
			return n, true
		}
	}
	switch v := v.(type) {
	case Time:
		return offsetComponent(v.Offset, "", name)
	case DateTime:
		switch name {
		case "epochSeconds":
			return v.seconds(), true
		case "epochMillis":
			return v.seconds()*1000 + v.nano()/1_000_000, true
		}
		return offsetComponent(v.Offset, v.Zone, name)
	}
	return nil, false
}

func dateComponent(day int64, name string) (int64, bool) {
	y, m, d := civil(day)
	quarter := (m-1)/3 + 1
	switch name {
	case "year":
		return y, true
	case "quarter":
		return quarter, true
	case "month":
		return m, true
	case "week":
		_, week := weekOf(day)
		return week, true
	case "weekYear":
		year, _ := weekOf(day)
		return year, true
	case "day":
		return d, true
	case "dayOfQuarter":
		return day - quarterStart(y, quarter) + 1, true
	case "ordinalDay":
		return day - dayOf(y, 1, 1) + 1, true
	case "weekDay", "dayOfWeek":
		return weekday(day), true
	}
	return 0, false
}

// clockParts are the parts of a time of day, each in a unit and within a larger one, in nanoseconds.
var clockParts = map[string]struct{ within, unit int64 }{
	"hour": {day, hour}, "minute": {hour, minute}, "second": {minute, second},
	"millisecond": {second, 1_000_000}, "microsecond": {second, 1000}, "nanosecond": {second, 1},
}

func clockComponent(nano int64, name string) (int64, bool) {
	part, ok := clockParts[name]
	if !ok {
		return 0, false
	}
	return nano % part.within / part.unit, true
}

func offsetComponent(offset int64, zone, name string) (any, bool) {
	switch name {
	case "timezone":
		if zone != "" {
			return zone, true
		}
		return formatOffset(offset), true
	case "offset":
		return formatOffset(offset), true
	case "offsetMinutes":
		return offset / 60, true
	case "offsetSeconds":
		return offset, true
	}
	return nil, false
}

// durationParts are the parts of a duration: a field in a unit, and within a larger unit unless that is 0.
var durationParts = map[string]struct {
	of           func(Duration) int64
	unit, within int64
}{
	"years": {Duration.months, 12, 0}, "quarters": {Duration.months, 3, 0}, "months": {Duration.months, 1, 0},
	"quartersOfYear": {Duration.months, 3, 4}, "monthsOfQuarter": {Duration.months, 1, 3}, "monthsOfYear": {Duration.months, 1, 12},
	"weeks": {Duration.days, 7, 0}, "days": {Duration.days, 1, 0}, "daysOfWeek": {Duration.days, 1, 7},
	"hours": {Duration.seconds, 3600, 0}, "minutes": {Duration.seconds, 60, 0}, "seconds": {Duration.seconds, 1, 0},
	"minutesOfHour": {Duration.seconds, 60, 60}, "secondsOfMinute": {Duration.seconds, 1, 60},
	"millisecondsOfSecond": {Duration.nano, 1_000_000, 0}, "microsecondsOfSecond": {Duration.nano, 1000, 0}, "nanosecondsOfSecond": {Duration.nano, 1, 0},
}

func (d Duration) months() int64  { return d.Months }
func (d Duration) days() int64    { return d.Days }
func (d Duration) seconds() int64 { return d.Seconds }
func (d Duration) nano() int64    { return d.Nano }

func (d Duration) component(name string) (any, bool) {
	if part, ok := durationParts[name]; ok {
		n := part.of(d) / part.unit
		if part.within > 0 {
			n %= part.within
		}
		return n, true
	}
	for unit, per := range map[string]int64{"milliseconds": 1000, "microseconds": 1_000_000, "nanoseconds": second} {
		const most = math.MaxInt64
		if name == unit && d.Seconds < most/per && d.Seconds > -most/per {
			return d.Seconds*per + d.Nano/(second/per), true
		}
	}
	return nil, false
}
