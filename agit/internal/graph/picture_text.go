package graph

import (
	"fmt"
	"strings"
)

// inside are the types of relationships that a text picture draws as a tree; the others are written as words after their start node.
var inside = map[string]bool{"CONTAINS": true, "HAS_TASK": true, "PARENT_OF": true}

// words describe the relationships that are not drawn.
var words = map[string]string{
	"DEPENDS_ON": "waits for", waited: "waited for", "BLOCKED_BY": "blocked by", "RELATED_TO": "related to", "DISCOVERED_FROM": "found while at",
	"PRODUCES": "made", "VALIDATES": "validates", "FOUND_IN": "found in", "REPORTED": "reported", "ASSIGNED_TO": "assigned to",
}

// waited is a dependency on a finished item.
const waited = "WAITED_FOR"

// isOver are the statuses that no longer block anything.
var isOver = map[string]bool{"completed": true, "done": true, "canceled": true, "fixed": true, "wont_fix": true}

// Text draws the picture for a terminal, for small graphs: a tree by containment, with the other relationships after each node.
func (p Picture) Text() string {
	parts, said, contained := map[string][]string{}, map[string]string{}, map[string]bool{}
	order := map[string]map[string][]string{}
	var types []string
	nodes := map[string]Node{}
	for _, n := range p.Nodes {
		nodes[n.ID] = n
	}
	for _, a := range p.Arrows {
		if a.Type == "DEPENDS_ON" && isOver[nodes[a.To].Status] {
			a.Type = waited
		}
		if inside[a.Type] {
			parts[a.From] = append(parts[a.From], a.To)
			contained[a.To] = true
			continue
		}
		if order[a.Type] == nil {
			order[a.Type] = map[string][]string{}
			types = append(types, a.Type)
		}
		_, id, _ := strings.Cut(a.To, ":")
		order[a.Type][a.From] = append(order[a.Type][a.From], id)
	}
	for _, kind := range types {
		for from, to := range order[kind] {
			said[from] += fmt.Sprintf("  ‹%s %s›", words[kind], strings.Join(to, ", "))
		}
	}
	var b strings.Builder
	drawn := map[string]bool{}
	var draw func(id, first, rest string)
	draw = func(id, first, rest string) {
		if drawn[id] {
			return // a merge of two registries may have closed a cycle
		}
		drawn[id] = true
		b.WriteString(first + strings.ReplaceAll(nodes[id].caption("  "), "\n", " ") + said[id] + "\n")
		for i, part := range parts[id] {
			if i == len(parts[id])-1 {
				draw(part, rest+"└─ ", rest+"   ")
			} else {
				draw(part, rest+"├─ ", rest+"│  ")
			}
		}
	}
	for _, roots := range []bool{true, false} {
		for _, n := range p.Nodes {
			if contained[n.ID] != roots {
				draw(n.ID, "", "")
			}
		}
	}
	return b.String()
}
