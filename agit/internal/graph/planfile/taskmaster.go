package planfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/fault"
)

// taskmaster reads tasks with subtasks from one document, with or without tags.
func taskmaster(data []byte) ([]graph.PlanEntry, error) {
	type item struct {
		ID           any    `json:"id"`
		Title        string `json:"title"`
		Description  string `json:"description"`
		Details      string `json:"details"`
		Test         string `json:"testStrategy"`
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
	read := func(into any) error { // ids are numbers, which stay as written
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		return dec.Decode(into)
	}
	if err := read(&plain); err != nil {
		return nil, fault.Validation("-", "this is not a tasks.json of Task Master: %s", graph.Unreadable(err))
	}
	if plain.Tasks != nil {
		tags[""] = plain
	} else if err := read(&tags); err != nil {
		return nil, fault.Validation("-", "this is not a tasks.json of Task Master: %s", graph.Unreadable(err))
	}
	var plan []graph.PlanEntry
	counts := tally{}
	var add func(tag, prefix, parent string, items []item)
	add = func(tag, prefix, parent string, items []item) {
		siblings := map[string]bool{}
		for _, i := range items {
			siblings[fmt.Sprint(i.ID)] = true
		}
		for _, i := range items {
			name := fmt.Sprint(i.ID)
			id := prefix + strings.TrimPrefix(name, strings.TrimPrefix(prefix, tag)) // HAM-1.1 is a part of HAM-1
			e := graph.PlanEntry{Kind: "task", ID: id, Name: i.Title, Parent: parent,
				Description: sections(strings.TrimSpace(i.Description+"\n\n"+i.Details), section{"Test strategy", i.Test})}
			if i.Priority != "" {
				e.Priority = i.Priority
			}
			counts.stand(&e, i.Status)
			for _, on := range i.Dependencies {
				name := fmt.Sprint(on)
				if siblings[name] && name != fmt.Sprint(i.ID) {
					e.DependsOn = append(e.DependsOn, prefix+strings.TrimPrefix(name, strings.TrimPrefix(prefix, tag)))
				} else { // a task of the tag, or a part of one; in part 1 of a task, 1 means task 1
					e.DependsOn = append(e.DependsOn, tag+name)
				}
			}
			plan = append(plan, e)
			add(tag, id+".", id, i.Subtasks)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		prefix := "tm-"
		if name != "" && name != "master" {
			prefix += name + "-"
		}
		add(prefix, prefix, "", tags[name].Tasks)
	}
	return append(plan, counts.notes()...), nil
}
