package value

import (
	"cmp"
	"encoding/binary"
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
			return int(Of(x)) - int(Of(y)), True
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

// Holds compares two values by the operator op: =, <>, <, <=, > or >=.
func Holds(op string, a, b any) Truth {
	switch op {
	case "=":
		return Equal(a, b)
	case "<>":
		return Equal(a, b).Not()
	}
	order, known := Compare(a, b)
	if known != True {
		return known
	}
	switch op {
	case "<":
		return Of(order < 0)
	case "<=":
		return Of(order <= 0)
	case ">":
		return Of(order > 0)
	}
	return Of(order >= 0)
}

// rank returns the order between types in ORDER BY, min and max: maps, nodes, relationships, lists, paths, dates and times by type,
// durations, strings, booleans, numbers, NaN, null.
func rank(v any) int {
	if f, ok := v.(float64); ok && math.IsNaN(f) {
		return rankNaN
	}
	return ranks[KindOf(v)]
}

const rankNaN = 14

var ranks = [...]int{
	KindMap: 0, KindNode: 1, KindRelationship: 2, KindList: 3, KindPath: 4,
	KindDateTime: 5, KindLocalDateTime: 6, KindDate: 7, KindTime: 8, KindLocalTime: 9, KindDuration: 10,
	KindString: 11, KindBoolean: 12, KindInteger: 13, KindFloat: 13, KindNull: 15, KindInvalid: 15,
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
	if ra >= rankNaN {
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
	case string:
		y, ok := b.(string)
		return Of(ok && x == y)
	case bool, int64, float64:
		order, known := Compare(a, b)
		return Of(known == True && order == 0)
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
	return cmp.Or(cmp.Compare(i, int64(whole)), cmp.Compare(whole, f))
}

// AppendKey appends a byte string to b that is equal for equivalent values and different for all others. DISTINCT, grouping and hash
// indexes use it.
func AppendKey(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, '0')
	case bool:
		if v {
			return append(b, 't')
		}
		return append(b, 'f')
	case int64:
		return binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v))
	case float64:
		if n, ok := exactInt(v); ok {
			return AppendKey(b, n)
		}
		if math.IsNaN(v) {
			return append(b, 'n')
		}
		return binary.BigEndian.AppendUint64(append(b, 'd'), math.Float64bits(v))
	case string:
		b = binary.AppendUvarint(append(b, 's'), uint64(len(v)))
		return append(b, v...)
	case []any:
		b = binary.AppendUvarint(append(b, 'l'), uint64(len(v)))
		for _, item := range v {
			b = AppendKey(b, item)
		}
		return b
	case map[string]any:
		b = binary.AppendUvarint(append(b, 'm'), uint64(len(v)))
		for _, key := range Keys(v) {
			b = AppendKey(AppendKey(b, key), v[key])
		}
		return b
	case *Node:
		return binary.BigEndian.AppendUint64(append(b, 'N'), uint64(v.ID))
	case *Relationship:
		return binary.BigEndian.AppendUint64(append(b, 'R'), uint64(v.ID))
	case *Path:
		b = binary.AppendUvarint(append(b, 'P'), uint64(len(v.Nodes)))
		for _, n := range v.Nodes {
			b = AppendKey(b, n)
		}
		for _, r := range v.Relationships {
			b = AppendKey(b, r)
		}
		return b
	case temporal.Value:
		return AppendKey(append(b, 'T', byte(KindOf(v))), v.String())
	}
	return append(b, '?')
}

// exactInt returns the integer that f equals, if there is one.
func exactInt(f float64) (int64, bool) {
	if f != math.Trunc(f) || f < -9223372036854775808.0 || f >= 9223372036854775808.0 {
		return 0, false
	}
	return int64(f), true
}
