package temporal

import "errors"

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
