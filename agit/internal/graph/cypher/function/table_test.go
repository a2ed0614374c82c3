package function

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// world is a query environment with one node and a limit on the bytes that may be charged.
type world struct{ bytes, steps int }

var ann = &value.Node{ID: 7, Labels: []string{"Agent", "Person"}, Properties: map[string]any{"name": "ann"}, Loaded: true}

func (w *world) Node(n *value.Node) (*value.Node, error) {
	if n.ID != ann.ID {
		return nil, errors.New("no such node")
	}
	return ann, nil
}
func (w *world) NodeByID(int64) (*value.Node, error) { return ann, nil }
func (w *world) Random() float64                     { return 0.25 }
func (w *world) Now() time.Time                      { return time.Date(2026, 11, 26, 13, 14, 15, 0, time.UTC) }
func (w *world) Charge(bytes int) error {
	if w.bytes -= bytes; w.bytes < 0 {
		return errors.New("too large")
	}
	return nil
}
func (w *world) Step() error { w.steps++; return nil }

// shown formats a result as the tables of this test write it.
func shown(v any, err error) string {
	switch v := v.(type) {
	case nil:
		if err != nil {
			parts := strings.SplitN(err.Error(), ": ", 3) // its kind and its detail come first
			return "error: " + parts[len(parts)-1]
		}
		return "null"
	case string:
		return v
	case *value.Node:
		return fmt.Sprintf("(%d)", v.ID)
	case *value.Relationship:
		return fmt.Sprintf("[%d]", v.ID)
	case temporal.Value:
		return v.String()
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, shown(e, nil))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return value.Format(v)
}

func list(values ...any) []any { return values }

