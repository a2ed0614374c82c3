package planfile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/fault"
)

// readTD reads the output of `td export`, because td's own database is private to it.
func readTD(path string) ([]graph.PlanEntry, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if _, err := os.Stat(filepath.Join(path, ".todos")); err == nil {
			return nil, fault.Validation("path", "%q holds td's database, which td alone can read", path).
				WithHint("run `td export --all --output td.json` there and name that file")
		}
	}
	return readFile(path, td, "td.json", "td-export.json")
}

// td reads a list of issues, each with its dependencies. Its P0 is the most urgent.
func td(data []byte) ([]graph.PlanEntry, error) {
	var items []struct {
		Issue struct {
			ID          string  `json:"id"`
			Title       string  `json:"title"`
			Description string  `json:"description"`
			Acceptance  string  `json:"acceptance"`
			Status      string  `json:"status"`
			Type        string  `json:"type"`
			Priority    string  `json:"priority"`
			Parent      string  `json:"parent_id"`
			Until       string  `json:"defer_until"`
			Created     string  `json:"created_at"`
			Deleted     *string `json:"deleted_at"`
		} `json:"issue"`
		Dependencies []tdEdge          `json:"dependencies"`
		Handoffs     []json.RawMessage `json:"handoffs"`
		Logs         []json.RawMessage `json:"logs"`
		Comments     []json.RawMessage `json:"comments"`
	}
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, fault.Validation("-", "this is not an export of td: %s", graph.Unreadable(err)).WithHint("write one with `td export --all`")
	}
	var plan []graph.PlanEntry
	counts, all := tally{}, newContainers()
	for _, item := range items {
		i := item.Issue
		if i.Deleted == nil && i.ID != "" {
			all.epic[i.ID] = i.Type == "epic"
			all.closed[i.ID] = slices.Contains(finishedWords, fold(i.Status))
			all.add(i.Parent, i.ID)
		}
	}
	for n, item := range items {
		i := item.Issue
		if i.Deleted != nil || i.ID == "" {
			continue
		}
		e := graph.PlanEntry{Kind: "task", ID: i.ID, Name: i.Title, Description: strings.TrimSpace(i.Description + "\n\n" + i.Acceptance), Created: created(i.Created)}
		if all.epic[i.ID] {
			e.Kind = "epic"
		}
		counts.stand(&e, i.Status)
		counts.until(&e, i.Until)
		for what, list := range map[string][]json.RawMessage{"handoffs": item.Handoffs, "log entries": item.Logs, "comments": item.Comments} {
			if len(list) > 0 {
				counts[what+" there were left out: they have no place here"] += len(list)
			}
		}
		if p := slices.Index([]string{"P4", "P3", "P2", "P1", "P0"}, i.Priority); p >= 0 {
			e.Priority = p
		}
		var links []graph.PlanEntry
		link := func(source, relation string) {
			links = append(links, graph.PlanEntry{Kind: "dependency", Source: source, Relation: relation, Target: i.ID})
		}
		if i.Parent != "" {
			link(i.Parent, "parent_of")
		}
		for _, edge := range items[n].Dependencies {
			if edge.Type != "" && edge.Type != "depends_on" {
				link(edge.On, "related_to")
				continue
			}
			blockers, told := all.wait(edge.On, &e, counts)
			links = append(links, told...)
			for _, blocker := range blockers {
				link(blocker, "blocks")
			}
		}
		plan = append(append(plan, e), links...)
	}
	return append(plan, counts.notes()...), nil
}

// tdEdge is a dependency of an issue; older exports have only the id.
type tdEdge struct {
	On   string `json:"depends_on_id"`
	Type string `json:"relation_type"`
}

// UnmarshalJSON reads both forms.
func (e *tdEdge) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &e.On) == nil {
		return nil
	}
	type plain tdEdge
	return json.Unmarshal(b, (*plain)(e))
}
