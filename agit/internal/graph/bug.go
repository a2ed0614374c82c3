package graph

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Severities are the severities of a bug, lowest first.
var Severities = []string{"low", "medium", "high", "critical"}

// Bug is a defect that was found, with the tasks that it blocks.
type Bug struct {
	ID          string          `json:"bugId"`
	Title       string          `json:"title"`
	Description string          `json:"description,omitempty"`
	Severity    string          `json:"severity"`
	Status      string          `json:"status"`
	FoundBy     string          `json:"foundBy,omitempty"`
	FoundIn     string          `json:"foundInTask,omitempty"`
	Artifact    string          `json:"foundInArtifact,omitempty"`
	Project     string          `json:"projectId"`
	Created     timestamp.Time  `json:"created"`
	Resolved    *timestamp.Time `json:"resolved,omitempty"`
	Blocks      []string        `json:"blockedTasks,omitempty"`
}

// BugReport describes a bug to be stored.
type BugReport struct {
	ID, Title, Description, Severity string
	FoundBy                          string // name of the reporting agent
	FoundIn                          string // id of the task it was found in
	Artifact                         string // id or path of the artifact it was found in
	Project                          string // id; when empty, the project of the tasks
	Blocks                           []string
}

// Blocked is the result of a bug report.
type Blocked struct {
	Success    bool     `json:"success"`
	BugID      string   `json:"bugId"`
	Count      int      `json:"blockedTasksCount"`
	Blocked    []string `json:"tasksMarkedBlocked"`
	NotBlocked []string `json:"notBlocked,omitempty"` // tasks that were already finished
	Project    string   `json:"projectId"`
}

// ReportBug stores a bug and blocks the open tasks that it names until the bug is resolved. Their statuses and assignees stay as they
// are. Finished tasks are returned in NotBlocked.
func (s *Store) ReportBug(ctx context.Context, r BugReport) (Blocked, error) {
	if !slices.Contains(Severities, r.Severity) {
		return Blocked{}, fault.Validation("severity", "severity %q is not known", r.Severity).WithHint("use low, medium, high or critical")
	}
	return write(ctx, s, r.FoundBy, func(tx *registry.Tx, by int64) (Blocked, error) { return reportBug(tx, r, by) })
}

func reportBug(tx *registry.Tx, r BugReport, by int64) (out Blocked, err error) {
	var in work.Item
	if r.FoundIn != "" {
		if in, err = find(tx, work.KindTask, "foundInTask", r.FoundIn); err != nil {
			return out, err
		}
	}
	blocked := make([]work.Item, 0, len(r.Blocks))
	for _, id := range r.Blocks {
		item, err := find(tx, work.KindTask, "blockedTasks", id)
		if err != nil {
			return out, err
		}
		if !slices.ContainsFunc(blocked, func(b work.Item) bool { return b.ID == item.ID }) {
			blocked = append(blocked, item)
		}
	}
	var artifact work.Item
	if r.Artifact != "" {
		if artifact, err = findArtifact(tx, r.Artifact); err != nil {
			return out, err
		}
	}
	projectID := in.ProjectID
	switch {
	case r.Project != "":
		p, err := project.Get(tx, r.Project)
		if err != nil {
			return out, err
		}
		projectID = p.ID
	case projectID == 0 && len(blocked) > 0:
		projectID = blocked[0].ProjectID
	case projectID == 0 && artifact.ID != 0:
		projectID = artifact.ProjectID
	case projectID == 0:
		return out, fault.Validation("projectId", "the project of the bug is not known").WithHint("name a task or a project")
	}
	if err := tx.In(projectID); err != nil {
		return out, err
	}
	severity := work.Priority(slices.Index(Severities, r.Severity)) + work.PriorityLow
	bug, err := work.Create(tx, work.NewItem{
		ProjectID: projectID, Kind: work.KindBug, Ref: r.ID, Prefix: "BUG-", Text: body(r.Title, r.Description), Status: "open", Priority: severity, By: by,
	})
	if err != nil {
		return out, err
	}
	if err := tx.Do(`INSERT INTO bugs (item_id, severity, found_by, found_in_task, found_in_artifact) VALUES (?, ?, ?, ?, ?)`,
		bug.ID, r.Severity, registry.NullIfZero(by), registry.NullIfZero(in.ID), registry.NullIfZero(artifact.ID)); err != nil {
		return out, err
	}
	out = Blocked{Success: true, BugID: bug.Ref, Blocked: []string{}}
	for _, item := range blocked {
		if item.State == work.StateDone || item.State == work.StateDropped {
			out.NotBlocked = append(out.NotBlocked, item.Ref)
			continue
		}
		if err := work.Link(tx, work.Edge{Source: bug.ID, Target: item.ID, Relation: work.Blocks, By: by}); err != nil {
			return out, err
		}
		out.Blocked = append(out.Blocked, item.Ref)
		tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	}
	out.Count = len(out.Blocked)
	tx.Changed(registry.TopicTasks, projectID, bug.Ref)
	p, err := project.ByID(tx, projectID)
	out.Project = p.UID
	return out, err
}

