// Package tracker reads the plans of other trackers from their files and gives
// them as entries of a plan. It changes nothing, runs no foreign program, and
// keeps no state.
package tracker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
)

// Names are the trackers that can be read.
var Names = []string{"beads", "backlog", "taskmaster"}

// Read gives the plan that a tracker keeps at path: its file, or a folder that
// holds it in the usual place.
func Read(name, path string) ([]graph.PlanEntry, error) {
	switch name {
	case "beads":
		return readFile(path, beads, ".beads/issues.jsonl", ".beads/beads.jsonl", "issues.jsonl")
	case "taskmaster":
		return readFile(path, taskmaster, ".taskmaster/tasks/tasks.json", "tasks/tasks.json", "tasks.json")
	case "backlog":
		return backlog(path)
	}
	return nil, fault.Validation("tracker", "tracker %q is not known", name).WithHint("use %s, or - to read a plan", strings.Join(Names, ", "))
}

func readFile(path string, parse func([]byte) ([]graph.PlanEntry, error), places ...string) ([]graph.PlanEntry, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		for _, place := range places {
			if data, err := os.ReadFile(filepath.Join(path, filepath.FromSlash(place))); err == nil {
				return parse(data)
			}
		}
		return nil, fault.NotFound("plan", path).WithHint("name the file itself; looked for %s", strings.Join(places, ", "))
	}
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, fault.NotFound("plan", path).WithHint("name the tracker's file or folder")
	}
	if err != nil {
		return nil, fault.Operation(err, "read %q", path)
	}
	return parse(data)
}

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
		Edges       []struct {
			On   string `json:"depends_on_id"`
			Type string `json:"type"`
		} `json:"dependencies"`
	}
	var plan []graph.PlanEntry
	epics, parts := map[string]bool{}, map[string][]string{}
	var issues []issue
	var lines []int
	for n, line := range bytes.Split(data, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var i issue
		if err := json.Unmarshal(line, &i); err != nil {
			return nil, fault.Validation("-", "line %d is no issue of beads: %v", n+1, err)
		}
		if i.Status == "tombstone" || i.ID == "" {
			continue
		}
		issues, lines = append(issues, i), append(lines, n+1)
		epics[i.ID] = i.Type == "epic"
		for _, e := range i.Edges {
			if e.Type == "parent-child" {
				parts[e.On] = append(parts[e.On], i.ID)
			}
		}
	}
	for n, i := range issues {
		e := graph.PlanEntry{Line: lines[n], Kind: "task", ID: i.ID, Name: i.Title, Description: i.Description}
		if epics[i.ID] {
			e.Kind = "epic"
		}
		if i.Status == "closed" {
			e.Status = "completed"
		}
		if i.Priority != nil {
			e.Priority = max(0, 4-*i.Priority)
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
				if !epics[edge.On] {
					link(edge.On, "blocks", i.ID)
					continue
				}
				for _, part := range parts[edge.On] { // an epic is done when its parts are
					if part != i.ID {
						link(part, "blocks", i.ID)
					}
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
		return nil, fault.Validation("-", "this is no tasks.json of Task Master: %v", err)
	}
	if plain.Tasks != nil {
		tags[""] = plain
	} else if err := json.Unmarshal(data, &tags); err != nil {
		return nil, fault.Validation("-", "this is no tasks.json of Task Master: %v", err)
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

// backlog keeps one Markdown file a task, with its fields in front.
func backlog(path string) ([]graph.PlanEntry, error) {
	var files []string
	for _, place := range []string{"", "tasks", "completed", "backlog/tasks", "backlog/completed"} {
		found, err := filepath.Glob(filepath.Join(path, filepath.FromSlash(place), "*.md"))
		if err != nil {
			return nil, fault.Operation(err, "look for tasks in %q", path)
		}
		files = append(files, found...)
	}
	var plan []graph.PlanEntry
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fault.Operation(err, "read %q", file)
		}
		front, text, ok := bytes.Cut(bytes.TrimPrefix(data, []byte("---\n")), []byte("\n---"))
		if !ok || !bytes.HasPrefix(data, []byte("---\n")) {
			continue // a page, no task
		}
		entries, err := output.ParseSections(front)
		if err != nil || len(entries) != 1 {
			return nil, fault.Validation("-", "the front matter of %q cannot be read", file)
		}
		var t struct {
			ID           string   `json:"id"`
			Title        string   `json:"title"`
			Status       string   `json:"status"`
			Priority     string   `json:"priority"`
			Parent       string   `json:"parent_task_id"`
			Dependencies []string `json:"dependencies"`
		}
		if err := json.Unmarshal(entries[0].JSON, &t); err != nil {
			return nil, fault.Validation("-", "the front matter of %q cannot be read: %v", file, err)
		}
		if t.ID == "" {
			continue
		}
		e := graph.PlanEntry{Kind: "task", ID: t.ID, Name: t.Title, Description: strings.TrimSpace(string(text)), Parent: t.Parent, DependsOn: t.Dependencies}
		if t.Priority != "" {
			e.Priority = t.Priority
		}
		if strings.EqualFold(t.Status, "done") {
			e.Status = "completed"
		}
		plan = append(plan, e)
	}
	if len(plan) == 0 {
		return nil, fault.NotFound("plan", path).WithHint("name the folder of a Backlog.md project")
	}
	return plan, nil
}
