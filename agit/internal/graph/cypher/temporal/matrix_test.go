package temporal

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// fieldsOf reads "year 1984, timezone +01:00, date 1984-10-11": whole numbers, numbers, zones and values of the table.
func fieldsOf(t *testing.T, text string, known map[string]Value) map[string]any {
	t.Helper()
	fields := map[string]any{}
	for part := range strings.SplitSeq(text, ", ") {
		name, value, _ := strings.Cut(part, " ")
		var whole int64
		var number float64
		switch is, ok := known[value]; {
		case ok:
			fields[name] = is
		case name == "timezone":
			fields[name] = value
		case !strings.Contains(value, ".") && scans(value, &whole):
			fields[name] = whole
		case scans(value, &number):
			fields[name] = number
		default:
			fields[name] = value
		}
	}
	return fields
}

func scans(text string, into any) bool {
	n, err := fmt.Sscan(text, into)
	return n == 1 && err == nil
}

// shown is a value as text, else the error.
func shown[V Value](v V, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return v.String()
}

// line writes what the five types make of something, equal errors once.
func line(b *strings.Builder, of string, all ...string) {
	fmt.Fprintf(b, "%s\n", of)
	seen := map[string]bool{}
	for _, one := range all {
		if !seen[one] {
			fmt.Fprintf(b, "  %s\n", one)
		}
		seen[one] = true
	}
}

// values returns the values of the table, by their texts.
func values(t *testing.T) (texts []string, known map[string]Value) {
	t.Helper()
	known = map[string]Value{}
	add := func(v Value, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		known[v.String()] = v
		texts = append(texts, v.String())
	}
	for _, s := range []string{"1984-10-11", "2024-02-29", "-0044-03-15", "1999-12-31"} {
		v, err := Dates.Parse(s)
		add(v, err)
	}
	for _, s := range []string{"12:31:14.645876123", "00:00", "23:59:59.999999999"} {
		v, err := LocalTimes.Parse(s)
		add(v, err)
	}
	for _, s := range []string{"12:31:14.645876123+01:00", "00:30-11:15"} {
		v, err := Times.Parse(s)
		add(v, err)
	}
	for _, s := range []string{"1984-10-11T12:31:14.645876123", "2017-11-11T00:00"} {
		v, err := LocalDateTimes.Parse(s)
		add(v, err)
	}
	for _, s := range []string{"1984-10-11T12:31:14.645876123+01:00", "2017-10-29T02:30+01:00[Europe/Stockholm]", "2018-03-25T01:59:59.5+01:00[Europe/Stockholm]"} {
		v, err := DateTimes.Parse(s)
		add(v, err)
	}
	for _, s := range []string{"P12Y5M14DT16H12M70S", "P1M-3DT-0.5S", "PT0S"} {
		v, err := ParseDuration(s)
		add(v, err)
	}
	return texts, known
}

