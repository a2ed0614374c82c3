package graphquery

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/cypher/value"
	graphstore "github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// label is a kind of node: the rows it is made of, and what they say.
type label struct {
	name       string
	space      space
	key        string // the column of the row's id
	columns    string // after the key
	from       string
	where      string
	properties []string
	unique     map[string]bool   // properties that one node has
	indexed    map[string]string // property → column whose index finds it; folded ones end in _key
	fill       func(row registry.Scanner, n *value.Node) error
	complete   func(tx *registry.Tx, nodes []*value.Node) error // properties of other tables; may be nil
}

// read gives the label's nodes under a condition, which begins with AND or
// ORDER.
func (l label) read(tx *registry.Tx, condition string, args ...any) ([]*value.Node, error) {
	nodes, err := registry.Collect(tx, func(row registry.Scanner) (*value.Node, error) {
		n := &value.Node{Loaded: true, Labels: []string{l.name}, Properties: map[string]any{}}
		err := l.fill(row, n)
		n.ID = l.space.node(n.ID)
		return n, err
	}, `SELECT `+l.key+`, `+l.columns+` FROM `+l.from+` WHERE `+l.where+condition, args...)
	if err != nil || l.complete == nil || len(nodes) == 0 {
		return nodes, err
	}
	return nodes, l.complete(tx, nodes)
}

// pushed writes the conditions that an index answers; the engine checks every
// one again, so that a wider answer is no wrong one.
func (l label) pushed(conditions []graph.Condition) (where string, args []any) {
	for _, c := range conditions {
		column, indexed := l.indexed[c.Property]
		values := []any{c.Value}
		if c.Op == graph.In {
			values, _ = c.Value.([]any)
		}
		if !indexed || c.Op != graph.Equal && c.Op != graph.In || len(values) == 0 || len(values) > batch ||
			slices.ContainsFunc(values, func(v any) bool { _, isText := v.(string); return !isText }) {
			continue
		}
		where += ` AND ` + column + ` IN (` + marks(len(values)) + `)`
		for _, v := range values {
			if s, ok := v.(string); ok && strings.HasSuffix(column, "_key") {
				v = text.Key(s)
			}
			args = append(args, v)
		}
	}
	return where, args
}

// set keeps a property that has a value.
func set[T comparable](n *value.Node, name string, v T) {
	var zero T
	if v != zero {
		n.Properties[name] = v
	}
}

const (
	itemColumns = `items.ref, items.title, items.description, items.priority, items.created_at, items.updated_at, items.started_at, items.finished_at`
	present     = `items.deleted_at IS NULL`
)

// fillItem reads the id, itemColumns and then more.
func fillItem(row registry.Scanner, n *value.Node, more ...any) (started, finished string, err error) {
	var ref, title, description, created, updated string
	var priority work.Priority
	var start, finish registry.Null[string]
	if err = row.Scan(append([]any{&n.ID, &ref, &title, &description, &priority, &created, &updated, &start, &finish}, more...)...); err != nil {
		return "", "", err
	}
	n.Properties["id"], n.Properties["name"], n.Properties["priority"] = ref, title, priority.String()
	n.Properties["created"], n.Properties["updated"] = created, updated
	set(n, "description", description)
	return start.V, finish.V, nil
}

var byRef = map[string]string{"id": "items.ref_key"}

