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

func clockComponent(nano int64, name string) (int64, bool) {
	switch name {
	case "hour":
		return nano / hour, true
	case "minute":
		return nano % hour / minute, true
	case "second":
		return nano % minute / second, true
	case "millisecond":
		return nano % second / 1_000_000, true
	case "microsecond":
		return nano % second / 1000, true
	case "nanosecond":
		return nano % second, true
	}
	return 0, false
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

func (d Duration) component(name string) (any, bool) {
	switch name {
	case "years":
		return d.Months / 12, true
	case "quarters":
		return d.Months / 3, true
	case "months":
		return d.Months, true
	case "weeks":
		return d.Days / 7, true
	case "days":
		return d.Days, true
	case "hours":
		return d.Seconds / 3600, true
	case "minutes":
		return d.Seconds / 60, true
	case "seconds":
		return d.Seconds, true
	case "quartersOfYear":
		return d.Months / 3 % 4, true
	case "monthsOfQuarter":
		return d.Months % 3, true
	case "monthsOfYear":
		return d.Months % 12, true
	case "daysOfWeek":
		return d.Days % 7, true
	case "minutesOfHour":
		return d.Seconds / 60 % 60, true
	case "secondsOfMinute":
		return d.Seconds % 60, true
	case "millisecondsOfSecond":
		return d.Nano / 1_000_000, true
	case "microsecondsOfSecond":
		return d.Nano / 1000, true
	case "nanosecondsOfSecond":
		return d.Nano, true
	}
	for unit, per := range map[string]int64{"milliseconds": 1000, "microseconds": 1_000_000, "nanoseconds": second} {
		const most = math.MaxInt64
		if name == unit && d.Seconds < most/per && d.Seconds > -most/per {
			return d.Seconds*per + d.Nano/(second/per), true
		}
	}
	return nil, false
}
