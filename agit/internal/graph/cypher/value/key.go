package value

import (
	"encoding/binary"
	"math"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
)

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
