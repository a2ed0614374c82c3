package temporal

import "fmt"

// The conversions take the parts of a value that the wanted type has. A missing time is midnight and a missing zone UTC; a missing date
// is an error.

func lacks(v any, what string) error { return fmt.Errorf("%T has no %s", v, what) }

// ToDate is the day of a value.
func ToDate(v Value) (Date, error) {
	p, _ := pointOf(v)
	if p.day == nil {
		return Date{}, lacks(v, "date")
	}
	return Date{*p.day}, nil
}

// ToLocalTime is the time of day of a value.
func ToLocalTime(v Value) (LocalTime, error) {
	p, _ := pointOf(v)
	if p.nano == nil {
		return LocalTime{}, lacks(v, "time")
	}
	return LocalTime{*p.nano}, nil
}

// ToTime is the time of day of a value with its offset.
func ToTime(v Value) (Time, error) {
	p, _ := pointOf(v)
	if p.nano == nil {
		return Time{}, lacks(v, "time")
	}
	if t, ok := v.(DateTime); ok {
		return Time{t.Nano, t.Offset}, nil
	}
	return p.time()
}

// ToLocalDateTime is the day and the time of day of a value.
func ToLocalDateTime(v Value) (LocalDateTime, error) {
	p, _ := pointOf(v)
	if p.day == nil {
		return LocalDateTime{}, lacks(v, "date")
	}
	t := LocalDateTime{Day: *p.day}
	if p.nano != nil {
		t.Nano = *p.nano
	}
	return t, nil
}

// ToDateTime is a value as a moment.
func ToDateTime(v Value) (DateTime, error) {
	if t, ok := v.(DateTime); ok {
		return t, nil
	}
	local, err := ToLocalDateTime(v)
	if err != nil {
		return DateTime{}, err
	}
	return zone{}.resolve(local.Day, local.Nano)
}

// Now returns a moment in a zone; zone "" is UTC.
func Now(seconds, nanos int64, name string) (DateTime, error) {
	z := zone{}
	if name != "" {
		var err error
		if z, err = parseZone(name); err != nil {
			return DateTime{}, err
		}
	}
	return z.at(seconds, nanos)
}
