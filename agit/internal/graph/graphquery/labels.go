package graphquery

import (
	"slices"
	"time"

	graphstore "github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/work"
)

// label is a kind of node: its rows and its properties.
type label struct {
	name       string
	table, row string // the table with one row for each node, and its id column; a scan follows it
	base, key  string // the table with most of the properties, and its id
	where      string // which rows of base are shown
	joins      map[string]string
	properties []property
	unique     map[string]bool   // properties that one node has
	indexed    map[string]string // property → column of an index; columns with folded case end in _key
	statuses   []string          // values of items.status, where its index suits a scan
}

// property is one property of a label: a column and its conversion.
type property struct {
	name   string
	column string
	join   string                                            // the label's join that it needs
	value  func(v *view, row int64, stored any) (any, error) // nil: value as stored
	list   string                                            // instead of a column: a statement that returns row and element, up to its IN (
	time   bool                                              // a moment
	plain  bool                                              // stored as it is shown, so that the column can be compared
}

// Conditions on items name the kind in a way that keeps SQLite from the index over kinds: the ids in a statement select better than the
// kind.
func itemsOf(kind work.Kind) string {
	return `COALESCE(items.kind, '') = '` + string(kind) + `' AND items.deleted_at IS NULL`
}

// asText returns a text unchanged; an empty text is not a property.
func asText(_ *view, _ int64, stored any) (any, error) {
	if b, ok := stored.([]byte); ok {
		stored = string(b)
	}
	if stored == "" {
		return nil, nil
	}
	return stored, nil
}

func asPriority(_ *view, _ int64, stored any) (any, error) {
	n, _ := stored.(int64)
	return work.Priority(n).String(), nil
}

func asDuration(_ *view, _ int64, stored any) (any, error) {
	if n, ok := stored.(int64); ok {
		return work.FormatDuration(time.Duration(n) * time.Second), nil
	}
	return nil, nil
}

// asTaskStatus returns "blocked" for a task that something blocks.
func asTaskStatus(v *view, row int64, stored any) (any, error) {
	if stored != task.Completed && stored != task.Failed {
		blocked, err := v.blocked()
		if err != nil {
			return nil, err
		}
		if blocked[row] {
			return task.Blocked, nil
		}
	}
	return stored, nil
}

func column(name, column string) property {
	return property{name: name, column: column, value: asText, plain: true}
}

func (p property) from(join string) property { p.join = join; return p }

func made(name, column string, value func(*view, int64, any) (any, error)) property {
	return property{name: name, column: column, value: value}
}

// besideTitle is the description of an item without its title, which is the start of the stored text.
const besideTitle = `CASE WHEN items.description = items.title THEN ''
	WHEN SUBSTR(items.description, 1, LENGTH(items.title) + 2) = items.title || '
' || '
' THEN SUBSTR(items.description, LENGTH(items.title) + 3)
	WHEN SUBSTR(items.description, 1, LENGTH(items.title) + 1) = items.title || '
' THEN SUBSTR(items.description, LENGTH(items.title) + 2)
	ELSE items.description END`

var (
	byRef    = map[string]string{"id": "items.ref_key"}
	uniqueID = map[string]bool{"id": true}
)

