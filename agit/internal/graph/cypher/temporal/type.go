package temporal

import "fmt"

// Type makes the values of one type of dates and times: of texts, of maps of fields, and of other values.
type Type struct {
	day, nano, zone bool // the parts that a value has
	of              func(point) (Value, error)
	// Parse reads the text form.
	Parse func(string) (Value, error)
}

// The types of dates and times. Without a zone, a time or moment is at UTC.
var (
	Dates          = &Type{day: true, of: point.date, Parse: parseDate}
	LocalTimes     = &Type{nano: true, of: point.localTime, Parse: parseLocalTime}
	Times          = &Type{nano: true, zone: true, of: point.time, Parse: parseTime}
	LocalDateTimes = &Type{day: true, nano: true, of: point.localDateTime, Parse: parseLocalDateTime}
	DateTimes      = &Type{day: true, nano: true, zone: true, of: point.dateTime, Parse: parseDateTime}
)

func (p point) date() (Value, error)      { return wrap(Date{*p.day}, inRange(*p.day)) }
func (p point) localTime() (Value, error) { return LocalTime{*p.nano}, nil }
func (p point) localDateTime() (Value, error) {
	return wrap(LocalDateTime{*p.day, *p.nano}, inRange(*p.day))
}
func (p point) dateTime() (Value, error) { return wrap(p.zoned().resolve(*p.day, *p.nano)) }

func (p point) time() (Value, error) {
	z := p.zoned()
	if z.name == "" {
		return Time{*p.nano, z.offset}, nil
	}
	if p.day == nil {
		return nil, fmt.Errorf("time zone %s has no offset without a date", z.name)
	}
	t, err := z.resolve(*p.day, *p.nano)
	return wrap(Time{*p.nano, t.Offset}, err)
}

func (p point) zoned() zone {
	if p.zone == nil {
		return zone{}
	}
	return *p.zone
}

// Build makes a value of a map of fields and other values.
func (t *Type) Build(fields map[string]any) (Value, error) {
	if t == DateTimes {
		for key, per := range map[string]int64{"epochSeconds": 1, "epochMillis": 1000} {
			if fields[key] != nil {
				return wrap(fromEpoch(fields, key, per))
			}
		}
	}
	return build(fields, t)
}

// Convert takes the parts of a value that the type has. A missing time is midnight; a missing date is an error, and so is a missing time
// where the type has no date.
func (t *Type) Convert(v Value) (Value, error) {
	if moment, ok := v.(DateTime); ok && t == DateTimes {
		return moment, nil
	}
	p, _ := t.parts(v)
	switch {
	case t.day && p.day == nil:
		return nil, fmt.Errorf("%T has no date", v)
	case !t.day && p.nano == nil:
		return nil, fmt.Errorf("%T has no time", v)
	case p.nano == nil:
		p.nano = new(int64)
	}
	return t.of(p)
}

// parts is pointOf for a conversion: the time of a moment keeps its offset, which its zone may have twice in a night.
func (t *Type) parts(v Value) (point, bool) {
	if moment, ok := v.(DateTime); ok && t == Times {
		v = Time{moment.Nano, moment.Offset}
	}
	return pointOf(v)
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