func TestFunctions(t *testing.T) {
	t.Parallel()
	day, err := temporal.Dates.Parse("2026-11-26")
	if err != nil {
		t.Fatal(err)
	}
	knows := &value.Relationship{ID: 3, Type: "KNOWS", Start: 7, End: 7}
	path := &value.Path{Nodes: []*value.Node{ann, ann}, Relationships: []*value.Relationship{knows}}
	i := func(n int64) any { return n }
	for _, c := range []struct {
		name string
		args []any
		want string
	}{
		{"coalesce", list(nil, i(2), i(3)), "2"}, {"coalesce", list(nil), "null"},
		{"nullIf", list(i(1), 1.0), "null"}, {"nullIf", list(i(1), i(2)), "1"}, {"nullIf", list(nil, i(2)), "null"},
		{"exists", list(nil), "false"}, {"exists", list(""), "true"},
		{"size", list("née"), "3"}, {"size", list(list(i(1), nil)), "2"}, {"size", list(i(1)), "error: size() takes a list or a string, not an Integer"},
		{"isEmpty", list(""), "true"}, {"isEmpty", list(list(i(1))), "false"}, {"isEmpty", list(map[string]any{}), "true"}, {"isEmpty", list(true), "error: isEmpty() takes a list, a map or a string, not a Boolean"},
		{"keys", list(ann), `[name]`}, {"keys", list(map[string]any{"b": i(1), "a": nil}), `[a, b]`}, {"keys", list(knows), "[]"},
		{"keys", list(i(1)), "error: keys() takes a node, a relationship or a map, not an Integer"},
		{"properties", list(&value.Node{ID: 8}), "error: no such node"}, {"keys", list(&value.Node{ID: 8}), "error: no such node"},
		{"head", list(list(i(1), i(2))), "1"}, {"head", list(list()), "null"}, {"last", list(list(i(1), i(2))), "2"}, {"last", list(list()), "null"},
		{"tail", list(list(i(1), i(2), i(3))), "[2, 3]"}, {"tail", list(list()), "[]"}, {"head", list("x"), "error: head() takes a list, not a String"},
		{"range", list(i(1), i(3)), "[1, 2, 3]"}, {"range", list(i(5), i(1), i(-2)), "[5, 3, 1]"}, {"range", list(i(2), i(1)), "[]"}, {"range", list(i(1), i(2), i(-1)), "[]"},
		{"range", list(i(1), i(2), i(0)), "error: the step of range() cannot be 0"}, {"range", list(i(1), 2.0), "error: range() takes integers"},
		{"range", list(i(math.MinInt64), i(math.MaxInt64)), "error: too large"}, {"range", list(i(math.MaxInt64-1), i(math.MaxInt64)), "[9223372036854775806, 9223372036854775807]"},
		{"reverse", list("née"), "eén"}, {"reverse", list(list(i(1), i(2))), "[2, 1]"},
		{"left", list("née", i(2)), "né"}, {"left", list("a", i(9)), "a"}, {"left", list("a", i(-1)), "error: left() takes no negative number"}, {"right", list("née", i(2)), "ée"}, {"right", list("a", i(9)), "a"},
		{"substring", list("hello", i(1), i(3)), "ell"}, {"substring", list("hello", i(3)), "lo"}, {"substring", list("hello", i(9)), ""}, {"substring", list("hello", i(4), i(9)), "o"},
		{"substring", list(i(1), i(1)), "error: substring() takes a string first, not an Integer"}, {"left", list("a", "b"), "error: left() takes an integer after the string, not a String"},
		{"replace", list("aba", "a", "xx"), "xxbxx"}, {"replace", list(strings.Repeat("a", 900), "a", "xx"), "error: too large"}, {"split", list("a,b,", ","), "[a, b, ]"}, {"split", list("a", i(1)), "error: split() takes strings, not an Integer"},
		{"trim", list(" \ta "), "a"}, {"ltrim", list(" a "), "a "}, {"rtrim", list(" a "), " a"}, {"toUpper", list("née"), "NÉE"}, {"lower", list("NÉE"), "née"}, {"trim", list(i(1)), "error: trim() takes a string, not an Integer"},
		{"toBoolean", list("TRUE"), "true"}, {"toBoolean", list("no"), "null"}, {"toBoolean", list(i(2)), "true"}, {"toBoolean", list(1.5), "error: toBoolean() has no answer for a Float"}, {"toBooleanOrNull", list(1.5), "null"},
		{"toFloat", list(" 1.5 "), "1.5"}, {"toFloat", list("0x1p4"), "null"}, {"toFloat", list(i(2)), "2.0"}, {"toFloat", list("NaN"), "null"},
		{"toInteger", list("12"), "12"}, {"toInteger", list("-1.9"), "-1"}, {"toInteger", list(1e300), "null"}, {"toInteger", list(-9223372036854775808.0), "-9223372036854775808"}, {"toInteger", list(true), "1"}, {"toInteger", list("x"), "null"},
		{"toString", list(1.0), "1.0"}, {"toString", list(day), "2026-11-26"}, {"toString", list(list()), "error: toString() has no answer for a List"}, {"toStringOrNull", list(list()), "null"},
		{"id", list(ann), "7"}, {"elementId", list(knows), "3"}, {"id", list(i(1)), "error: id() has no answer for an Integer"}, {"elementId", list(i(1)), "error: elementId() has no answer for an Integer"},
		{"labels", list(ann), "[Agent, Person]"}, {"labels", list(&value.Node{ID: 1}), "[Agent, Person]"}, {"labels", list(&value.Node{ID: 1, Loaded: true}), "[]"}, {"type", list(knows), "KNOWS"},
		{"startNode", list(knows), "(7)"}, {"endNode", list(knows), "(7)"}, {"nodes", list(path), "[(7), (7)]"}, {"relationships", list(path), "[[3]]"}, {"length", list(path), "1"},
		{"length", list("abc"), "error: length() takes a path; size() counts lists and strings, not a String"},
		{"abs", list(i(-3)), "3"}, {"abs", list(-1.5), "1.5"}, {"ceil", list(1.2), "2.0"}, {"floor", list(-1.2), "-2.0"}, {"sign", list(-0.5), "-1"}, {"sign", list(i(0)), "0"}, {"sqrt", list(i(9)), "3.0"}, {"isNaN", list(math.NaN()), "true"}, {"isNaN", list(i(1)), "false"},
		{"rand", nil, "0.25"}, {"e", nil, "2.718281828459045"}, {"atan2", list(i(0), i(1)), "0.0"}, {"degrees", list(math.Pi), "180.0"}, {"radians", list(i(180)), "3.141592653589793"}, {"haversin", list(i(0)), "0.0"}, {"cot", list(math.Pi / 4), "1.0"},
		{"log10", list(i(100)), "2.0"}, {"sqrt", list("9"), "error: sqrt() takes a number, not a String"},
		{"date", nil, "2026-11-26"}, {"date", list("2026-01-02"), "2026-01-02"}, {"date", list(map[string]any{"year": i(2026), "month": i(2), "day": i(3)}), "2026-02-03"}, {"date", list(i(1)), "error: date() takes a string, a map, or a date or time, not an Integer"},
		{"datetime", list(map[string]any{"timezone": "+02:00"}), "2026-11-26T15:14:15+02:00"}, {"localdatetime.statement", list("+01:00"), "2026-11-26T14:14:15"}, {"time.transaction", list(i(1)), "error: time.transaction() takes the name of a time zone, not an Integer"},
		{"date.truncate", list("month", day), "2026-11-01"}, {"date.truncate", list("month", day, map[string]any{"day": i(5)}), "2026-11-05"}, {"date.truncate", list("month", "x"), "error: date.truncate() takes a unit, a date or time, and a map"},
		{"datetime.fromepoch", list(i(1), i(5)), "1970-01-01T00:00:01.000000005Z"}, {"datetime.fromepochmillis", list(i(1500)), "1970-01-01T00:00:01.500Z"}, {"datetime.fromepoch", list(1.5, i(0)), "error: datetime.fromepoch() takes integers, not a Float"},
		{"duration", list("P1DT2H"), "P1DT2H"}, {"duration", list(map[string]any{"hours": i(3)}), "PT3H"}, {"duration", list(i(1)), "error: duration() takes a string or a map, not an Integer"}, {"duration.inDays", list(day, day), "PT0S"},
		{"duration.between", list(day, i(1)), "error: duration.between() takes two dates or times, not an Integer"}, {"duration.between", list(i(1), day), "error: duration.between() takes two dates or times, not an Integer"},
		{"datetime.fromepoch", list(i(1), 1.5), "error: datetime.fromepoch() takes integers, not a Float"},
	} {
		f := Find(strings.ToUpper(c.name))
		if f == nil || f.Name != c.name {
			t.Errorf("%s is %+v", c.name, f)
			continue
		}
		if got := shown(f.Call(&world{bytes: 1000}, c.args)); got != c.want {
			t.Errorf("%s(%s) = %s, want %s", c.name, shown(c.args, nil), got, c.want)
		}
	}
	if w := (&world{bytes: 1000}); shown(Find("range").Call(w, list(i(1), i(4)))) == "" || w.steps != 4 || w.bytes != 1000-4*24 {
		t.Errorf("%+v", w)
	}
}

