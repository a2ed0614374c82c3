package value

import (
	"math"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
)

// Truth is a truth value of three-valued logic.
type Truth uint8

// The truth values.
const (
	False Truth = iota
	True
	Unknown
)

// Of is the Truth of a Go bool.
func Of(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Value is t as a Cypher value: false, true or null.
func (t Truth) Value() any {
	switch t {
	case True:
		return true
	case False:
		return false
	}
	return nil
}

// Not inverts t; unknown stays unknown.
func (t Truth) Not() Truth {
	switch t {
	case True:
		return False
	case False:
		return True
	}
	return Unknown
}

// Equal is the = operator. It returns Unknown when either side is null or when the answer depends on a null inside a list or map.
// Integers and floats are compared by their exact numeric value; NaN equals nothing.
func Equal(a, b any) Truth {
	if a == nil || b == nil {
		return Unknown
	}
	switch x := a.(type) {
	case bool:
		y, ok := b.(bool)
		return Of(ok && x == y)
	case string:
		y, ok := b.(string)
		return Of(ok && x == y)
	case int64:
		switch y := b.(type) {
		case int64:
			return Of(x == y)
		case float64:
			return Of(compareIntFloat(x, y) == 0 && !math.IsNaN(y))
		}
	case float64:
		switch y := b.(type) {
		case int64:
			return Of(compareIntFloat(y, x) == 0 && !math.IsNaN(x))
		case float64:
			return Of(x == y)
		}
	case []any:
		if y, ok := b.([]any); ok {
			return equalLists(x, y)
		}
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return equalMaps(x, y)
		}
	case *Node:
		y, ok := b.(*Node)
		return Of(ok && x.ID == y.ID)
	case *Relationship:
		y, ok := b.(*Relationship)
		return Of(ok && x.ID == y.ID)
	case *Path:
		y, ok := b.(*Path)
		return Of(ok && comparePaths(x, y) == 0)
	case temporal.Value:
		return Of(a == b)
	}
	return False
}

func equalLists(a, b []any) Truth {
	if len(a) != len(b) {
		return False
	}
	result := True
	for i := range a {
		switch Equal(a[i], b[i]) {
		case False:
			return False
		case Unknown:
			result = Unknown
		}
	}
	return result
}

func equalMaps(a, b map[string]any) Truth {
	if len(a) != len(b) {
		return False
	}
	result := True
	for key, x := range a {
		y, ok := b[key]
		if !ok {
			return False
		}
		switch Equal(x, y) {
		case False:
			return False
		case Unknown:
			result = Unknown
		}
	}
	return result
}

// compareIntFloat compares an integer with a float exactly: a float64 cannot hold every int64, so neither is converted where that would
// round. NaN sorts above every number.
func compareIntFloat(i int64, f float64) int {
	switch {
	case math.IsNaN(f):
		return -1
	case f >= 9223372036854775808.0:
		return -1
	case f < -9223372036854775808.0:
		return 1
	}
	whole := math.Trunc(f)
	switch n := int64(whole); {
	case i < n:
		return -1
	case i > n:
		return 1
	case f > whole:
		return -1
	case f < whole:
		return 1
	}
	return 0
}
