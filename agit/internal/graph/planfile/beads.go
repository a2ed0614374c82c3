package planfile

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/fault"
)

// beads keeps one issue a line. Its priority 0 is the most urgent.
func beads(data []byte) ([]graph.PlanEntry, error) {
	type issue struct {
		ID          string `json:"id"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Status      string `json:"status"`
		Priority    *int   `json:"priority"`
		Type        string `json:"issue_type"`
		Minutes     int    `json:"estimated_minutes"`
		Assignee    string `json:"assignee"`
		Edges       []struct {
			On   string `json:"depends_on_id"`
			Type string `json:"type"`
		} `json:"dependencies"`
	}
	var plan []graph.PlanEntry
	all := containers{epic: map[string]bool{}, parts: map[string][]string{}}
	var issues []issue
	var lines []int
	for n, line := range bytes.Split(data, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var i issue
		if err := json.Unmarshal(line, &i); err != nil {
			return nil, fault.Validation("-", "line %d is not an issue of beads: %s", n+1, graph.Unreadable(err))
		}
		if i.Status == "tombstone" || i.ID == "" {
			continue
		}
		issues, lines = append(issues, i), append(lines, n+1)
		all.epic[i.ID] = i.Type == "epic"
		for _, e := range i.Edges {
			if e.Type == "parent-child" {
				all.parts[e.On] = append(all.parts[e.On], i.ID)
			}
		}
	}
	for n, i := range issues {
		e := graph.PlanEntry{Line: lines[n], Kind: "task", ID: i.ID, Name: i.Title, Description: i.Description, Assignee: i.Assignee}
		all.kindAndStatus(&e, i.Status)
		if i.Priority != nil {
			e.Priority = 4 - min(4, max(0, *i.Priority))
		}
		if i.Minutes > 0 {
			e.Estimate = fmt.Sprintf("%dm", i.Minutes)
		}
		plan = append(plan, e)
		for _, edge := range i.Edges {
			link := func(source, relation, target string) {
				plan = append(plan, graph.PlanEntry{Line: lines[n], Kind: "dependency", Source: source, Relation: relation, Target: target})
			}
			switch edge.Type {
			case "blocks", "":
				for _, blocker := range all.work(edge.On, i.ID) {
					link(blocker, "blocks", i.ID)
				}
			case "parent-child":
				link(edge.On, "parent_of", i.ID)
			case "discovered-from":
				link(i.ID, "discovered_from", edge.On)
			default:
				link(edge.On, "related_to", i.ID)
			}
		}
	}
	return plan, nil
}