// labels are all kinds of nodes.
var labels = []label{
	{
		name: "Project", space: projects, key: "projects.id", columns: `uid, name, description, status, remote, created_at, updated_at`,
		from: `projects`, where: `projects.deleted_at IS NULL`,
		properties: []string{"id", "name", "description", "status", "remote", "created", "updated"},
		unique:     map[string]bool{"id": true}, indexed: map[string]string{"id": "projects.uid"},
		fill: func(row registry.Scanner, n *value.Node) error {
			var uid, name, description, status, created, updated string
			var remote registry.Null[string]
			if err := row.Scan(&n.ID, &uid, &name, &description, &status, &remote, &created, &updated); err != nil {
				return err
			}
			n.Properties["id"], n.Properties["name"], n.Properties["status"] = uid, name, status
			n.Properties["created"], n.Properties["updated"] = created, updated
			set(n, "description", description)
			set(n, "remote", remote.V)
			return nil
		},
	},
	{
		name: "Epic", space: items, key: "epics.item_id", columns: itemColumns + `, ` + graphstore.EpicStatus,
		from: `epics JOIN items ON items.id = epics.item_id`, where: present,
		properties: []string{"id", "name", "description", "status", "priority", "created", "updated"},
		unique:     map[string]bool{"id": true}, indexed: byRef,
		fill: func(row registry.Scanner, n *value.Node) error {
			var status string
			_, _, err := fillItem(row, n, &status)
			n.Properties["status"] = status
			return err
		},
	},
	{
		name: "Task", space: items, key: "tasks.item_id",
		columns: itemColumns + `, items.status, ` + task.IsBlocked + `, items.estimate_seconds, tasks.actual_seconds, tasks.result, holder.name`,
		from: `tasks JOIN items ON items.id = tasks.item_id LEFT JOIN leases ON leases.item_id = items.id
			LEFT JOIN agents holder ON holder.id = leases.agent_id`,
		where: present,
		properties: []string{"id", "name", "description", "status", "priority", "assignedTo", "estimatedDuration", "actualDuration",
			"created", "updated", "started", "completed", "result", "requiredCapabilities"},
		unique: map[string]bool{"id": true}, indexed: byRef,
		fill: fillTask, complete: addCapabilities("requiredCapabilities", items,
			`SELECT item_id, capability FROM item_capabilities WHERE item_id IN (`),
	},
	{
		name: "Agent", space: agents, key: "agents.id",
		columns: `agents.uid, agents.name, agents.type, agents.status, agents.registered_at, agents.last_seen_at, board.current_task`,
		from:    `agents JOIN agent_board board ON board.id = agents.id`, where: `agents.removed_at IS NULL`,
		properties: []string{"id", "name", "type", "status", "capabilities", "currentTask", "lastActive", "created"},
		unique:     map[string]bool{"id": true, "name": true}, indexed: map[string]string{"name": "agents.name_key", "id": "agents.uid"},
		fill: fillAgent, complete: addCapabilities("capabilities", agents,
			`SELECT agent_id, capability FROM agent_capabilities WHERE agent_id IN (`),
	},
	{
		name: "Artifact", space: items, key: "artifacts.item_id", columns: itemColumns + `, artifacts.path, artifacts.type, artifacts.size`,
		from: `artifacts JOIN items ON items.id = artifacts.item_id`, where: present,
		properties: []string{"id", "path", "type", "size", "created"},
		unique:     map[string]bool{"id": true}, indexed: byRef,
		fill: func(row registry.Scanner, n *value.Node) error {
			var path, kind string
			var size registry.Null[int64]
			if _, _, err := fillItem(row, n, &path, &kind, &size); err != nil {
				return err
			}
			n.Properties = map[string]any{"id": n.Properties["id"], "created": n.Properties["created"], "path": path, "type": kind}
			if size.Valid {
				n.Properties["size"] = size.V
			}
			return nil
		},
	},
	{
		name: "Bug", space: items, key: "bugs.item_id", columns: itemColumns + `, items.status, bugs.severity, finder.name`,
		from: `bugs JOIN items ON items.id = bugs.item_id LEFT JOIN agents finder ON finder.id = bugs.found_by`, where: present,
		properties: []string{"id", "title", "description", "severity", "status", "foundBy", "created", "resolved"},
		unique:     map[string]bool{"id": true}, indexed: byRef,
		fill: func(row registry.Scanner, n *value.Node) error {
			var status, severity string
			var finder registry.Null[string]
			_, resolved, err := fillItem(row, n, &status, &severity, &finder)
			n.Properties["title"], n.Properties["status"], n.Properties["severity"] = n.Properties["name"], status, severity
			delete(n.Properties, "name")
			delete(n.Properties, "priority")
			delete(n.Properties, "updated")
			set(n, "foundBy", finder.V)
			set(n, "resolved", resolved)
			return err
		},
	},
	{
		name: "TestScenario", space: items, key: "scenarios.item_id", columns: itemColumns + `, items.status, scenarios.pass_rate`,
		from: `scenarios JOIN items ON items.id = scenarios.item_id`, where: present,
		properties: []string{"id", "name", "description", "priority", "status", "passRate", "created", "updated"},
		unique:     map[string]bool{"id": true}, indexed: byRef,
		fill: func(row registry.Scanner, n *value.Node) error {
			var status string
			var rate registry.Null[float64]
			_, _, err := fillItem(row, n, &status, &rate)
			n.Properties["status"] = status
			if rate.Valid {
				n.Properties["passRate"] = rate.V
			}
			return err
		},
	},
}