// Resolution is the result of a change of a bug's status.
type Resolution struct {
	Success   bool     `json:"success"`
	BugID     string   `json:"bugId"`
	Status    string   `json:"status"`
	Unblocked []string `json:"unblocked"`
	Project   string   `json:"projectId"`
}

// SetBugStatus changes the status of a bug. The statuses fixed and wont_fix resolve it: tasks that no other bug blocks get their former
// status back and are returned. The statuses open and investigating block the bug's tasks again.
func (s *Store) SetBugStatus(ctx context.Context, id, status, agentName string) (Resolution, error) {
	states := map[string]work.State{"open": work.StateOpen, "investigating": work.StateActive, "fixed": work.StateDone, "wont_fix": work.StateDropped}
	state, known := states[status]
	if !known {
		return Resolution{}, fault.Validation("status", "bug status %q is not known", status).WithHint("use open, investigating, fixed or wont_fix")
	}
	return write(ctx, s, agentName, func(tx *registry.Tx, by int64) (out Resolution, err error) {
		bug, err := find(tx, work.KindBug, "bugId", id)
		if err != nil {
			return out, err
		}
		was := work.Resolves(bug.Kind, bug.State)
		if bug.Status != status {
			if err := work.SetStatus(tx, &bug, work.Move{Status: status, State: state, Event: work.Event{Agent: by}}); err != nil {
				return out, err
			}
		}
		out = Resolution{Success: true, BugID: bug.Ref, Status: bug.Status, Unblocked: []string{}}
		if !was && work.Resolves(bug.Kind, bug.State) {
			if out.Unblocked, err = unblockedBy(tx, bug.ID); err != nil {
				return out, err
			}
		}
		tx.Changed(registry.TopicTasks, bug.ProjectID, bug.Ref)
		p, err := project.ByID(tx, bug.ProjectID)
		out.Project = p.UID
		return out, err
	})
}

// unblockedBy returns the unfinished tasks of a resolved bug that no longer show as blocked. They may still wait for other tasks, which
// work.FreedBy checks.
func unblockedBy(tx *registry.Tx, bugID int64) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `SELECT items.ref FROM dependencies d JOIN items ON items.id = d.target_id
		WHERE d.source_id = ? AND d.relation = 'blocks' AND items.kind = 'task' AND items.deleted_at IS NULL AND items.state IN ('open', 'active')
		  AND NOT `+task.IsBlocked+` ORDER BY d.id`, bugID)
}

// Bugs returns the bugs of a project ("" for all), most severe first; resolved
// ones only with all.
func (s *Store) Bugs(ctx context.Context, projectID string, all bool) ([]Bug, error) {
	return listed(ctx, s, projectID, func(tx *registry.Tx, where string, args ...any) ([]Bug, error) {
		if !all {
			where += ` AND items.state IN ('open', 'active')`
		}
		return collectBugs(tx, where, args...)
	})
}

// Bug returns one bug.
func (s *Store) Bug(ctx context.Context, id string) (Bug, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Bug, error) {
		item, err := find(tx, work.KindBug, "bugId", id)
		if err != nil {
			return Bug{}, err
		}
		found, err := collectBugs(tx, ` AND items.id = ?`, item.ID)
		if err != nil {
			return Bug{}, err
		}
		return found[0], nil
	})
}

func collectBugs(tx *registry.Tx, where string, args ...any) ([]Bug, error) {
	var items []work.Item
	bugs, err := registry.Collect(tx, func(r registry.Scanner) (b Bug, err error) {
		var by, in, artifact registry.Null[string]
		item, err := work.Scan(r, &b.Severity, &by, &in, &artifact, &b.Project)
		items = append(items, item)
		b.ID, b.Title, b.Description, b.Status, b.Created = item.Ref, item.Title, rest(item), item.Status, timestamp.Of(item.CreatedAt)
		b.FoundBy, b.FoundIn, b.Artifact = by.V, in.V, artifact.V
		if !item.FinishedAt.IsZero() {
			b.Resolved = &timestamp.Time{Time: item.FinishedAt}
		}
		return b, err
	}, `SELECT `+work.Columns+`, bugs.severity, agents.name, task.ref, artifact.ref, projects.uid FROM items JOIN bugs ON bugs.item_id = items.id
		JOIN projects ON projects.id = items.project_id LEFT JOIN agents ON agents.id = bugs.found_by
		LEFT JOIN items task ON task.id = bugs.found_in_task LEFT JOIN items artifact ON artifact.id = bugs.found_in_artifact
		WHERE items.deleted_at IS NULL`+where+` ORDER BY items.priority DESC, items.id`, args...)
	for i := range bugs {
		if err == nil && !work.Resolves(items[i].Kind, items[i].State) {
			bugs[i].Blocks, err = registry.Collect(tx, registry.One[string], `SELECT t.ref FROM dependencies d JOIN items t ON t.id = d.target_id
				WHERE d.source_id = ? AND d.relation = 'blocks' AND t.deleted_at IS NULL AND t.state IN ('open', 'active') ORDER BY d.id`, items[i].ID)
		}
	}
	return bugs, err
}