func TestAggregations(t *testing.T) {
	t.Parallel()
	i := func(n int64) any { return n }
	numbers := list(i(4), i(1), i(3), i(2))
	for _, c := range []struct {
		name   string
		second any
		values []any
		want   string
	}{
		{"count", nil, list("a", "b"), "2"}, {"count", nil, nil, "0"},
		{"collect", nil, list("b", i(1)), "[b, 1]"}, {"collect", nil, nil, "[]"},
		{"sum", nil, numbers, "10"}, {"sum", nil, list(i(1), 0.5), "1.5"}, {"sum", nil, nil, "0"}, {"sum", nil, list("x"), "error: sum() takes numbers, not a String"},
		{"avg", nil, numbers, "2.5"}, {"avg", nil, nil, "null"},
		{"min", nil, numbers, "1"}, {"max", nil, numbers, "4"}, {"max", nil, list("b", "a"), "b"}, {"min", nil, nil, "null"},
		{"stDev", nil, list(i(2), i(4)), "1.4142135623730951"}, {"stDevP", nil, list(i(2), i(4)), "1.0"}, {"stDev", nil, list(i(2)), "0.0"}, {"stDevP", nil, nil, "0.0"},
		{"percentileDisc", 0.5, numbers, "2"}, {"percentileDisc", 0.0, numbers, "1"}, {"percentileDisc", 1.0, numbers, "4"}, {"percentileDisc", 0.51, numbers, "3"},
		{"percentileCont", 0.5, numbers, "2.5"}, {"percentileCont", 0.25, numbers, "1.75"}, {"percentileCont", 0.5, nil, "null"}, {"percentileCont", 0.5, list("x"), "error: percentileCont() takes numbers, not a String"},
	} {
		a, err := NewAccumulator(c.name, c.second)
		for _, v := range c.values {
			if err == nil {
				err = a.Add(v)
			}
		}
		var got any
		if err == nil {
			got = a.Result()
		}
		if s := shown(got, err); s != c.want {
			t.Errorf("%s(%s, %v) = %s, want %s", c.name, shown(c.values, nil), c.second, s, c.want)
		}
	}
	for _, p := range []any{1.5, -0.1, "x"} {
		if _, err := NewAccumulator("percentileCont", p); err == nil {
			t.Errorf("the percentile %v is taken", p)
		}
	}
	for name, want := range map[string]bool{"collect": true, "percentileDisc": true, "count": false, "sum": false} {
		if Keeps(name) != want {
			t.Errorf("%s keeps its values: %t", name, !want)
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for want, types := range map[string]Types{"any value": Any, "an Integer or a Float": Number, "a String or a List": List | String} {
		if got := types.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if TypeOf(nil) != Any || TypeOf(int64(1)) != Integer || TypeOf("x") != String {
		t.Errorf("%s %s %s", TypeOf(nil), TypeOf(int64(1)), TypeOf("x"))
	}
	seen := map[string]bool{}
	for _, name := range Names() {
		if seen[strings.ToLower(name)] || Find(name) == nil {
			t.Errorf("%s is in the table twice, or not", name)
		}
		seen[strings.ToLower(name)] = true
	}
}
