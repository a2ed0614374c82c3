package temporal

import "fmt"

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

// dayOf returns the number of a day; month is 1 to 12, day 1 and up. It counts years from March, so that the leap day comes last.
func dayOf(y, m, d int64) int64 {
	if m <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	ofEra := y - era*400
	ofYear := (153*floorMod(m+9, 12)+2)/5 + d - 1
	return era*146_097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719_468
}

// civil returns the year, month and day of a day number.
func civil(day int64) (y, m, d int64) {
	day += 719_468
	era := floorDiv(day, 146_097)
	ofEra := day - era*146_097
	yearOfEra := (ofEra - ofEra/1460 + ofEra/36_524 - ofEra/146_096) / 365
	ofYear := ofEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	month := (5*ofYear + 2) / 153
	d = ofYear - (153*month+2)/5 + 1
	m = month + 3
	y = yearOfEra + era*400
	if m > 12 {
		m -= 12
		y++
	}
	return y, m, d
}

func leap(y int64) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }

func monthLength(y, m int64) int64 {
	switch {
	case m == 2 && leap(y):
		return 29
	case m == 2:
		return 28
	case m == 4 || m == 6 || m == 9 || m == 11:
		return 30
	}
	return 31
}

func yearLength(y int64) int64 {
	if leap(y) {
		return 366
	}
	return 365
}

// weekday is 1 for Monday to 7 for Sunday.
func weekday(day int64) int64 { return floorMod(day+3, 7) + 1 }

// firstWeek returns the Monday of week 1 of a week-based year, which is the week with 4 January.
func firstWeek(y int64) int64 {
	fourth := dayOf(y, 1, 4)
	return fourth - weekday(fourth) + 1
}

// weekOf is the week-based year and the week of a day.
func weekOf(day int64) (y, week int64) {
	y, _, _ = civil(day)
	if day < firstWeek(y) {
		y--
	} else if day >= firstWeek(y+1) {
		y++
	}
	return y, (day-firstWeek(y))/7 + 1
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
