package graph_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// A condition compares as the language does: a missing property meets none, and values of different types neither equal nor compare.
func TestMeets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		property any
		op       graph.Op
		with     any
		want     bool
	}{
		{int64(1), graph.Equal, int64(1), true},
		{int64(1), graph.Equal, 1.0, true},
		{int64(1), graph.Equal, int64(2), false},
		{int64(1), graph.Equal, "1", false},
		{int64(1), graph.Equal, nil, false},
		{int64(1), graph.NotEqual, int64(2), true},
		{int64(1), graph.NotEqual, int64(1), false},
		{int64(1), graph.NotEqual, "1", true},
		{int64(1), graph.NotEqual, nil, false},
		{"b", graph.In, []any{"a", "b"}, true},
		{"c", graph.In, []any{"a", "b"}, false},
		{"c", graph.In, []any{nil}, false},
		{"c", graph.In, "c", false},
		{"abc", graph.StartsWith, "ab", true},
		{"abc", graph.StartsWith, "bc", false},
		{"1", graph.StartsWith, int64(1), false},
		{int64(1), graph.StartsWith, "1", false},
		{false, graph.Exists, nil, true},
		{int64(1), graph.Less, int64(2), true},
		{int64(2), graph.Less, int64(2), false},
		{int64(2), graph.LessOrEqual, int64(2), true},
		{int64(3), graph.LessOrEqual, int64(2), false},
		{int64(3), graph.Greater, int64(2), true},
		{int64(2), graph.Greater, int64(2), false},
		{int64(2), graph.GreaterOrEqual, int64(2), true},
		{int64(1), graph.GreaterOrEqual, int64(2), false},
		{"a", graph.Less, int64(2), false},
		{"a", graph.GreaterOrEqual, int64(2), false},
		{nil, graph.Equal, nil, false},
		{nil, graph.Exists, nil, false},
		{nil, graph.NotEqual, int64(1), false},
	} {
		if got := (graph.Condition{Property: "p", Op: c.op, Value: c.with}).Meets(c.property); got != c.want {
			t.Errorf("%v %d %v: %v", c.property, c.op, c.with, got)
		}
	}
	n := &value.Node{ID: 1, Labels: []string{"A", "B"}, Properties: map[string]any{"p": int64(1)}}
	one, two := graph.Condition{Property: "p", Value: int64(1)}, graph.Condition{Property: "p", Value: int64(2)}
	for _, c := range []struct {
		f    graph.Filter
		want bool
	}{
		{graph.Filter{}, true},
		{graph.Filter{Labels: []string{"B", "A"}}, true},
		{graph.Filter{Labels: []string{"A", "C"}}, false},
		{graph.Filter{Labels: []string{"A"}, Conditions: []graph.Condition{one}}, true},
		{graph.Filter{Conditions: []graph.Condition{one, two}}, false},
		{graph.Filter{Conditions: []graph.Condition{{Property: "q", Value: int64(1)}}}, false},
	} {
		if got := c.f.Matches(n); got != c.want {
			t.Errorf("%+v: %v", c.f, got)
		}
	}
}

// A property is wanted of every node, or of those that have one of its labels.
func TestWanted(t *testing.T) {
	t.Parallel()
	wanted := graph.Wanted{"all": nil, "some": {"A", "B"}, "none": {}}
	for property, want := range map[string]bool{"all": true, "some": true, "none": false, "other": false} {
		if got := wanted.Of([]string{"B", "C"}, property); got != want {
			t.Errorf("%s of B and C: %v", property, got)
		}
	}
	if wanted.Of([]string{"C"}, "some") || wanted.Of(nil, "some") || !wanted.Of(nil, "all") {
		t.Error("of nodes without the label")
	}
}
