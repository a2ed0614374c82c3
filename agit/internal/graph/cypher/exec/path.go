package exec

import (
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// bindPath compiles the step that builds the value of a named path from its parts.
func (c *compiler) bindPath(pattern *syntax.Pattern, hops []*hop) step {
	inner := make([]int, len(pattern.Rels))
	for i, r := range pattern.Rels {
		for _, h := range hops {
			if h.pattern == r {
				inner[i] = h.inner
			}
		}
	}
	return eachRow(func(_ *run, r row, yield func(row) bool) bool {
		return yield(r.with(pattern.Path.Slot, pathOf(pattern, inner, r)))
	})
}

func pathOf(pattern *syntax.Pattern, inner []int, r row) *value.Path {
	path := &value.Path{}
	node := func(v any) { path.Nodes = append(path.Nodes, v.(*value.Node)) }
	node(r[pattern.Nodes[0].Slot])
	for i, rel := range pattern.Rels {
		switch v := r[rel.Slot].(type) {
		case *value.Relationship:
			path.Relationships = append(path.Relationships, v)
			node(r[pattern.Nodes[i+1].Slot])
		case []any:
			for _, item := range v {
				path.Relationships = append(path.Relationships, item.(*value.Relationship))
			}
			for _, n := range r[inner[i]].([]any)[1:] {
				node(n)
			}
		}
	}
	return path
}
