package graph

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// Node is an item of the graph with its label in the ontology.
type Node struct {
	ID     string `json:"id"` // unique in a picture: its label and its own id
	Label  string `json:"label"`
	Name   string `json:"name"`
	Status string `json:"status,omitempty"`
}

// Arrow is a relationship with its type in the ontology.
type Arrow struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type"`
}

// Picture is the part of the graph that belongs to a project.
type Picture struct {
	Nodes  []Node  `json:"nodes"`
	Arrows []Arrow `json:"edges"`
}

var labels = map[string]string{"task": "Task", "epic": "Epic", "bug": "Bug", "scenario": "TestScenario", "artifact": "Artifact",
	"ticket": "Ticket", "plan": "Plan"}

// Draw returns the nodes and relationships of a project ("" for all).
func (s *Store) Draw(ctx context.Context, projectID string) (Picture, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Picture, error) {
		where, args := ``, []any{}
		if projectID != "" {
			in, err := project.Get(tx, projectID)
			if err != nil {
				return Picture{}, err
			}
			where, args = ` AND projects.id = ?`, append(args, in.ID)
		}
		return draw(tx, where, args)
	})
}

func draw(tx *registry.Tx, where string, args []any) (p Picture, err error) {
	p = Picture{Nodes: []Node{}, Arrows: []Arrow{}}
	add := func(query string, args ...any) {
		if err != nil {
			return
		}
		var found []Node
		found, err = registry.Collect(tx, func(row registry.Scanner) (n Node, err error) {
			err = row.Scan(&n.Label, &n.ID, &n.Name, &n.Status)
			n.Label = cmp.Or(labels[n.Label], n.Label)
			n.ID = n.Label + ":" + n.ID
			return n, err
		}, query, args...)
		p.Nodes = append(p.Nodes, found...)
	}
	add(`SELECT 'Project', uid, name, status FROM projects WHERE deleted_at IS NULL`+where+` ORDER BY id`, args...)
	add(`SELECT items.kind, items.ref, items.title, CASE WHEN items.kind = 'epic' THEN `+EpicStatus+` ELSE items.status END
		FROM items JOIN projects ON projects.id = items.project_id WHERE items.deleted_at IS NULL`+where+` ORDER BY items.id`, args...)
	add(`SELECT 'Agent', agents.name, agents.name, agents.status FROM agents WHERE agents.removed_at IS NULL
		AND EXISTS (SELECT 1 FROM projects WHERE projects.deleted_at IS NULL`+where+` AND `+HasAgent+`) ORDER BY agents.id`, args...)
	known := map[string]bool{}
	for _, n := range p.Nodes {
		known[n.ID] = true
	}
	arrows := func(kind, query, order string) {
		if err != nil {
			return
		}
		var found []Arrow
		found, err = registry.Collect(tx, func(row registry.Scanner) (a Arrow, err error) {
			var from, to string
			err = row.Scan(&from, &a.From, &to, &a.To)
			a.Type, a.From, a.To = kind, labelled(from, a.From), labelled(to, a.To)
			return a, err
		}, query+where+` ORDER BY `+order, args...)
		for _, a := range found {
			if known[a.From] && known[a.To] {
				p.Arrows = append(p.Arrows, a)
			}
		}
	}
	const in = ` JOIN projects ON projects.id = items.project_id WHERE items.deleted_at IS NULL `
	arrows("CONTAINS", `SELECT 'Project', projects.uid, items.kind, items.ref FROM items`+in+`AND items.kind = 'epic'`, `items.id`)
	arrows("HAS_TASK", `SELECT 'Project', projects.uid, items.kind, items.ref FROM items`+in+`AND items.kind = 'task' AND items.parent_id IS NULL`, `items.id`)
	arrows("HAS_TASK", `SELECT o.kind, o.ref, items.kind, items.ref FROM items JOIN items o ON o.id = items.parent_id`+in+`AND o.kind = 'epic'`, `items.id`)
	arrows("PARENT_OF", `SELECT o.kind, o.ref, items.kind, items.ref FROM items JOIN items o ON o.id = items.parent_id`+in+`AND o.kind <> 'epic'`, `items.id`)
	arrows("DEPENDS_ON", `SELECT items.kind, items.ref, o.kind, o.ref FROM items JOIN dependencies d ON d.target_id = items.id JOIN items o ON o.id = d.source_id`+in+
		`AND d.relation = 'blocks' AND o.kind <> 'bug'`, `d.id`)
	arrows("BLOCKED_BY", `SELECT items.kind, items.ref, o.kind, o.ref FROM items JOIN dependencies d ON d.target_id = items.id JOIN items o ON o.id = d.source_id`+in+
		`AND d.relation = 'blocks' AND o.kind = 'bug' AND o.state IN ('open', 'active')`, `d.id`)
	arrows("RELATED_TO", `SELECT o.kind, o.ref, items.kind, items.ref FROM items JOIN dependencies d ON d.target_id = items.id JOIN items o ON o.id = d.source_id`+in+
		`AND d.relation = 'related_to'`, `d.id`)
	arrows("DISCOVERED_FROM", `SELECT o.kind, o.ref, items.kind, items.ref FROM items JOIN dependencies d ON d.target_id = items.id JOIN items o ON o.id = d.source_id`+in+
		`AND d.relation = 'discovered_from'`, `d.id`)
	arrows("PRODUCES", `SELECT o.kind, o.ref, items.kind, items.ref FROM items JOIN artifacts a ON a.item_id = items.id JOIN items o ON o.id = a.produced_by`+in, `items.id`)
	arrows("VALIDATES", `SELECT o.kind, o.ref, items.kind, items.ref FROM items JOIN scenario_tasks s ON s.scenario_id = items.id JOIN items o ON o.id = s.task_id`+in, `items.id, o.id`)
	arrows("FOUND_IN", `SELECT items.kind, items.ref, o.kind, o.ref FROM items JOIN bugs b ON b.item_id = items.id JOIN items o ON o.id IN (b.found_in_task, b.found_in_artifact)`+in, `items.id, o.id`)
	arrows("REPORTED", `SELECT 'Agent', a.name, items.kind, items.ref FROM items JOIN bugs b ON b.item_id = items.id JOIN agents a ON a.id = b.found_by`+in, `items.id`)
	arrows("ASSIGNED_TO", `SELECT items.kind, items.ref, 'Agent', a.name FROM items JOIN leases l ON l.item_id = items.id JOIN agents a ON a.id = l.agent_id`+in, `items.id`)
	return p, err
}

