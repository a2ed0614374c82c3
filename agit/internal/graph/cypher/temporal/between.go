package temporal

import "cmp"

// moments converts two values into one form for comparison. A value without a date gets the other's date and a value without a zone the
// other's zone. When both have a zone, the zone of the first is used.
func moments(a, b Value) (from, to DateTime, dated bool, err error) {
	p, okP := pointOf(a)
	q, okQ := pointOf(b)
	if !okP || !okQ {
		return from, to, false, ErrOperands
	}
	dated = p.day != nil && q.day != nil
	p.nano, q.nano = cmp.Or(p.nano, new(int64)), cmp.Or(q.nano, new(int64))
	p.day, q.day = cmp.Or(p.day, q.day, new(int64)), cmp.Or(q.day, p.day, new(int64))
	p.zone, q.zone = cmp.Or(p.zone, q.zone, &zone{}), cmp.Or(q.zone, p.zone, &zone{})
	if from, err = at(a, p); err != nil {
		return from, to, dated, err
	}
	if to, err = at(b, q); err != nil {
		return from, to, dated, err
	}
	to, err = p.zone.at(to.seconds(), to.nano())
	return from, to, dated, err
}

// at returns the moment of a point; a point that was a DateTime keeps its offset.
func at(v Value, p point) (DateTime, error) {
	if t, ok := v.(DateTime); ok {
		return t, nil
	}
	return p.zone.resolve(*p.day, *p.nano)
}

// wholeDays returns the last day that is reached from one moment in whole days without passing the other.
func wholeDays(from, to DateTime) int64 {
	switch {
	case to.Day > from.Day && to.Nano < from.Nano:
		return to.Day - 1
	case to.Day < from.Day && to.Nano > from.Nano:
		return to.Day + 1
	}
	return to.Day
}

func wholeMonths(from, to DateTime) int64 {
	y, m, d := civil(from.Day)
	y2, m2, d2 := civil(wholeDays(from, to))
	return ((y2*12+m2)*32 + d2 - (y*12+m)*32 - d) / 32
}

// Between returns the duration from one value to another in months, days and the rest, each as large as possible. Values without a date
// differ in time only.
func Between(a, b Value) (Duration, error) {
	from, to, dated, err := moments(a, b)
	if err != nil {
		return Duration{}, err
	}
	var d Duration
	if dated {
		d.Months = wholeMonths(from, to)
		moved, err := addMonths(from.Day, d.Months)
		if err != nil {
			return d, err
		}
		mid := from
		mid.Day = moved
		d.Days = wholeDays(mid, to) - moved
		if from, err = from.zone().resolve(moved+d.Days, from.Nano); err != nil {
			return d, err
		}
	}
	rest := elapsed(from, to)
	d.Seconds, d.Nano = rest.Seconds, rest.Nano
	return d, nil
}

func elapsed(from, to DateTime) Duration {
	seconds, nano := to.seconds()-from.seconds(), to.nano()-from.nano()
	return Duration{Seconds: seconds + floorDiv(nano, second), Nano: floorMod(nano, second)}
}

// InMonths is the duration between two values in whole months.
func InMonths(a, b Value) (Duration, error) {
	from, to, dated, err := moments(a, b)
	if err != nil || !dated {
		return Duration{}, err
	}
	return Duration{Months: wholeMonths(from, to)}, nil
}

// InDays is the duration between two values in whole days.
func InDays(a, b Value) (Duration, error) {
	from, to, dated, err := moments(a, b)
	if err != nil || !dated {
		return Duration{}, err
	}
	return Duration{Days: wholeDays(from, to) - from.Day}, nil
}

// InSeconds is the duration between two values in seconds.
func InSeconds(a, b Value) (Duration, error) {
	from, to, _, err := moments(a, b)
	if err != nil {
		return Duration{}, err
	}
	return elapsed(from, to), nil
}
