package temporal

import (
	"cmp"
	"errors"
)

// ErrOperands means that an operator does not accept values of these types.
var ErrOperands = errors.New("the operator does not take these types")

// Operate computes + - * / with a temporal value on at least one side; the other may be an int64 or a float64.
func Operate(op string, a, b any) (Value, error) {
	d, rightIs := b.(Duration)
	switch left := a.(type) {
	case Duration:
		switch {
		case rightIs && op == "+":
			return wrap(left.plus(d, 1))
		case rightIs && op == "-":
			return wrap(left.plus(d, -1))
		case op == "*" || op == "/":
			switch b.(type) {
			case int64, float64:
				return wrap(left.times(b, op == "/"))
			}
		case op == "+":
			if v, ok := b.(Value); ok {
				return move(v, left, 1)
			}
		}
	case Value:
		if rightIs && op == "+" {
			return move(left, d, 1)
		}
		if rightIs && op == "-" {
			return move(left, d, -1)
		}
	case int64, float64:
		if rightIs && op == "*" {
			return wrap(d.times(a, false))
		}
	}
	return nil, ErrOperands
}

// wrap turns a failed result into a nil Value; without it the Value would hold a typed zero.
func wrap[T Value](v T, err error) (Value, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

// move adds a duration to a value: months first, then days, then the rest. A time without a date takes only the rest.
func move(v Value, d Duration, sign int64) (Value, error) {
	back, err := d.times(sign, false)
	if err != nil {
		return nil, err
	}
	d = back
	switch v := v.(type) {
	case Date:
		moved, err := moveDay(v.Day, d.Months, d.Days)
		if err != nil {
			return nil, err
		}
		seconds := d.Seconds
		if seconds < 0 && d.Nano > 0 {
			seconds++ // whole days are rounded towards zero
		}
		moved += seconds / 86400
		return wrap(Date{moved}, inRange(moved))
	case LocalTime:
		return LocalTime{turn(v.Nano, d)}, nil
	case Time:
		return Time{turn(v.Nano, d), v.Offset}, nil
	case LocalDateTime:
		moved, err := moveDay(v.Day, d.Months, d.Days)
		if err != nil {
			return nil, err
		}
		seconds, nano := shift(moved*86400+v.Nano/second, v.Nano%second, d)
		t := LocalDateTime{floorDiv(seconds, 86400), floorMod(seconds, 86400)*second + nano}
		return wrap(t, inRange(t.Day))
	case DateTime:
		moved, err := moveDay(v.Day, d.Months, d.Days)
		if err != nil {
			return nil, err
		}
		t := v
		if moved != v.Day {
			if t, err = v.zone().resolve(moved, v.Nano); err != nil {
				return nil, err
			}
		}
		return wrap(v.zone().at(shift(t.seconds(), t.nano(), d)))
	}
	return nil, ErrOperands
}

func moveDay(day, months, days int64) (int64, error) {
	day, err := addMonths(day, months)
	if err != nil {
		return 0, err
	}
	day, over := addInt(day, days)
	if over {
		return 0, outOfRange()
	}
	return day, inRange(day)
}

// turn adds a duration to a time of day, which wraps at midnight.
func turn(nano int64, d Duration) int64 {
	return floorMod(nano+d.Seconds%86400*second+d.Nano, 24*hour)
}

// shift adds to seconds since 1970. A result outside the range of years need not be exact.
func shift(seconds, nano int64, d Duration) (int64, int64) {
	const far = int64(1) << 60
	nano += d.Nano
	seconds += max(-far, min(far, d.Seconds)) + floorDiv(nano, second)
	return seconds, floorMod(nano, second)
}

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
