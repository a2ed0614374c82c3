package graphquery

// relationship is a type of relationship and the rows that it is made of. from
// is a FROM clause with a WHERE, to which a condition on start or end is added.
type relationship struct {
	name                 string
	startLabel, endLabel string
	startSpace, endSpace space
	start, end, from     string
}

const (
	// waits are the dependencies by which one thing waits for another that is
	// there; of an item that is deleted nothing is shown.
	waits = `dependencies d JOIN items source ON source.id = d.source_id JOIN items target ON target.id = d.target_id
		WHERE d.relation = 'blocks' AND source.deleted_at IS NULL AND target.deleted_at IS NULL`
	openBug = waits + ` AND source.kind = 'bug' AND target.kind = 'task' AND source.state IN ('open', 'active')`
	bugRow  = `bugs b JOIN items bug ON bug.id = b.item_id WHERE bug.deleted_at IS NULL`
)

// relationships are all types, each as often as it has kinds of ends. DEPENDS_ON
// is `blocks` read backwards, BLOCKS and BLOCKED_BY are one row read both ways.
var relationships = []relationship{
	{"CONTAINS", "Project", "Epic", projects, items, "e.project_id", "e.id",
		`items e WHERE e.kind = 'epic' AND e.deleted_at IS NULL`},
	{"HAS_TASK", "Epic", "Task", items, items, "t.parent_id", "t.id",
		`items t JOIN items e ON e.id = t.parent_id WHERE t.kind = 'task' AND e.kind = 'epic' AND t.deleted_at IS NULL AND e.deleted_at IS NULL`},
	{"HAS_TASK", "Project", "Task", projects, items, "t.project_id", "t.id",
		`items t WHERE t.kind = 'task' AND t.parent_id IS NULL AND t.deleted_at IS NULL`},
	{"HAS_AGENT", "Project", "Agent", projects, agents, "w.project_id", "w.agent_id",
		`(SELECT i.project_id, l.agent_id FROM leases l JOIN items i ON i.id = l.item_id WHERE l.agent_id IS NOT NULL
		  UNION SELECT i.project_id, h.agent_id FROM item_history h JOIN items i ON i.id = h.item_id
		    WHERE h.agent_id IS NOT NULL AND h.field = 'status' AND h.new = 'completed'
		  UNION SELECT r.project_id, t.agent_id FROM worktrees t JOIN repos r ON r.id = t.repo_id
		    WHERE t.agent_id IS NOT NULL AND t.status NOT IN ('completed', 'trashed')) w
		 JOIN agents a ON a.id = w.agent_id WHERE a.removed_at IS NULL`},
	{"DEPENDS_ON", "Task", "Task", items, items, "d.target_id", "d.source_id", waits + ` AND source.kind = 'task' AND target.kind = 'task'`},
	{"ASSIGNED_TO", "Task", "Agent", items, agents, "l.item_id", "l.agent_id",
		`leases l JOIN items t ON t.id = l.item_id WHERE l.agent_id IS NOT NULL AND t.kind = 'task' AND t.deleted_at IS NULL`},
	{"PRODUCES", "Task", "Artifact", items, items, "f.produced_by", "f.item_id",
		`artifacts f JOIN items i ON i.id = f.item_id WHERE f.produced_by IS NOT NULL AND i.deleted_at IS NULL`},
	{"BLOCKED_BY", "Task", "Bug", items, items, "d.target_id", "d.source_id", openBug},
	{"BLOCKS", "Bug", "Task", items, items, "d.source_id", "d.target_id", openBug},
	{"VALIDATES", "Task", "TestScenario", items, items, "s.task_id", "s.scenario_id",
		`scenario_tasks s JOIN items i ON i.id = s.scenario_id WHERE i.deleted_at IS NULL`},
	{"COMPLETED", "Agent", "Task", agents, items, "h.agent_id", "h.item_id",
		`item_history h JOIN items t ON t.id = h.item_id JOIN agents a ON a.id = h.agent_id
		 WHERE h.field = 'status' AND h.new = 'completed' AND t.kind = 'task' AND t.deleted_at IS NULL AND a.removed_at IS NULL`},
	{"REPORTED", "Agent", "Bug", agents, items, "b.found_by", "b.item_id", bugRow + ` AND b.found_by IS NOT NULL`},
	{"FOUND_IN", "Bug", "Task", items, items, "b.item_id", "b.found_in_task", bugRow + ` AND b.found_in_task IS NOT NULL`},
	{"FOUND_IN", "Bug", "Artifact", items, items, "b.item_id", "b.found_in_artifact", bugRow + ` AND b.found_in_artifact IS NOT NULL`},
}