func TestBuiltOfFields(t *testing.T) {
	_, known := values(t)
	var b strings.Builder
	for _, text := range []string{
		"year 1984", "year 1984, month 10", "year 1984, month 10, day 11", "year 1984, day 11", "year 1984, month 13", "year 1984, month 0", "year 1983, month 2, day 29",
		"year 1984, week 10", "year 1984, week 10, dayOfWeek 3", "year 1984, week 53", "year 2020, week 53, dayOfWeek 7", "year 1984, week 1, dayOfWeek 8", "year 1984, dayOfWeek 3",
		"year 1984, quarter 3, dayOfQuarter 45", "year 1984, quarter 1, dayOfQuarter 91", "year 1983, quarter 1, dayOfQuarter 91", "year 1984, quarter 3, dayOfQuarter 92",
		"year 1984, quarter 2, dayOfQuarter 92", "year 1984, quarter 5", "year 1984, quarter 0", "year 1984, dayOfQuarter 4", "year 1984, quarter 3, dayOfQuarter 93", "year 1984, quarter 3, dayOfQuarter 0",
		"year 1984, ordinalDay 366", "year 1983, ordinalDay 366", "year 1984, ordinalDay 0", "year 999999999, month 12, day 31", "year 1000000000", "year -999999999", "year -1000000000",
		"year 1984, week 1, month 1", "year 1984, quarter 1, month 1", "year 1984, ordinalDay 1, week 1", "year 1984.5", "year x", "month 1", "unknown 1",
		"date 1984-10-11", "date 1984-10-11, year 28", "date 1984-10-11, month 3", "date 1984-10-11, day 31", "date 1984-10-11, week 1", "date 1984-10-11, dayOfWeek 2",
		"date 1984-10-11, quarter 1", "date 1984-10-11, dayOfQuarter 40", "date 1984-10-11, quarter 2, dayOfQuarter 1", "date 1984-10-11, ordinalDay 12", "date 2024-02-29, year 2023", "date 12:31:14.645876123",
		"date 1984-10-11T12:31:14.645876123, day 3", "datetime 1984-10-11T12:31:14.645876123+01:00", "datetime 1984-10-11T12:31:14.645876123+01:00, timezone +03:00",
		"datetime 1984-10-11T12:31:14.645876123, hour 3", "datetime 1984-10-11T12:31:14.645876123, timezone Europe/Stockholm", "datetime 1984-10-11", "datetime 12:31:14.645876123",
		"datetime 1984-10-11T12:31:14.645876123+01:00, date 1984-10-11", "date 1984-10-11, time 12:31:14.645876123", "date 1984-10-11, time 12:31:14.645876123+01:00, second 42",
		"date 1984-10-11, time 12:31:14.645876123+01:00, timezone +05:00", "year 1984, time 00:30-11:15, timezone Pacific/Honolulu", "date 1984-10-11, hour 3", "year 1984, hour 3, minute 4, second 5, nanosecond 6",
		"hour 12", "hour 12, minute 31", "hour 12, minute 31, second 14", "hour 24", "hour -1", "hour 1, minute 60", "hour 1, minute 1, second 60", "minute 1", "hour 1, second 1", "hour 1, minute 1, nanosecond 1",
		"hour 12, minute 31, second 14, millisecond 645", "hour 12, minute 31, second 14, millisecond 645, microsecond 876, nanosecond 123", "hour 12, minute 31, second 14, microsecond 645876, nanosecond 123",
		"hour 12, minute 31, second 14, nanosecond 645876123", "hour 12, minute 31, second 14, nanosecond 1000000000", "hour 12, minute 31, second 14, millisecond 1000", "hour 12, minute 31, second 14, microsecond 1000000",
		"hour 12, minute 31, second 14, millisecond 1, microsecond 1000", "hour 12, minute 31, second 14, microsecond 1, nanosecond 1000", "hour 12, minute 31, second 14, millisecond 1, nanosecond 1000000",
		"hour 12, timezone +02:05:59", "hour 12, timezone Z", "hour 12, timezone +18:00", "hour 12, timezone +18:01", "hour 12, timezone Europe/Stockholm", "hour 12, timezone Nowhere/Land",
		"time 12:31:14.645876123", "time 12:31:14.645876123+01:00", "time 12:31:14.645876123+01:00, timezone +05:00", "time 12:31:14.645876123, hour 23", "time 12:31:14.645876123, nanosecond 5",
		"time 1984-10-11", "time 2017-10-29T02:30+01:00[Europe/Stockholm]", "time 2017-10-29T02:30+01:00[Europe/Stockholm], timezone +01:00", "datetime 2017-10-29T02:30+01:00[Europe/Stockholm], day 28",
		"year 2018, month 3, day 25, hour 2, minute 30, timezone Europe/Stockholm", "year 2018, month 10, day 28, hour 2, minute 30, timezone Europe/Stockholm", "year 1850, timezone Europe/Stockholm",
		"years 1", "months 0.75", "weeks 2.5", "days 1.5", "hours 1.5", "minutes 1.5", "seconds 1.5", "milliseconds 1", "microseconds 1", "nanoseconds 1", "nanoseconds -1", "years 12, months 5, days 14, hours 16, minutes 12, seconds 70",
		"months 5, days 1.5", "years 1.5, days -1", "seconds 2, milliseconds -1", "days 14, seconds 86400", "fortnights 1", "quarters 2", "years x", "seconds 9223372036854775807, milliseconds 1000", "months 9223372036854775807, years 1",
	} {
		all := func() map[string]any { return maps.Clone(fieldsOf(t, text, known)) }
		line(&b, text, "date "+shown(Dates.Build(all())), "localtime "+shown(LocalTimes.Build(all())), "time "+shown(Times.Build(all())), "localdatetime "+shown(LocalDateTimes.Build(all())),
			"datetime "+shown(DateTimes.Build(all())), "duration "+shown(BuildDuration(all())))
	}
	clitest.Golden(t, filepath.Join("testdata", "built.txt"), b.String())
}