// labels are all kinds of nodes. A label's place in the list is part of the ids
// of its nodes.
var labels = []*label{
	{
		name: "Project", table: "projects", row: "projects.id", base: "projects", key: "projects.id", where: `projects.deleted_at IS NULL`,
		unique: uniqueID, indexed: map[string]string{"id": "projects.uid"},
		properties: []property{
			column("id", "projects.uid"), column("name", "projects.name"), column("description", "projects.description"), column("status", "projects.status"),
			column("remote", "projects.remote"), moment("created", "projects.created_at"), moment("updated", "projects.updated_at"),
		},
	},
	{
		name: "Epic", table: "epics", row: "epics.item_id", base: "items", key: "items.id", where: itemsOf(work.KindEpic), unique: uniqueID, indexed: byRef,
		properties: []property{
			column("id", "items.ref"), column("name", "items.title"), column("description", besideTitle), made("status", graphstore.EpicStatus, asText),
			made("priority", "items.priority", asPriority), moment("created", "items.created_at"), moment("updated", "items.updated_at"),
		},
	},
	{
		name: "Task", table: "tasks", row: "tasks.item_id", base: "items", key: "items.id", where: itemsOf(work.KindTask), unique: uniqueID, indexed: byRef,
		statuses: []string{task.Pending, task.Claimed, task.InProgress, task.Completed, task.Failed},
		joins: map[string]string{
			"tasks":  `LEFT JOIN tasks ON tasks.item_id = items.id`,
			"holder": `LEFT JOIN leases ON leases.item_id = items.id LEFT JOIN agents holder ON holder.id = leases.agent_id`,
		},
		properties: []property{
			column("id", "items.ref"), column("name", "items.title"), column("description", "items.description"), made("status", "items.status", asTaskStatus),
			made("priority", "items.priority", asPriority), column("assignedTo", "holder.name").from("holder"),
			made("estimatedDuration", "items.estimate_seconds", asDuration), made("actualDuration", "tasks.actual_seconds", asDuration).from("tasks"),
			moment("created", "items.created_at"), moment("updated", "items.updated_at"), moment("started", "items.started_at"),
			moment("completed", "items.finished_at"), column("result", "tasks.result").from("tasks"),
			{name: "requiredCapabilities", list: `SELECT item_id, capability FROM item_capabilities WHERE item_id IN (`},
		},
	},
	{
		name: "Agent", table: "agents", row: "agents.id", base: "agents", key: "agents.id", where: `agents.removed_at IS NULL`,
		unique: map[string]bool{"id": true, "name": true}, indexed: map[string]string{"name": "agents.name_key", "id": "agents.uid"},
		joins: map[string]string{"board": `LEFT JOIN agent_board board ON board.id = agents.id`},
		properties: []property{
			column("id", "agents.uid"), column("name", "agents.name"), column("type", "agents.type"), column("status", "agents.status"),
			{name: "capabilities", list: `SELECT agent_id, capability FROM agent_capabilities WHERE agent_id IN (`},
			column("currentTask", "board.current_task").from("board"), moment("lastActive", "agents.last_seen_at"), moment("created", "agents.registered_at"),
		},
	},
	{
		name: "Artifact", table: "artifacts", row: "artifacts.item_id", base: "items", key: "items.id", where: itemsOf(work.KindArtifact), unique: uniqueID, indexed: byRef,
		joins: map[string]string{"artifacts": `LEFT JOIN artifacts ON artifacts.item_id = items.id`},
		properties: []property{
			column("id", "items.ref"), column("path", "artifacts.path").from("artifacts"), column("type", "artifacts.type").from("artifacts"),
			made("size", "artifacts.size", nil).from("artifacts"), moment("created", "items.created_at"),
		},
	},
	{
		name: "Bug", table: "bugs", row: "bugs.item_id", base: "items", key: "items.id", where: itemsOf(work.KindBug), unique: uniqueID, indexed: byRef,
		joins: map[string]string{
			"bugs":   `LEFT JOIN bugs ON bugs.item_id = items.id`,
			"finder": `LEFT JOIN agents finder ON finder.id = (SELECT found.found_by FROM bugs found WHERE found.item_id = items.id)`,
		},
		properties: []property{
			column("id", "items.ref"), column("title", "items.title"), column("description", besideTitle), column("severity", "bugs.severity").from("bugs"),
			column("status", "items.status"), column("foundBy", "finder.name").from("finder"), moment("created", "items.created_at"), moment("resolved", "items.finished_at"),
		},
	},
	{
		name: "TestScenario", table: "scenarios", row: "scenarios.item_id", base: "items", key: "items.id", where: itemsOf(work.KindScenario), unique: uniqueID, indexed: byRef,
		joins: map[string]string{"scenarios": `LEFT JOIN scenarios ON scenarios.item_id = items.id`},
		properties: []property{
			column("id", "items.ref"), column("name", "items.title"), column("description", besideTitle), made("priority", "items.priority", asPriority),
			column("status", "items.status"), made("passRate", "scenarios.pass_rate", nil).from("scenarios"), moment("created", "items.created_at"), moment("updated", "items.updated_at"),
		},
	},
}

// lacks reports whether nodes of the label lack one of some labels.
func (l *label) lacks(labels []string) bool {
	return slices.ContainsFunc(labels, func(name string) bool { return name != l.name })
}

// names returns the properties that nodes of the label may have.
func (l *label) names() []string {
	all := make([]string, len(l.properties))
	for i, p := range l.properties {
		all[i] = p.name
	}
	return all
}
