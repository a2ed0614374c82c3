package graphquery

import (
	"math"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// document converts a value of a query to JSON types. The registry's row numbers are left out.
func document(v any) any {
	switch v := v.(type) {
	case *value.Node:
		return map[string]any{"labels": v.Labels, "properties": document(v.Properties)}
	case *value.Relationship:
		return map[string]any{"type": v.Type, "properties": v.Properties}
	case *value.Path:
		steps := make([]any, 0, 2*len(v.Nodes))
		for i, n := range v.Nodes {
			steps = append(steps, document(n))
			if i < len(v.Relationships) {
				steps = append(steps, document(v.Relationships[i]))
			}
		}
		return steps
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) { // JSON cannot represent these
			return value.FormatFloat(v)
		}
	case temporal.DateTime:
		if stored, ok := storedTime(v); ok {
			return stored
		}
		return v.String()
	case temporal.Value:
		return v.String()
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = document(v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, part := range v {
			m[key] = document(part)
		}
		return m
	}
	return v
}

// jsonSize returns roughly how many bytes a document takes as JSON, without escapes in texts.
func jsonSize(v any) int {
	const number = 8
	switch v := v.(type) {
	case string:
		return len(v) + 2
	case []any:
		size := 2
		for _, item := range v {
			size += jsonSize(item) + 1
		}
		return size
	case []string:
		size := 2
		for _, item := range v {
			size += len(item) + 3
		}
		return size
	case map[string]any:
		size := 2
		for key, item := range v {
			size += len(key) + 4 + jsonSize(item)
		}
		return size
	case nil, bool:
		return len("false")
	}
	return number
}