func TestTruncatedToUnits(t *testing.T) {
	texts, known := values(t)
	var b strings.Builder
	for _, unit := range []string{"millennium", "century", "decade", "year", "weekYear", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond", "nanosecond"} {
		for _, text := range texts {
			for _, with := range []string{"", "day 2", "dayOfWeek 2", "dayOfQuarter 3", "nanosecond 2", "millisecond 3, nanosecond 4", "microsecond 5, nanosecond 6", "hour 7", "timezone +02:00", "timezone Europe/Stockholm", "unknown 1"} {
				if with != "" && (slices.Index(texts, text)%2 == 1 || unit == "millennium") {
					continue // half of the values are enough for fields
				}
				all := func() map[string]any {
					if with == "" {
						return nil
					}
					return fieldsOf(t, with, known)
				}
				var good []string
				for _, one := range []string{
					"date " + shown(Dates.Truncate(unit, known[text], all())), "localtime " + shown(LocalTimes.Truncate(unit, known[text], all())), "time " + shown(Times.Truncate(unit, known[text], all())),
					"localdatetime " + shown(LocalDateTimes.Truncate(unit, known[text], all())), "datetime " + shown(DateTimes.Truncate(unit, known[text], all())),
				} {
					if !strings.Contains(one, "error") {
						good = append(good, one)
					}
				}
				fmt.Fprintf(&b, "%s %s {%s}: %s\n", unit, text, with, strings.Join(good, ", "))
			}
		}
	}
	for _, c := range []struct{ unit, of, with string }{
		{"x", "1984-10-11", ""}, {"day", "P1M-3DT-0.5S", ""}, {"hour", "1984-10-11", ""}, {"day", "12:31:14.645876123", ""}, {"millisecond", "12:31:14.645876123", "millisecond 1"},
		{"microsecond", "12:31:14.645876123", "microsecond 1"}, {"microsecond", "12:31:14.645876123", "millisecond 1"}, {"millisecond", "12:31:14.645876123", "microsecond 1000"},
		{"millisecond", "12:31:14.645876123", "nanosecond 1000000"}, {"day", "1984-10-11", "unknown 1"},
	} {
		all := func() map[string]any {
			if c.with == "" {
				return nil
			}
			return fieldsOf(t, c.with, known)
		}
		line(&b, strings.TrimSpace(c.unit+" "+c.of+" "+c.with), "date "+shown(Dates.Truncate(c.unit, known[c.of], all())), "localtime "+shown(LocalTimes.Truncate(c.unit, known[c.of], all())),
			"datetime "+shown(DateTimes.Truncate(c.unit, known[c.of], all())))
	}
	clitest.Golden(t, filepath.Join("testdata", "truncated.txt"), b.String())
}