func labelled(kind, id string) string {
	return cmp.Or(labels[kind], kind) + ":" + id
}

// NameOf returns the name of a node by its label and id, or its id when it is not in the picture.
func (p Picture) NameOf(label, id string) string {
	for _, n := range p.Nodes {
		if n.ID == label+":"+id {
			return n.Name
		}
	}
	return id
}

// Formats are the formats that Write supports.
var Formats = []string{"dot", "mermaid", "json", "graphml", "text"}

// Dot writes the picture for Graphviz.
func (p Picture) Dot() string {
	var b strings.Builder
	b.WriteString("digraph agit {\n  rankdir=LR;\n  node [shape=box];\n")
	for _, n := range p.Nodes {
		fmt.Fprintf(&b, "  %s [label=%s];\n", quoted(n.ID), quoted(n.caption("\n")))
	}
	for _, a := range p.Arrows {
		fmt.Fprintf(&b, "  %s -> %s [label=%s];\n", quoted(a.From), quoted(a.To), quoted(a.Type))
	}
	b.WriteString("}\n")
	return b.String()
}

func (n Node) caption(newline string) string {
	_, id, _ := strings.Cut(n.ID, ":")
	caption := n.Label + " " + id
	if n.Name != id {
		caption += newline + n.Name
	}
	if n.Status != "" {
		caption += newline + n.Status
	}
	return caption
}

// quoted returns s as a Graphviz string.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// Mermaid writes the picture as a flowchart.
func (p Picture) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	number := map[string]int{}
	escape := strings.NewReplacer(`"`, "#quot;", "&", "#amp;", "<", "#lt;", ">", "#gt;", "`", "#96;", "\n", " ")
	for i, n := range p.Nodes {
		number[n.ID] = i
		parts := strings.Split(n.caption("\x00"), "\x00")
		for j := range parts {
			parts[j] = escape.Replace(parts[j])
		}
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, strings.Join(parts, "<br/>"))
	}
	for _, a := range p.Arrows {
		fmt.Fprintf(&b, "  n%d -->|%s| n%d\n", number[a.From], a.Type, number[a.To])
	}
	return b.String()
}

// GraphML writes the picture for graph tools.
func (p Picture) GraphML() string {
	var b strings.Builder
	text := func(s string) string {
		var e strings.Builder
		_ = xml.EscapeText(&e, []byte(s)) // a Builder does not fail
		return e.String()
	}
	b.WriteString(xml.Header + `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">` + "\n")
	for _, key := range []string{"label", "name", "status"} {
		fmt.Fprintf(&b, "  <key id=%q for=\"node\" attr.name=%q attr.type=\"string\"/>\n", key, key)
	}
	b.WriteString("  <key id=\"type\" for=\"edge\" attr.name=\"type\" attr.type=\"string\"/>\n  <graph edgedefault=\"directed\">\n")
	for _, n := range p.Nodes {
		fmt.Fprintf(&b, "    <node id=\"%s\"><data key=\"label\">%s</data><data key=\"name\">%s</data><data key=\"status\">%s</data></node>\n",
			text(n.ID), text(n.Label), text(n.Name), text(n.Status))
	}
	for _, a := range p.Arrows {
		fmt.Fprintf(&b, "    <edge source=\"%s\" target=\"%s\"><data key=\"type\">%s</data></edge>\n", text(a.From), text(a.To), text(a.Type))
	}
	b.WriteString("  </graph>\n</graphml>\n")
	return b.String()
}
