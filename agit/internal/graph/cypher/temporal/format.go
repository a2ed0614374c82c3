package temporal

import (
	"fmt"
	"strconv"
	"strings"
)

// String is the date in ISO 8601.
func (d Date) String() string {
	y, m, dd := civil(d.Day)
	switch {
	case y > 9999:
		return fmt.Sprintf("+%d-%02d-%02d", y, m, dd)
	case y < 0:
		return fmt.Sprintf("-%04d-%02d-%02d", -y, m, dd)
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, m, dd)
}

// String is the time in ISO 8601, without seconds when they are zero.
func (t LocalTime) String() string { return clock(t.Nano) }

// String is the time and its offset.
func (t Time) String() string { return clock(t.Nano) + formatOffset(t.Offset) }

// String is date and time joined by T.
func (t LocalDateTime) String() string { return Date{t.Day}.String() + "T" + clock(t.Nano) }

// String is date, time and offset, and the zone in brackets if it is named.
func (t DateTime) String() string {
	s := Date{t.Day}.String() + "T" + clock(t.Nano) + formatOffset(t.Offset)
	if t.Zone != "" {
		s += "[" + t.Zone + "]"
	}
	return s
}

func clock(nano int64) string {
	s := fmt.Sprintf("%02d:%02d", nano/hour, nano%hour/minute)
	rest := nano % minute
	if rest == 0 {
		return s
	}
	s += fmt.Sprintf(":%02d", rest/second)
	switch fraction := rest % second; {
	case fraction == 0:
	case fraction%1_000_000 == 0:
		s += fmt.Sprintf(".%03d", fraction/1_000_000)
	case fraction%1000 == 0:
		s += fmt.Sprintf(".%06d", fraction/1000)
	default:
		s += fmt.Sprintf(".%09d", fraction)
	}
	return s
}

func formatOffset(seconds int64) string {
	if seconds == 0 {
		return "Z"
	}
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	s := fmt.Sprintf("%s%02d:%02d", sign, seconds/3600, seconds%3600/60)
	if seconds%60 != 0 {
		s += fmt.Sprintf(":%02d", seconds%60)
	}
	return s
}

// String is the duration in ISO 8601, each unit with its own sign.
func (d Duration) String() string {
	var b strings.Builder
	part := func(n int64, unit byte) {
		if n != 0 {
			b.WriteString(strconv.FormatInt(n, 10))
			b.WriteByte(unit)
		}
	}
	b.WriteByte('P')
	part(d.Months/12, 'Y')
	part(d.Months%12, 'M')
	part(d.Days, 'D')
	date := b.Len()
	b.WriteByte('T')
	seconds, nano := d.Seconds, d.Nano
	if seconds < 0 && nano > 0 { // both with one sign
		seconds, nano = seconds+1, nano-second
	}
	part(seconds/3600, 'H')
	part(seconds%3600/60, 'M')
	if s := seconds % 60; s != 0 || nano != 0 {
		if s == 0 && nano < 0 {
			b.WriteByte('-')
		}
		b.WriteString(strconv.FormatInt(s, 10))
		if nano != 0 {
			b.WriteString(strings.TrimRight(fmt.Sprintf(".%09d", max(nano, -nano)), "0"))
		}
		b.WriteByte('S')
	}
	switch text := b.String(); {
	case text == "PT":
		return "PT0S"
	case b.Len() == date+1:
		return text[:date]
	default:
		return text
	}
}
