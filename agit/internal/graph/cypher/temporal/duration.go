package temporal

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
)

// unit is a field of a duration, in months, days or nanoseconds.
type unit struct {
	key                 string
	months, days, nanos int64
}

var units = []unit{
	{"years", 12, 0, 0}, {"quarters", 3, 0, 0}, {"months", 1, 0, 0}, {"weeks", 0, 7, 0}, {"days", 0, 1, 0},
	{"hours", 0, 0, hour}, {"minutes", 0, 0, minute}, {"seconds", 0, 0, second},
	{"milliseconds", 0, 0, 1_000_000}, {"microseconds", 0, 0, 1000}, {"nanoseconds", 0, 0, 1},
}

// amount is a duration during its computation: exact fractions of each unit.
type amount struct{ months, days, nanos big.Rat }

func (a *amount) add(to *big.Rat, worth int64, n *big.Rat) {
	to.Add(to, new(big.Rat).Mul(n, new(big.Rat).SetInt64(worth)))
}

// duration carries fractions of a month or a day over to the smaller units, at their average length. A fraction of a nanosecond is cut
// off.
func (a *amount) duration() (Duration, error) {
	months, rest := wholeAnd(&a.months)
	a.days.Add(&a.days, rest.Mul(rest, big.NewRat(averageMonth, 86400)))
	days, rest := wholeAnd(&a.days)
	a.add(&a.nanos, day, rest)
	nanos, _ := wholeAnd(&a.nanos)
	seconds, nano := new(big.Int).DivMod(nanos, big.NewInt(second), new(big.Int)) // Euclidean: nano is not negative
	if !months.IsInt64() || !days.IsInt64() || !seconds.IsInt64() {
		return Duration{}, errors.New("the duration is too long")
	}
	return Duration{months.Int64(), days.Int64(), seconds.Int64(), nano.Int64()}, nil
}

// wholeAnd splits at the decimal point, both parts with the sign of the whole.
func wholeAnd(r *big.Rat) (whole *big.Int, rest *big.Rat) {
	whole = new(big.Int).Quo(r.Num(), r.Denom())
	return whole, new(big.Rat).Sub(r, new(big.Rat).SetInt(whole))
}

func rational(v any) (*big.Rat, bool) {
	switch v := v.(type) {
	case int64:
		return new(big.Rat).SetInt64(v), true
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e18 {
			return nil, false
		}
		// As written: 0.1 is a tenth, not the nearest float.
		return new(big.Rat).SetString(fmt.Sprintf("%v", v))
	}
	return nil, false
}

// BuildDuration makes a duration of its fields.
func BuildDuration(fields map[string]any) (Duration, error) {
	known := 0
	var a amount
	for _, u := range units {
		v, there := fields[u.key]
		if !there {
			continue
		}
		known++
		if v == nil {
			continue
		}
		n, ok := rational(v)
		if !ok {
			return Duration{}, fmt.Errorf("%s is a number", u.key)
		}
		a.add(&a.months, u.months, n)
		a.add(&a.days, u.days, n)
		a.add(&a.nanos, u.nanos, n)
	}
	if known < len(fields) {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if !slices.ContainsFunc(units, func(u unit) bool { return u.key == key }) {
				return Duration{}, fmt.Errorf("a duration has no %s", key)
			}
		}
	}
	if known == 0 {
		return Duration{}, errors.New("a duration needs at least one unit")
	}
	return a.duration()
}

func (d Duration) amount() *amount {
	var a amount
	a.months.SetInt64(d.Months)
	a.days.SetInt64(d.Days)
	a.nanos.Add(new(big.Rat).Mul(new(big.Rat).SetInt64(d.Seconds), new(big.Rat).SetInt64(second)), new(big.Rat).SetInt64(d.Nano))
	return &a
}

// plus adds unit by unit; with sign -1 it subtracts.
func (d Duration) plus(o Duration, sign int64) (Duration, error) {
	a, b, by := d.amount(), o.amount(), new(big.Rat).SetInt64(sign)
	a.months.Add(&a.months, b.months.Mul(&b.months, by))
	a.days.Add(&a.days, b.days.Mul(&b.days, by))
	a.nanos.Add(&a.nanos, b.nanos.Mul(&b.nanos, by))
	return a.duration()
}

// times multiplies by a number, or divides by it.
func (d Duration) times(n any, divide bool) (Duration, error) {
	by, ok := rational(n)
	if !ok {
		return Duration{}, errors.New("a duration is multiplied by a finite number")
	}
	if divide {
		if by.Sign() == 0 {
			return Duration{}, errors.New("a duration is divided by zero")
		}
		by.Inv(by)
	}
	a := d.amount()
	a.months.Mul(&a.months, by)
	a.days.Mul(&a.days, by)
	a.nanos.Mul(&a.nanos, by)
	return a.duration()
}
