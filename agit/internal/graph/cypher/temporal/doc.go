// Package temporal holds openCypher's dates, times and durations: their values, text forms, components, arithmetic and truncation.
// Values are comparable structs that never change; two are equal in Go exactly when they are equal in the language. Errors describe the
// problem to people, and callers add openCypher's names; named time zones come from the system's database.
package temporal

import (
	"cmp"
	"fmt"
)

const (
	second = int64(1_000_000_000) // in nanoseconds
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// Value is one of Date, LocalTime, Time, LocalDateTime, DateTime and Duration.
type Value interface {
	fmt.Stringer
	temporal()
}

// Date is a day, counted from 1970-01-01.
type Date struct{ Day int64 }

// LocalTime is a time of day in nanoseconds, without a zone.
type LocalTime struct{ Nano int64 }

// Time is a time of day, as the clock shows it, at an offset from UTC in seconds.
type Time struct {
	Nano   int64
	Offset int64
}

// LocalDateTime is a day and a time of day, without a zone.
type LocalDateTime struct{ Day, Nano int64 }

// DateTime is a moment: the calendar and clock reading, its offset from UTC in seconds, and the zone that determines the offset, if one
// is named.
type DateTime struct {
	Day, Nano int64
	Offset    int64
	Zone      string
}

// Duration is an amount of time in units that do not convert: months, days and seconds. Nano is at least 0 and less than a second, and
// is added to Seconds.
type Duration struct{ Months, Days, Seconds, Nano int64 }

func (Date) temporal()          {}
func (LocalTime) temporal()     {}
func (Time) temporal()          {}
func (LocalDateTime) temporal() {}
func (DateTime) temporal()      {}
func (Duration) temporal()      {}

// seconds and nano return the moment of a DateTime since 1970 in UTC.
func (t DateTime) seconds() int64 { return t.Day*86400 + t.Nano/second - t.Offset }
func (t DateTime) nano() int64    { return t.Nano % second }

// Compare orders two values of one type by time, then, for the same moment, by
// offset and zone; ok is false for values of different types and for durations,
// which have no order.
func Compare(a, b Value) (order int, ok bool) {
	switch x := a.(type) {
	case Date:
		if y, ok := b.(Date); ok {
			return cmp.Compare(x.Day, y.Day), true
		}
	case LocalTime:
		if y, ok := b.(LocalTime); ok {
			return cmp.Compare(x.Nano, y.Nano), true
		}
	case Time:
		if y, ok := b.(Time); ok {
			return cmp.Or(cmp.Compare(x.Nano-x.Offset*second, y.Nano-y.Offset*second), cmp.Compare(x.Offset, y.Offset)), true
		}
	case LocalDateTime:
		if y, ok := b.(LocalDateTime); ok {
			return cmp.Or(cmp.Compare(x.Day, y.Day), cmp.Compare(x.Nano, y.Nano)), true
		}
	case DateTime:
		if y, ok := b.(DateTime); ok {
			return cmp.Or(cmp.Compare(x.seconds(), y.seconds()), cmp.Compare(x.nano(), y.nano()), cmp.Compare(x.Offset, y.Offset), cmp.Compare(x.Zone, y.Zone)), true
		}
	}
	return 0, false
}

// Order is a total order over values of one type, for sorting: durations by
// their length with months and days of average length.
func Order(a, b Value) int {
	x, isDuration := a.(Duration)
	if !isDuration {
		order, _ := Compare(a, b)
		return order
	}
	y := b.(Duration)
	return cmp.Or(cmp.Compare(x.length(), y.length()), cmp.Compare(x.Nano, y.Nano), cmp.Compare(x.Months, y.Months), cmp.Compare(x.Days, y.Days))
}

// averageMonth is a twelfth of the average year, in seconds.
const averageMonth = 2_629_746

func (d Duration) length() float64 {
	return float64(d.Months)*averageMonth + float64(d.Days)*86400 + float64(d.Seconds)
}
