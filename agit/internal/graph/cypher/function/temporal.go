package function

import (
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
)

// instant describes the constructor of a type.
type instant struct {
	name   string
	does   string
	result Types
	of     *temporal.Type
}

func instants() []instant {
	return []instant{
		{"date", "a day, of a string, a map of fields, another value, or today", Date, temporal.Dates},
		{"localtime", "a time of day without a zone, likewise", LocalTime, temporal.LocalTimes},
		{"time", "a time of day with an offset, likewise", Time, temporal.Times},
		{"localdatetime", "a day and time without a zone, likewise", LocalDateTime, temporal.LocalDateTimes},
		{"datetime", "a day and time with an offset or zone, likewise", DateTime, temporal.DateTimes},
	}
}

func temporals() []Function {
	var all []Function
	for _, i := range instants() {
		all = append(all,
			Function{Name: i.name, Group: Temporals, Signature: i.name + "([string | map | value])", Does: i.does, Max: 1, Params: []Types{String | Map | Instant}, Result: i.result, Call: i.call},
			Function{Name: i.name + ".truncate", Group: Temporals, Signature: i.name + ".truncate(unit, value [, fields])", Min: 2, Max: 3, Params: []Types{String, Instant, Map}, Result: i.result,
				Does: "cut down to a unit, from millennium to microsecond, with fields set anew", Call: i.cut})
		for _, clock := range []string{"transaction", "statement", "realtime"} {
			does := "the current one when the query began, in a time zone if one is given"
			if clock == "realtime" {
				does = "the current one at this very moment"
			}
			all = append(all, Function{Name: i.name + "." + clock, Group: Temporals, Signature: i.name + "." + clock + "([timezone])", Does: does, Max: 1, Params: []Types{String}, Result: i.result,
				Random: clock == "realtime", Call: func(env Env, args []any) (any, error) {
					at := env.Now()
					if clock == "realtime" {
						at = time.Now()
					}
					zone := ""
					if len(args) > 0 {
						var ok bool
						if zone, ok = args[0].(string); !ok {
							return nil, badType(i.name+"."+clock, args[0], "the name of a time zone")
						}
					}
					return i.now(at, zone)
				}})
		}
	}
	between := func(name, does string, f func(a, b temporal.Value) (temporal.Duration, error)) Function {
		return Function{Name: "duration." + name, Group: Temporals, Signature: "duration." + name + "(from, to)", Does: does, Min: 2, Max: 2, Params: []Types{Instant, Instant}, Result: Duration,
			Call: func(_ Env, args []any) (any, error) {
				a, okA := args[0].(temporal.Value)
				b, okB := args[1].(temporal.Value)
				if !okA || !okB {
					return nil, badType("duration."+name, wrong(args, okA), "two dates or times")
				}
				return checked(f(a, b))
			}}
	}
	return append(all,
		Function{Name: "datetime.fromepoch", Group: Temporals, Signature: "datetime.fromepoch(seconds, nanoseconds)", Does: "the moment so long after 1970 began", Min: 2, Max: 2, Params: []Types{Integer, Integer}, Result: DateTime,
			Call: func(_ Env, args []any) (any, error) {
				s, okS := args[0].(int64)
				n, okN := args[1].(int64)
				if !okS || !okN {
					return nil, badType("datetime.fromepoch", wrong(args, okS), "integers")
				}
				return checked(temporal.FromEpoch(s, n))
			}},
		one(Function{Name: "datetime.fromepochmillis", Group: Temporals, Signature: "datetime.fromepochmillis(milliseconds)", Does: "the same in milliseconds", Params: []Types{Integer}, Result: DateTime}, "an integer",
			func(_ Env, v any) (any, error) { return checked(temporal.FromEpochMillis(v.(int64))) }),
		one(Function{Name: "duration", Group: Temporals, Signature: "duration(string | map)", Does: "an amount of time", Params: []Types{String | Map | Duration}, Result: Duration}, "a string or a map", duration),
		between("between", "the time from one to the other in months, days and seconds", temporal.Between),
		between("inMonths", "the same in whole months", temporal.InMonths),
		between("inDays", "the same in whole days", temporal.InDays),
		between("inSeconds", "the same in seconds", temporal.InSeconds))
}

// wrong returns the argument of the wrong type among two: the first, unless first is true.
func wrong(args []any, first bool) any {
	if first {
		return args[1]
	}
	return args[0]
}

// checked names an error of package temporal by the language's error name.
func checked[T temporal.Value](v T, err error) (any, error) {
	if err != nil {
		return nil, argumentError("InvalidArgumentValue", "%s", err)
	}
	return v, nil
}

func (i instant) call(env Env, args []any) (any, error) {
	if len(args) == 0 {
		return i.now(env.Now(), "")
	}
	switch v := args[0].(type) {
	case string:
		return checked(i.of.Parse(v))
	case map[string]any:
		if zone, ok := v["timezone"].(string); ok && len(v) == 1 {
			return i.now(env.Now(), zone)
		}
		return checked(i.of.Build(v))
	case temporal.Duration:
	case temporal.Value:
		return checked(i.of.Convert(v))
	}
	return nil, badType(i.name, args[0], "a string, a map, or a date or time")
}

func (i instant) now(at time.Time, zone string) (any, error) {
	now, err := temporal.Now(at.Unix(), int64(at.Nanosecond()), zone)
	if err != nil {
		return nil, argumentError("InvalidArgumentValue", "%s", err)
	}
	return checked(i.of.Convert(now))
}

func (i instant) cut(_ Env, args []any) (any, error) {
	unit, okU := args[0].(string)
	v, okV := args[1].(temporal.Value)
	fields := map[string]any{}
	okF := true
	if len(args) > 2 {
		fields, okF = args[2].(map[string]any)
	}
	if !okU || !okV || !okF {
		return nil, syntax.RuntimeErrorf(syntax.Pos{}, "TypeError", "InvalidArgumentType", "%s.truncate() takes a unit, a date or time, and a map", i.name)
	}
	return checked(i.of.Truncate(unit, v, fields))
}

func duration(_ Env, v any) (any, error) {
	switch v := v.(type) {
	case string:
		return checked(temporal.ParseDuration(v))
	case map[string]any:
		return checked(temporal.BuildDuration(v))
	}
	return v, nil
}
