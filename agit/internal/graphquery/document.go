package graphquery

import (
	"github.com/agit-suite/agit/agit/internal/cypher/temporal"
	"github.com/agit-suite/agit/agit/internal/cypher/value"
)

// document turns a value of a query into what JSON can say of it; the numbers
// by which the registry knows its rows stay inside.
func document(v any) any {
	switch v := v.(type) {
	case *value.Node:
		return map[string]any{"labels": v.Labels, "properties": v.Properties}
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
