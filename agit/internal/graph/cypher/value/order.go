package value

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
)

// Compare orders two values for <, <=, > and >=. known is False for NaN against a number and Unknown for null or values of different
// types; order is valid only when known is True.
func Compare(a, b any) (order int, known Truth) {
	switch x := a.(type) {
	case bool:
		if y, ok := b.(bool); ok {
			return compareBools(x, y), True
		}
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), True
		}
	case int64:
		switch y := b.(type) {
		case int64:
			return cmp.Compare(x, y), True
		case float64:
			return compareIntFloat(x, y), Of(!math.IsNaN(y))
		}
	case float64:
		switch y := b.(type) {
		case int64:
			return -compareIntFloat(y, x), Of(!math.IsNaN(x))
		case float64:
			return cmp.Compare(x, y), Of(!math.IsNaN(x) && !math.IsNaN(y))
		}
	case []any:
		if y, ok := b.([]any); ok {
			return compareLists(x, y)
		}
	case temporal.Value:
		if y, ok := b.(temporal.Value); ok {
			if order, ok := temporal.Compare(x, y); ok {
				return order, True
			}
		}
	}
	return 0, Unknown
}

func compareLists(a, b []any) (int, Truth) {
	for i := range min(len(a), len(b)) {
		switch Equal(a[i], b[i]) {
		case Unknown:
			return 0, Unknown
		case False:
			return Compare(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b)), True
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// rank returns the order between types in ORDER BY, min and max: maps, nodes, relationships, lists, paths, dates and times by type,
// durations, strings, booleans, numbers, NaN, null.
func rank(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return 0
	case *Node:
		return 1
	case *Relationship:
		return 2
	case []any:
		return 3
	case *Path:
		return 4
	case temporal.Value:
		return 5 + int(KindOf(v)-KindDateTime) // up to 10
	case string:
		return 11
	case bool:
		return 12
	case int64:
		return 13
	case float64:
		if math.IsNaN(v) {
			return 14
		}
		return 13
	}
	return 15
}

// Order is the total order over all values that ORDER BY, min and max use. It
// is zero exactly for equivalent values: null is null, NaN is NaN, 1 is 1.0.
func Order(a, b any) int {
	ra, rb := rank(a), rank(b)
	if ra != rb {
		return cmp.Compare(ra, rb)
	}
	switch x := a.(type) {
	case map[string]any:
		return orderMaps(x, b.(map[string]any))
	case *Node:
		return cmp.Compare(x.ID, b.(*Node).ID)
	case *Relationship:
		return cmp.Compare(x.ID, b.(*Relationship).ID)
	case []any:
		return slices.CompareFunc(x, b.([]any), Order)
	case *Path:
		return comparePaths(x, b.(*Path))
	case temporal.Value:
		return temporal.Order(x, b.(temporal.Value))
	}
	if ra >= 14 {
		return 0
	}
	order, _ := Compare(a, b)
	return order
}

func orderMaps(a, b map[string]any) int {
	ka, kb := Keys(a), Keys(b)
	if c := slices.Compare(ka, kb); c != 0 {
		return c
	}
	for _, key := range ka {
		if c := Order(a[key], b[key]); c != 0 {
			return c
		}
	}
	return 0
}

func comparePaths(a, b *Path) int {
	byNode := func(x, y *Node) int { return cmp.Compare(x.ID, y.ID) }
	byRelationship := func(x, y *Relationship) int { return cmp.Compare(x.ID, y.ID) }
	if c := slices.CompareFunc(a.Nodes, b.Nodes, byNode); c != 0 {
		return c
	}
	return slices.CompareFunc(a.Relationships, b.Relationships, byRelationship)
}

// Keys returns the sorted keys of m.
func Keys(m map[string]any) []string {
	keys := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}
