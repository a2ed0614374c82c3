package graphquery

import (
	"math"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
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

// Times are stored as texts of one width, in UTC with milliseconds. In queries they are moments: they compare with datetime() and add
// with duration().

// asTime makes a moment of a stored time.
func asTime(_ *view, _ int64, stored any) (any, error) {
	text, _ := stored.(string)
	if text == "" {
		return nil, nil
	}
	at, err := timestamp.Parse(text)
	if err != nil {
		return text, nil // not in our format; a query shows it unchanged
	}
	return temporal.FromEpochMillis(at.UnixMilli())
}

func moment(name, column string) property {
	return property{name: name, column: column, value: asTime, time: true}
}

// storedTime returns a moment as the registry stores times. ok is false for a moment finer than a millisecond, at another offset, or
// outside the years that sort as text.
func storedTime(t temporal.DateTime) (text string, ok bool) {
	text, exact := floorTime(t)
	return text, exact && t.Offset == 0 && t.Zone == ""
}

// floorTime returns the last stored time that is not after a moment; "" outside the years that sort as text.
func floorTime(t temporal.DateTime) (text string, exact bool) {
	millis, _ := temporal.Component(t, "epochMillis")
	n, _ := millis.(int64)
	at := time.UnixMilli(n).UTC()
	if at.Year() < 0 || at.Year() > 9999 {
		return "", false
	}
	return registry.FormatTime(at), t.Nano%int64(time.Millisecond) == 0
}

// timeCondition returns an SQL comparison of a stored time with a moment. It holds wherever the real comparison holds; ok is false when
// SQL cannot help.
func timeCondition(c graph.Condition) (operator string, text string, ok bool) {
	t, is := c.Value.(temporal.DateTime)
	if !is {
		return "", "", false
	}
	text, _ = floorTime(t)
	operator = map[graph.Op]string{
		graph.Equal: "=", graph.Less: "<=", graph.LessOrEqual: "<=", graph.Greater: ">=", graph.GreaterOrEqual: ">=",
	}[c.Op]
	return operator, text, operator != "" && text != ""
}
