package planfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/fault"
)

// bead is an issue of beads, as its file stores it in one line.
type bead struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Acceptance  string   `json:"acceptance_criteria"`
	Design      string   `json:"design"`
	Notes       string   `json:"notes"`
	Status      string   `json:"status"`
	Priority    *int     `json:"priority"`
	Type        string   `json:"issue_type"`
	Minutes     int      `json:"estimated_minutes"`
	Assignee    string   `json:"assignee"`
	Created     string   `json:"created_at"`
	Updated     string   `json:"updated_at"`
	Until       string   `json:"defer_until"`
	Pinned      bool     `json:"pinned"`
	Template    bool     `json:"is_template"`
	Ephemeral   bool     `json:"ephemeral"`
	Wisp        bool     `json:"wisp"`
	Labels      []string `json:"labels"`
	Comments    []struct {
		Author  string `json:"author"`
		Text    string `json:"text"`
		Created string `json:"created_at"`
	} `json:"comments"`
	Edges []beadEdge `json:"dependencies"`

	line int
}

type beadEdge struct {
	On   string `json:"depends_on_id"`
	Type string `json:"type"`
}

// Types of beads' issues that are not work for an agent.
var notWork = []string{"message", "gate", "template", "wisp", "event", "agent", "role", "rig", "slot", "molecule", "merge-request", "convoy", "session"}

// kindOf returns the type of a bead that is not work, or "" for work.
func (b bead) kindOf() string {
	switch {
	case b.Template:
		return "template"
	case b.Ephemeral || b.Wisp:
		return "wisp"
	case slices.Contains(notWork, b.Type):
		return b.Type
	}
	return ""
}

// readBeads reads the lines. A merge of both sides may leave two lines with one id; the later change counts.
func readBeads(data []byte, counts tally) (all []bead, err error) {
	at := map[string]int{}
	for n, line := range bytes.Split(data, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		b := bead{line: n + 1}
		if err := json.Unmarshal(line, &b); err != nil {
			return nil, fault.Validation("-", "line %d is not an issue of beads: %s", n+1, graph.Unreadable(err))
		}
		if b.ID == "" {
			continue
		}
		if before, twice := at[b.ID]; twice {
			counts["twice in the file: the one that was changed later was taken"]++
			if created(b.Updated).Before(created(all[before].Updated)) {
				continue
			}
			all[before] = b
			continue
		}
		at[b.ID] = len(all)
		all = append(all, b)
	}
	return slices.DeleteFunc(all, func(b bead) bool { return b.Status == "tombstone" }), nil
}

// text returns all texts of a bead.
func (b bead) text() string {
	var said []string
	for _, c := range b.Comments {
		said = append(said, strings.TrimSpace(fmt.Sprintf("%s, %s: %s", c.Author, c.Created[:min(len(c.Created), 10)], c.Text)))
	}
	return sections(b.Description, section{"Acceptance criteria", b.Acceptance}, section{"Design", b.Design}, section{"Notes", b.Notes},
		section{"Comments", strings.Join(said, "\n\n")})
}

// beads reads one issue for each line. Its priority 0 is the most urgent.
func beads(data []byte) ([]graph.PlanEntry, error) {
	counts := tally{}
	read, err := readBeads(data, counts)
	if err != nil {
		return nil, err
	}
	all := newContainers()
	var issues []bead
	for _, b := range read {
		all.closed[b.ID] = slices.Contains(finishedWords, fold(b.Status))
		if kind := b.kindOf(); kind != "" {
			counts["of type "+kind+" left out: they are not work"]++
			continue
		}
		issues = append(issues, b)
		all.epic[b.ID] = b.Type == "epic"
		for _, e := range b.Edges {
			if e.Type == "parent-child" {
				all.add(e.On, b.ID)
			}
		}
	}
	var plan []graph.PlanEntry
	for _, b := range issues {
		e := graph.PlanEntry{Line: b.line, Kind: "task", ID: b.ID, Name: b.Title, Description: b.text(), Assignee: b.Assignee, Created: created(b.Created)}
		if all.epic[b.ID] {
			e.Kind = "epic"
		}
		counts.stand(&e, b.Status)
		if b.Pinned {
			counts.hold(&e, "it was pinned where it came from")
		}
		counts.until(&e, b.Until)
		if b.Priority != nil {
			e.Priority = 4 - min(4, max(0, *b.Priority))
		}
		if b.Minutes > 0 {
			e.Estimate = fmt.Sprintf("%dm", b.Minutes)
		}
		if len(b.Labels) > 0 {
			counts["with labels there: labels have no place here"]++
		}
		links := beadLinks(b, all, &e, counts)
		plan = append(append(plan, e), links...)
	}
	return append(plan, counts.notes()...), nil
}

// beadLinks returns the relationships of a bead. Waiting for an epic without tasks holds the entry back.
func beadLinks(b bead, all containers, e *graph.PlanEntry, counts tally) (links []graph.PlanEntry) {
	link := func(source, relation, target string) {
		links = append(links, graph.PlanEntry{Line: b.line, Kind: "dependency", Source: source, Relation: relation, Target: target})
	}
	for _, edge := range b.Edges {
		switch edge.Type {
		case "blocks", "waits-for", "conditional-blocks", "":
			blockers, told := all.wait(edge.On, e, counts)
			links = append(links, told...)
			for _, blocker := range blockers {
				link(blocker, "blocks", b.ID)
			}
		case "parent-child":
			link(edge.On, "parent_of", b.ID)
		case "discovered-from":
			link(b.ID, "discovered_from", edge.On)
		case "related", "relates-to", "duplicates", "supersedes", "replies-to", "tracks", "caused-by", "validates":
			link(edge.On, "related_to", b.ID)
		default:
			counts[fmt.Sprintf("relationships %q there: its meaning is not known, and they are related_to here", edge.Type)]++
			link(edge.On, "related_to", b.ID)
		}
	}
	return links
}
