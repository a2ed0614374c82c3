package value_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// samples are values of every kind, in the order of ORDER BY; equal neighbours
// share a group.
var samples = [][]any{
	{map[string]any{}},
	{map[string]any{"a": int64(1)}, map[string]any{"a": 1.0}},
	{map[string]any{"a": int64(2)}},
	{map[string]any{"b": nil}},
	{&value.Node{ID: 1}}, {&value.Node{ID: 2}},
	{&value.Relationship{ID: 1}},
	{[]any{}}, {[]any{"a"}}, {[]any{int64(1)}, []any{1.0}}, {[]any{int64(1), int64(2)}}, {[]any{nil}, []any{nil}},
	{&value.Path{Nodes: []*value.Node{{ID: 1}}}},
	{""}, {"A"}, {"a"}, {"ab"},
	{false}, {true},
	{math.Inf(-1)}, {int64(math.MinInt64), -9223372036854775808.0}, {int64(-1), -1.0}, {0.0, int64(0), math.Copysign(0, -1)}, {0.5},
	{int64(1) << 53, float64(1 << 53)}, {int64(1)<<53 + 1}, {int64(math.MaxInt64)}, {9223372036854775808.0}, {math.Inf(1)},
	{math.NaN(), math.NaN()},
	{nil},
}

// TestOrder checks that order, equivalence keys and equality agree.
func TestOrder(t *testing.T) {
	for i, group := range samples {
		for j, other := range samples {
			for _, a := range group {
				for _, b := range other {
					order := value.Order(a, b)
					if (order < 0) != (i < j) || (order > 0) != (i > j) {
						t.Errorf("%s and %s order as %d", value.Format(a), value.Format(b), order)
					}
					same := string(value.AppendKey(nil, a)) == string(value.AppendKey(nil, b))
					if same != (i == j) {
						t.Errorf("the keys of %s and %s are the same: %v", value.Format(a), value.Format(b), same)
					}
					if equal := value.Equal(a, b); equal == value.True && i != j || equal != value.Equal(b, a) {
						t.Errorf("%s = %s is %v", value.Format(a), value.Format(b), equal.Value())
					}
				}
			}
		}
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		a, b  any
		order int
		known value.Truth
	}{
		{int64(1), 1.5, -1, value.True},
		{int64(math.MaxInt64), 9223372036854775807.0, -1, value.True},
		{"b", "a", 1, value.True},
		{int64(1), "a", 0, value.Unknown},
		{nil, int64(1), 0, value.Unknown},
		{math.NaN(), int64(1), 0, value.False},
		{[]any{int64(1)}, []any{int64(1), nil}, -1, value.True},
		{[]any{nil}, []any{int64(1)}, 0, value.Unknown},
		{map[string]any{}, map[string]any{}, 0, value.Unknown},
	} {
		order, known := value.Compare(c.a, c.b)
		if known != c.known || known == value.True && order != c.order {
			t.Errorf("%s and %s: %d, %v", value.Format(c.a), value.Format(c.b), order, known)
		}
	}
}

func TestFrom(t *testing.T) {
	got, err := value.From(map[string]any{"i": 1, "n": json.Number("12"), "f": json.Number("1.0"), "s": []string{"x"}, "u": uint8(3)})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"i": int64(1), "n": int64(12), "f": 1.0, "s": []any{"x"}, "u": int64(3)}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []any{uint64(math.MaxUint64), make(chan int), json.Number("x"), []any{struct{}{}}} {
		if v, err := value.From(bad); err == nil {
			t.Errorf("%T became %v", bad, v)
		}
	}
}

func TestFormat(t *testing.T) {
	a, b := &value.Node{ID: 1, Labels: []string{"A"}, Properties: map[string]any{"x": "it's"}}, &value.Node{ID: 2}
	r := &value.Relationship{Type: "T", Start: 2, End: 1}
	for want, v := range map[string]any{
		`<(:A {x: 'it\'s'})<-[:T]-()>`: &value.Path{Nodes: []*value.Node{a, b}, Relationships: []*value.Relationship{r}},
		"{a: [1, 1.0, null, true]}":    map[string]any{"a": []any{int64(1), 1.0, nil, true}},
		"1e-07":                        1e-7,
		"NaN":                          math.NaN(),
	} {
		if got := value.Format(v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
