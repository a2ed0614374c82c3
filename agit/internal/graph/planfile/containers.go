package planfile

import "github.com/agit-suite/agit/agit/internal/graph"

// containers are the epics of a tracker and what each holds. Trackers let work
// wait for an epic; here it waits for what is in it.
type containers struct {
	epic  map[string]bool
	parts map[string][]string
}

// work returns what waiting for id means to waiter: id itself, or all work in it
// when it is an epic, at any depth. Nothing waits for itself.
func (c containers) work(id, waiter string) []string {
	if !c.epic[id] {
		return []string{id}
	}
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

// kindAndStatus sets what an entry is and how it stands, from a tracker's words. Whether an epic is at work is said by its
// tasks.
func (c containers) kindAndStatus(e *graph.PlanEntry, status string) {
	if c.epic[e.ID] {
		e.Kind = "epic"
	}
	switch {
	case status == "closed":
		e.Status = "completed"
	case e.Kind == "task" && (status == "in_progress" || status == "blocked"):
		e.Status = status
	}
}
