package temporal

import (
	"fmt"
	"time"
)

// The calendar is the proleptic Gregorian one of ISO 8601: it has a year 0.

// lastYear bounds years in both directions.
const lastYear = 999_999_999

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

// dayOf returns the number of a day since 1970; month is 1 to 12, day 1 and up.
func dayOf(y, m, d int64) int64 {
	return floorDiv(time.Date(int(y), time.Month(m), int(d), 0, 0, 0, 0, time.UTC).Unix(), 86400)
}

// midnight is the beginning of a day.
func midnight(day int64) time.Time { return time.Unix(day*86400, 0).UTC() }

// civil returns the year, month and day of a day number.
func civil(day int64) (y, m, d int64) {
	year, month, dd := midnight(day).Date()
	return int64(year), int64(month), int64(dd)
}

func monthLength(y, m int64) int64 { return dayOf(y, m+1, 1) - dayOf(y, m, 1) }

func yearLength(y int64) int64 { return dayOf(y+1, 1, 1) - dayOf(y, 1, 1) }

// weekday is 1 for Monday to 7 for Sunday.
func weekday(day int64) int64 { return floorMod(day+3, 7) + 1 }

// firstWeek returns the Monday of week 1 of a week-based year, which is the week with 4 January.
func firstWeek(y int64) int64 {
	fourth := dayOf(y, 1, 4)
	return fourth - weekday(fourth) + 1
}

// weekOf is the week-based year and the week of a day.
func weekOf(day int64) (y, week int64) {
	year, w := midnight(day).ISOWeek()
	return int64(year), int64(w)
}

// quarterStart is the first day of a quarter.
func quarterStart(y, quarter int64) int64 { return dayOf(y, 3*quarter-2, 1) }

// addMonths moves a day by months. When the target month is too short, it returns the month's last day.
func addMonths(day, months int64) (int64, error) {
	y, m, d := civil(day)
	total, over := addInt(y*12+m-1, months)
	y, m = floorDiv(total, 12), floorMod(total, 12)+1
	if over || y < -lastYear || y > lastYear {
		return 0, outOfRange()
	}
	return dayOf(y, m, min(d, monthLength(y, m))), nil
}

// inRange returns an error for a day outside the supported years.
func inRange(day int64) error {
	if day < dayOf(-lastYear, 1, 1) || day > dayOf(lastYear, 12, 31) {
		return outOfRange()
	}
	return nil
}

func outOfRange() error {
	return fmt.Errorf("the result is beyond the years -%d to %d", lastYear, lastYear)
}

// addInt returns the sum and whether it overflowed.
func addInt(a, b int64) (sum int64, over bool) {
	sum = a + b
	return sum, (a > 0) == (b > 0) && b != 0 && (sum > a) != (b > 0)
}
