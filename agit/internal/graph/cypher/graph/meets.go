package graph

import (
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Meets reports whether property value v (nil when missing) meets c, exactly as the language compares. A store without an index may use
// it.
func (c Condition) Meets(v any) bool {
	if v == nil {
		return false
	}
	switch c.Op {
	case Equal:
		return value.Equal(v, c.Value) == value.True
	case NotEqual:
		return value.Equal(v, c.Value) == value.False
	case In:
		list, _ := c.Value.([]any)
		for _, item := range list {
			if value.Equal(v, item) == value.True {
				return true
			}
		}
		return false
	case StartsWith:
		s, ok := v.(string)
		prefix, okPrefix := c.Value.(string)
		return ok && okPrefix && strings.HasPrefix(s, prefix)
	case Exists:
		return true
	}
	order, known := value.Compare(v, c.Value)
	if known != value.True {
		return false
	}
	switch c.Op {
	case Less:
		return order < 0
	case LessOrEqual:
		return order <= 0
	case Greater:
		return order > 0
	}
	return order >= 0
}

// Matches reports whether the loaded node n matches f.
func (f Filter) Matches(n *value.Node) bool {
	for _, label := range f.Labels {
		if !n.HasLabel(label) {
			return false
		}
	}
	for _, c := range f.Conditions {
		if !c.Meets(n.Properties[c.Property]) {
			return false
		}
	}
	return true
}
