package graphquery

// relationship is a type of relationship between two labels, with a way to find it from either end.
type relationship struct {
	name       string
	start, end string // labels
	out, in    side
}

// side is a relationship seen from one end: near is the column with the id of the given node, far the column of the other. The SQL
// fixes where a statement begins, because the planner has no statistics: it reads from by near, then the far node's own table unless
// from is that table.
type side struct {
	from, near, far string
	where           string // a condition on from, and on the far node's table
	distinct        bool   // a pair may appear more than once
}

// A completion is credited to the task's assignee, whoever reported it. The terms are hidden from the planner, so that it begins with
// the assignee.
const (
	waits   = `d.relation = 'blocks'`
	openBug = ` AND items.state IN ('open', 'active')`
	agentOf = `(SELECT i.project_id, l.agent_id FROM leases l JOIN items i ON i.id = l.item_id WHERE l.agent_id IS NOT NULL
		UNION SELECT done.project_id, done.assignee_agent_id FROM items done WHERE done.assignee_agent_id IS NOT NULL AND ` + completion + `
		UNION SELECT r.project_id, t.agent_id FROM worktrees t JOIN repos r ON r.id = t.repo_id
		  WHERE t.agent_id IS NOT NULL) w`
	completion = `COALESCE(done.kind, '') = 'task' AND COALESCE(done.status, '') = 'completed'`
)

// The two sides of a bug that blocks a task; two relationship types share them.
var (
	bugsOfTask = side{from: `dependencies d`, near: `d.target_id`, far: `d.source_id`, where: waits + openBug}
	tasksOfBug = side{from: `items bug CROSS JOIN dependencies d`, near: `bug.id`, far: `d.target_id`,
		where: `bug.state IN ('open', 'active') AND d.source_id = bug.id AND ` + waits}
)

// relationships are all types, once for each pair of end labels. DEPENDS_ON is `blocks` read backwards; BLOCKS and BLOCKED_BY are one
// row read in both directions. Deleted items are not shown.
var relationships = []*relationship{
	{"CONTAINS", "Project", "Epic",
		side{from: `items`, near: `items.project_id`, far: `items.id`, where: `items.kind = 'epic'`},
		side{from: `items e`, near: `e.id`, far: `e.project_id`}},
	{"HAS_TASK", "Epic", "Task",
		side{from: `items`, near: `items.parent_id`, far: `items.id`},
		side{from: `items t`, near: `t.id`, far: `t.parent_id`}},
	{"HAS_TASK", "Project", "Task",
		side{from: `items`, near: `items.project_id`, far: `items.id`, where: `items.kind = 'task' AND items.parent_id IS NULL`},
		side{from: `items t`, near: `t.id`, far: `t.project_id`, where: `t.parent_id IS NULL`}},
	{"HAS_AGENT", "Project", "Agent",
		side{from: agentOf, near: `w.project_id`, far: `w.agent_id`},
		side{from: agentOf, near: `w.agent_id`, far: `w.project_id`}},
	{"DEPENDS_ON", "Task", "Task",
		side{from: `dependencies d`, near: `d.target_id`, far: `d.source_id`, where: waits},
		side{from: `dependencies d`, near: `d.source_id`, far: `d.target_id`, where: waits}},
	{"ASSIGNED_TO", "Task", "Agent",
		side{from: `leases l`, near: `l.item_id`, far: `l.agent_id`},
		side{from: `leases l`, near: `l.agent_id`, far: `l.item_id`}},
	{"PRODUCES", "Task", "Artifact",
		side{from: `artifacts f`, near: `f.produced_by`, far: `f.item_id`},
		side{from: `artifacts f`, near: `f.item_id`, far: `f.produced_by`}},
	{"BLOCKED_BY", "Task", "Bug", bugsOfTask, tasksOfBug},
	{"BLOCKS", "Bug", "Task", tasksOfBug, bugsOfTask},
	{"VALIDATES", "Task", "TestScenario",
		side{from: `scenario_tasks s`, near: `s.task_id`, far: `s.scenario_id`},
		side{from: `scenario_tasks s`, near: `s.scenario_id`, far: `s.task_id`}},
	{"COMPLETED", "Agent", "Task",
		side{from: `items done`, near: `done.assignee_agent_id`, far: `done.id`, where: completion},
		side{from: `items done`, near: `done.id`, far: `done.assignee_agent_id`, where: completion}},
	{"REPORTED", "Agent", "Bug",
		side{from: `bugs b`, near: `b.found_by`, far: `b.item_id`},
		side{from: `bugs b`, near: `b.item_id`, far: `b.found_by`}},
	{"FOUND_IN", "Bug", "Task",
		side{from: `bugs b`, near: `b.item_id`, far: `b.found_in_task`},
		side{from: `bugs b`, near: `b.found_in_task`, far: `b.item_id`}},
	{"FOUND_IN", "Bug", "Artifact",
		side{from: `bugs b`, near: `b.item_id`, far: `b.found_in_artifact`},
		side{from: `bugs b`, near: `b.found_in_artifact`, far: `b.item_id`}},
}
