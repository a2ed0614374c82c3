package planfile

import (
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph"
)

// containers are the epics of a tracker with their content. Trackers let work wait for an epic; here it waits for the work in the epic.
type containers struct {
	epic   map[string]bool
	closed map[string]bool
	parts  map[string][]string
	parent map[string]string
}

func newContainers() containers {
	return containers{map[string]bool{}, map[string]bool{}, map[string][]string{}, map[string]string{}}
}

// add records that container contains part.
func (c containers) add(container, part string) {
	if container != "" {
		c.parts[container] = append(c.parts[container], part)
		c.parent[part] = container
	}
}

// holds reports whether container contains part, at any depth.
func (c containers) holds(container, part string) bool {
	seen := map[string]bool{}
	for at := c.parent[part]; at != "" && !seen[at]; at = c.parent[at] {
		if at == container {
			return true
		}
		seen[at] = true
	}
	return false
}

// wait returns what an entry waits for when its tracker makes it wait for id: id itself, or the work in it when it is an epic that is
// not closed. A container of the entry itself is skipped and reported. The entry is held back when the blocker cannot be stored here,
// such as an epic without work, an open gate or another project's issue.
func (c containers) wait(id string, e *graph.PlanEntry, counts tally) (blockers []string, told []graph.PlanEntry) {
	if c.holds(id, e.ID) {
		return nil, []graph.PlanEntry{{Kind: graph.KindLeftOut, Name: fmt.Sprintf("%s blocks %s: %s contains it", id, e.ID, id)}}
	}
	_, here := c.epic[id]
	closed, named := c.closed[id]
	switch {
	case here && closed && c.epic[id], !here && named && closed:
		return nil, nil
	case !here && (named || strings.HasPrefix(id, "external:")):
		counts.hold(e, "it waited for "+id+" where it came from, which is not here")
		return nil, nil
	case !c.epic[id]:
		return []string{id}, nil
	}
	if blockers = c.work(id, e.ID); len(blockers) == 0 {
		counts.hold(e, "it waits for epic "+id+", which had no tasks where it came from")
		told = append(told, note("%s waits for epic %s, which has no tasks", e.ID, id))
	}
	return blockers, told
}

// work returns all work in an epic, at any depth, except the waiter itself.
func (c containers) work(id, waiter string) []string {
	var found []string
	seen := map[string]bool{id: true}
	for open := []string{id}; len(open) > 0; open = open[1:] {
		for _, part := range c.parts[open[0]] {
			switch {
			case seen[part]:
			case c.epic[part]:
				open = append(open, part)
			case part != waiter:
				found = append(found, part)
			}
			seen[part] = true
		}
	}
	return found
}
