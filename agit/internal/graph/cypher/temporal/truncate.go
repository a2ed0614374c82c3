package temporal

import (
	"fmt"
	"maps"
)

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

// truncate cuts a value down to a unit, limited to the parts that the type has, and then sets fields.
func (t *Type) truncate(unit string, v Value, fields map[string]any) (point, error) {
	p, ok := t.parts(v)
	if !ok || t.day && p.day == nil || !t.day && p.nano == nil {
		return p, fmt.Errorf("%s cannot be truncated to this", v)
	}
	days, isDays := int64(0), false
	if p.day != nil {
		days, isDays = truncateDay(unit, *p.day)
	}
	n, isClock := clockUnits[unit]
	zero := int64(0)
	switch {
	case t.day && isDays:
		p.day, p.nano = &days, &zero
	case t.nano && isClock && (p.nano != nil || unit == "day"):
		cut := *p.nano - *p.nano%n
		p.nano = &cut
	default:
		return p, fmt.Errorf("%q is not a unit that this can be truncated to", unit)
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
		p.nano = new(g.clock(p.nano))
	}
	g.unused()
	return p, g.err
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
