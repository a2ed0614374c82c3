package planfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/fault"
)

// taskmaster keeps tasks with subtasks in one document, by tag or without.
func taskmaster(data []byte) ([]graph.PlanEntry, error) {
	type item struct {
		ID           any    `json:"id"`
		Title        string `json:"title"`
		Description  string `json:"description"`
		Details      string `json:"details"`
		Status       string `json:"status"`
		Priority     string `json:"priority"`
		Dependencies []any  `json:"dependencies"`
		Subtasks     []item `json:"subtasks"`
	}
	type list struct {
		Tasks []item `json:"tasks"`
	}
	var plain list
	tags := map[string]list{}
	if err := json.Unmarshal(data, &plain); err != nil {
		return nil, fault.Validation("-", "this is not a tasks.json of Task Master: %s", graph.Unreadable(err))
	}
	if plain.Tasks != nil {
		tags[""] = plain
	} else if err := json.Unmarshal(data, &tags); err != nil {
		return nil, fault.Validation("-", "this is not a tasks.json of Task Master: %s", graph.Unreadable(err))
	}
	var plan []graph.PlanEntry
	var add func(prefix, parent string, items []item)
	add = func(prefix, parent string, items []item) {
		for _, i := range items {
			id := prefix + fmt.Sprint(i.ID)
			e := graph.PlanEntry{Kind: "task", ID: id, Name: i.Title, Description: strings.TrimSpace(i.Description + "\n\n" + i.Details), Parent: parent}
			if i.Priority != "" {
				e.Priority = i.Priority
			}
			switch i.Status {
			case "done", "completed":
				e.Status = "completed"
			case "cancelled", "canceled":
				e.Status = "failed"
			}
			for _, on := range i.Dependencies {
				name := fmt.Sprint(on)
				if parent != "" && !strings.Contains(name, ".") {
					name = prefix + name // a sibling
				} else if parent == "" {
					name = prefix + name
				} else {
					name = prefix[:strings.LastIndex(strings.TrimSuffix(prefix, "."), "-")+1] + name
				}
				e.DependsOn = append(e.DependsOn, name)
			}
			plan = append(plan, e)
			add(id+".", id, i.Subtasks)
		}
	}
	names := make([]string, 0, len(tags))
	for name := range tags {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		prefix := "tm-"
		if name != "" && name != "master" {
			prefix += name + "-"
		}
		add(prefix, "", tags[name].Tasks)
	}
	return plan, nil
}
