package temporal

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// The calendar agrees with Go's in the range that Go covers.
func TestCalendar(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		n := r.Int64N(2_000_000) - 1_000_000
		want := time.Unix(n*86400, 0).UTC()
		y, m, d := civil(n)
		year, week := want.ISOWeek()
		gotYear, gotWeek := weekOf(n)
		if int(y) != want.Year() || int(m) != int(want.Month()) || int(d) != want.Day() || dayOf(y, m, d) != n ||
			int64(year) != gotYear || int64(week) != gotWeek || floorMod(int64(want.Weekday())+6, 7)+1 != weekday(n) ||
			int64(want.YearDay()) != n-dayOf(y, 1, 1)+1 {
			t.Fatalf("day %d is %v, not %d-%d-%d", n, want, y, m, d)
		}
	}
	for _, n := range []int64{dayOf(-lastYear, 1, 1), dayOf(lastYear, 12, 31)} {
		if y, m, d := civil(n); dayOf(y, m, d) != n {
			t.Errorf("day %d is %d-%d-%d", n, y, m, d)
		}
	}
}

func TestBuilt(t *testing.T) {
	at := func(v Value, err error) string {
		if err != nil {
			return "error"
		}
		return v.String()
	}
	i := func(n int) any { return int64(n) }
	for _, c := range []struct {
		got, want string
	}{
		{at(Dates.Build(map[string]any{"year": i(1984), "month": i(10), "day": i(11)})), "1984-10-11"},
		{at(Dates.Build(map[string]any{"year": i(1984), "week": i(10), "dayOfWeek": i(3)})), "1984-03-07"},
		{at(Dates.Build(map[string]any{"year": i(1817), "week": i(1), "dayOfWeek": i(2)})), "1816-12-31"},
		{at(Dates.Build(map[string]any{"year": i(1984), "ordinalDay": i(202)})), "1984-07-20"},
		{at(Dates.Build(map[string]any{"year": i(1984), "quarter": i(3), "dayOfQuarter": i(45)})), "1984-08-14"},
		{at(Dates.Build(map[string]any{"year": i(1984)})), "1984-01-01"},
		{at(Dates.Build(map[string]any{"year": i(1984), "day": i(1)})), "error"},
		{at(Dates.Build(map[string]any{"year": i(1983), "month": i(2), "day": i(29)})), "error"},
		{at(Dates.Build(map[string]any{"year": i(1984), "week": i(53)})), "error"},
		{at(Dates.Build(map[string]any{"year": i(1984), "week": i(1), "month": i(1)})), "error"},
		{at(Dates.Build(map[string]any{"year": 1984.5})), "error"},
		{at(Dates.Build(map[string]any{"month": i(1)})), "error"},
		{at(LocalTimes.Build(map[string]any{"hour": i(12), "minute": i(31), "second": i(14), "nanosecond": i(789), "millisecond": i(123), "microsecond": i(456)})), "12:31:14.123456789"},
		{at(LocalTimes.Build(map[string]any{"hour": i(12), "second": i(3)})), "error"},
		{at(LocalTimes.Build(map[string]any{"minute": i(3)})), "error"},
		{at(LocalTimes.Build(map[string]any{"hour": i(24)})), "error"},
		{at(Times.Build(map[string]any{"hour": i(12), "timezone": "+02:05:59"})), "12:00+02:05:59"},
		{at(Times.Build(map[string]any{"hour": i(12), "timezone": "Europe/Stockholm"})), "error"},
		{at(DateTimes.Build(map[string]any{"year": i(1984), "month": i(10), "day": i(11), "hour": i(12), "timezone": "Europe/Stockholm"})), "1984-10-11T12:00+01:00[Europe/Stockholm]"},
		{at(DateTimes.Build(map[string]any{"year": i(2018), "month": i(3), "day": i(25), "hour": i(2), "minute": i(30), "timezone": "Europe/Stockholm"})), "2018-03-25T03:30+02:00[Europe/Stockholm]"},
		{at(DateTimes.Build(map[string]any{"year": i(2018), "month": i(10), "day": i(28), "hour": i(2), "minute": i(30), "timezone": "Europe/Stockholm"})), "2018-10-28T02:30+02:00[Europe/Stockholm]"},
		{at(DateTimes.Build(map[string]any{"year": i(1984), "timezone": "Nowhere/Land"})), "error"},
		{at(FromEpoch(416779, 999999999)), "1970-01-05T19:46:19.999999999Z"},
		{at(FromEpochMillis(237821673987)), "1977-07-15T13:34:33.987Z"},
		{at(BuildDuration(map[string]any{"months": 0.75})), "P22DT19H51M49.5S"},
		{at(BuildDuration(map[string]any{"weeks": 2.5})), "P17DT12H"},
		{at(BuildDuration(map[string]any{"years": i(12), "months": i(5), "days": i(14), "hours": i(16), "minutes": i(12), "seconds": i(70), "milliseconds": i(1)})), "P12Y5M14DT16H13M10.001S"},
		{at(BuildDuration(map[string]any{"seconds": i(2), "milliseconds": i(-1)})), "PT1.999S"},
		{at(BuildDuration(map[string]any{"fortnights": i(1)})), "error"},
		{at(BuildDuration(map[string]any{})), "error"},
		{at(ParseDuration("P12Y5M14DT16H12M70S")), "P12Y5M14DT16H13M10S"},
		{at(ParseDuration("P2012-02-02T14:37:21.545")), "P2012Y2M2DT14H37M21.545S"},
		{at(ParseDuration("PT-0.5S")), "PT-0.5S"},
		{at(ParseDuration("P")), "error"},
		{at(ParseDuration("P1DT")), "error"},
		{at(Dates.Parse("2015-02-30")), "error"},
		{at(Dates.Parse("2015-13")), "error"},
		{at(Dates.Parse("+12015-06-01")), "+12015-06-01"},
		{at(DateTimes.Parse("2015-07-21T21:40:32.142[Europe/London]")), "2015-07-21T21:40:32.142+01:00[Europe/London]"},
		{at(DateTimes.Parse("1818-07-21T21:40[Europe/Stockholm]")), "error"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestArithmetic(t *testing.T) {
	duration := func(fields map[string]any) Duration {
		d, err := BuildDuration(fields)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	i := func(n int) any { return int64(n) }
	long := duration(map[string]any{"years": i(12), "months": i(5), "days": i(14), "hours": i(16), "minutes": i(12), "seconds": i(70), "nanoseconds": i(2)})
	halves := duration(map[string]any{"years": 12.5, "months": 5.5, "days": 14.5, "hours": 16.5, "minutes": 12.5, "seconds": 70.5, "nanoseconds": i(3)})
	must := func(v Value, err error) Value {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		a    any
		op   string
		b    any
		want string
	}{
		{must(Dates.Parse("1984-10-11")), "+", long, "1997-03-25"},
		{must(Dates.Parse("1984-10-11")), "-", long, "1972-04-27"},
		{must(Dates.Parse("1984-10-11")), "+", halves, "1997-10-11"},
		{must(Dates.Parse("1984-10-11")), "-", halves, "1971-10-12"},
		{must(LocalTimes.Parse("12:31:14.000000001")), "+", long, "04:44:24.000000003"},
		{must(LocalTimes.Parse("12:31:14.000000001")), "-", long, "20:18:03.999999999"},
		{must(Times.Parse("12:31:14.000000001+01:00")), "+", long, "04:44:24.000000003+01:00"},
		{must(LocalDateTimes.Parse("1984-10-11T12:31:14.000000001")), "+", long, "1997-03-26T04:44:24.000000003"},
		{must(DateTimes.Parse("1984-10-11T12:31:14.000000001+01:00")), "-", long, "1972-04-26T20:18:03.999999999+01:00"},
		{long, "+", must(Dates.Parse("1984-10-11")), "1997-03-25"},
		{must(Dates.Parse("2011-01-31")), "+", duration(map[string]any{"months": i(1)}), "2011-02-28"},
		{must(DateTimes.Parse("2018-03-24T12:00[Europe/Stockholm]")), "+", duration(map[string]any{"days": i(1)}), "2018-03-25T12:00+02:00[Europe/Stockholm]"},
		{must(DateTimes.Parse("2018-03-24T12:00[Europe/Stockholm]")), "+", duration(map[string]any{"hours": i(24)}), "2018-03-25T13:00+02:00[Europe/Stockholm]"},
		{long, "+", long, "P24Y10M28DT32H26M20.000000004S"},
		{long, "-", long, "PT0S"},
		{long, "*", int64(2), "P24Y10M28DT32H26M20.000000004S"},
		{long, "*", 0.5, "P6Y2M22DT13H21M8.000000001S"},
		{long, "/", int64(2), "P6Y2M22DT13H21M8.000000001S"},
		{int64(1), "*", long, "P12Y5M14DT16H13M10.000000002S"},
		{long, "/", int64(0), "error"},
		{int64(1), "/", long, "error"},
		{must(Dates.Parse("1984-10-11")), "+", int64(1), "error"},
		{must(Dates.Parse("1984-10-11")), "+", must(Dates.Parse("1984-10-11")), "error"},
		{must(Dates.Parse("+999999999-12-31")), "+", duration(map[string]any{"days": i(1)}), "error"},
		{must(Dates.Parse("2000-01-01")), "+", duration(map[string]any{"days": int64(1) << 62}), "error"},
		{must(Dates.Parse("2000-01-01")), "+", duration(map[string]any{"months": int64(1) << 62}), "error"},
		{duration(map[string]any{"days": int64(1) << 62}), "*", int64(4), "error"},
	} {
		got := "error"
		if v, err := Operate(c.op, c.a, c.b); err == nil {
			got = v.String()
		}
		if got != c.want {
			t.Errorf("%v %s %v is %s, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
}

func TestCompare(t *testing.T) {
	must := func(v Value, err error) Value {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		a, b Value
		want string
	}{
		{must(Dates.Parse("1980-12-24")), must(Dates.Parse("1984-10-11")), "-1 true"},
		{must(Times.Parse("10:00+01:00")), must(Times.Parse("09:35:14Z")), "-1 true"},
		{must(DateTimes.Parse("1984-10-11T12:00+05:00")), must(DateTimes.Parse("1984-10-11T12:00Z")), "-1 true"},
		{must(Dates.Parse("1984-10-11")), must(LocalDateTimes.Parse("1984-10-11T00:00")), "0 false"},
		{must(ParseDuration("P1D")), must(ParseDuration("PT24H")), "0 false"},
	} {
		order, ok := Compare(c.a, c.b)
		if got := fmt.Sprint(order, ok); got != c.want {
			t.Errorf("%v and %v: %s, want %s", c.a, c.b, got, c.want)
		}
	}
	if must(ParseDuration("P1D")) == must(ParseDuration("PT24H")) || must(ParseDuration("P1Y2M")) != must(ParseDuration("P14M")) {
		t.Error("durations are equal unit by unit")
	}
	if Order(Duration{Days: 31}, Duration{Months: 1}) <= 0 || Order(Duration{Days: 30}, Duration{Months: 1}) >= 0 {
		t.Error("durations sort by their average length")
	}
}

// A printed value parses to itself, and the duration between two values leads from one to the other.
func TestRoundTrips(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	zones := []string{"", "Europe/Stockholm", "America/New_York", "Australia/Eucla"}
	for range 5000 {
		offset := r.Int64N(36*60)*60 - 18*3600
		moment := func() DateTime {
			z := zone{name: zones[r.IntN(len(zones))], offset: offset}
			v, err := z.at(r.Int64N(2_000_000_000), r.Int64N(second))
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		a, b := moment(), moment()
		for _, v := range []Value{a, Date{a.Day}, LocalTime{a.Nano}, Time{a.Nano, a.Offset}, LocalDateTime{a.Day, a.Nano}, Duration{r.Int64N(400) - 200, r.Int64N(400) - 200, r.Int64N(1e6) - 5e5, r.Int64N(second)}} {
			var back Value
			var err error
			switch v.(type) {
			case DateTime:
				back, err = DateTimes.Parse(v.String())
			case Date:
				back, err = Dates.Parse(v.String())
			case LocalTime:
				back, err = LocalTimes.Parse(v.String())
			case Time:
				back, err = Times.Parse(v.String())
			case LocalDateTime:
				back, err = LocalDateTimes.Parse(v.String())
			default:
				back, err = ParseDuration(v.String())
			}
			if err != nil || back != v {
				t.Fatalf("%v is read as %v, %v", v, back, err)
			}
		}
		if a.seconds() > b.seconds() || a.seconds() == b.seconds() && a.nano() > b.nano() {
			a, b = b, a
		}
		d, err := Between(a, b)
		if err != nil {
			t.Fatal(err)
		}
		there, err := Operate("+", a, d)
		if err != nil || there.(DateTime).seconds() != b.seconds() || there.(DateTime).nano() != b.nano() {
			t.Fatalf("%v and %v lie %v apart, which leads to %v, %v", a, b, d, there, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"2015-W30-2T21:40:32.142+0100", "P0.75M", "21:40[Europe/London]", "-999999999-01-01", "2015202", "P2012-02-02T14:37:21.545", "PT-1.5S"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := DateTimes.Parse(s); err == nil {
			if back, err := DateTimes.Parse(v.String()); err != nil || back != v {
				t.Errorf("%q is %v, then %v, %v", s, v, back, err)
			}
		}
		if v, err := ParseDuration(s); err == nil {
			if back, err := ParseDuration(v.String()); err != nil || back != v {
				t.Errorf("%q is %v, then %v, %v", s, v, back, err)
			}
		}
		_, _ = Times.Parse(s)
		_, _ = LocalTimes.Parse(s)
		_, _ = LocalDateTimes.Parse(s)
	})
}