func TestPairs(t *testing.T) {
	texts, known := values(t)
	var b strings.Builder
	for _, x := range texts {
		fmt.Fprintf(&b, "%s\n", x)
		for _, name := range []string{"year", "quarter", "month", "week", "weekYear", "dayOfQuarter", "quarterDay", "day", "ordinalDay", "weekDay", "dayOfWeek", "hour", "minute", "second", "millisecond", "microsecond", "nanosecond",
			"timezone", "offset", "offsetMinutes", "offsetSeconds", "epochSeconds", "epochMillis", "years", "quarters", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds",
			"quartersOfYear", "monthsOfQuarter", "monthsOfYear", "daysOfWeek", "minutesOfHour", "secondsOfMinute", "millisecondsOfSecond", "microsecondsOfSecond", "nanosecondsOfSecond", "x"} {
			if part, ok := Component(known[x], name); ok {
				fmt.Fprintf(&b, "  %s %v\n", name, part)
			}
		}
		fmt.Fprintf(&b, "  to %s, %s, %s, %s, %s\n", shown(Dates.Convert(known[x])), shown(LocalTimes.Convert(known[x])), shown(Times.Convert(known[x])), shown(LocalDateTimes.Convert(known[x])), shown(DateTimes.Convert(known[x])))
		for _, y := range texts {
			order, ok := Compare(known[x], known[y])
			var sums []string
			for _, op := range []string{"+", "-", "*"} {
				if v, err := Operate(op, known[x], known[y]); err == nil {
					sums = append(sums, op+" "+v.String())
				}
			}
			fmt.Fprintf(&b, "  %s: %d %t; between %s, %s, %s, %s; %s\n", y, order, ok, shown(Between(known[x], known[y])), shown(InMonths(known[x], known[y])), shown(InDays(known[x], known[y])), shown(InSeconds(known[x], known[y])),
				strings.Join(sums, ", "))
		}
		for _, n := range []any{int64(2), int64(0), 1.5, -0.25, "x"} {
			for _, op := range []string{"*", "/", "+"} {
				if v, err := Operate(op, known[x], n); err == nil {
					fmt.Fprintf(&b, "  %s %v: %s\n", op, n, v)
				}
			}
		}
	}
	clitest.Golden(t, filepath.Join("testdata", "pairs.txt"), b.String())
}

func TestParsedTexts(t *testing.T) {
	var b strings.Builder
	for _, text := range []string{
		"2015-07-21", "20150721", "2015-07", "201507", "2015-W30-2", "2015W302", "2015-W30", "2015W30", "2015-Q2-60", "2015Q260", "2015-202", "2015202", "2015", "+2015-07-21", "-2015-07-21", "+002015-07", "02015-07", "2015-7-1", "2015-02-30", "2015-W54", "2015-Q5-1", "2015-367", "",
		"21:40:32.142", "214032.142", "21:40:32", "214032", "21:40", "2140", "21", "24", "21:60", "21:40:60", "21:40:32.1234567891", "21:40:32.", "21:40:32,5",
		"21:40:32.142+0100", "21:40+01:00", "21:40-01:30:10", "21:40Z", "21+18", "21+18:30", "21:40 +01:00",
		"2015-07-21T21:40:32.142", "2015-W30-2T214032.142", "2015-202T21:40:32", "2015T214032", "20150721T21:40-01:30", "2015-07-21T21:40:32.142+02:00[Europe/Stockholm]", "2015-07-21T21:40:32.142+0845[Australia/Eucla]",
		"2015-07-21T21:40:32.142-04[America/New_York]", "2015-07-21T21:40:32.142[Europe/London]", "2015-07-21T21:40:32+05:00[Europe/London]", "2015-07-21T24:00", "2015-07-21 21:40", "1818-07-21T21:40:32.142[Europe/Stockholm]", "2015-07-21T21:40[Nowhere/Land]",
		"P14DT16H12M", "P5M1.5D", "P0.75M", "PT0.75M", "P2.5W", "P12Y5M14DT16H12M70S", "P2012-02-02T14:37:21.545", "PT-0.5S", "-P1D", "P", "PT", "P1", "P1DT", "P1H", "PT1D", "P1Y1Y", "P-1Y-2M", "PT1.0000000001S", "P99999999999999999999D",
	} {
		line(&b, text, "date "+shown(Dates.Parse(text)), "localtime "+shown(LocalTimes.Parse(text)), "time "+shown(Times.Parse(text)), "localdatetime "+shown(LocalDateTimes.Parse(text)), "datetime "+shown(DateTimes.Parse(text)), "duration "+shown(ParseDuration(text)))
	}
	clitest.Golden(t, filepath.Join("testdata", "parsed.txt"), b.String())
}
