package task

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Edit is a change of a task's fields; nil leaves a field as it is.
type Edit struct {
	Text         *string // first line: the name; the whole: the description
	Priority     *work.Priority
	Estimate     *time.Duration // 0: not estimated
	Epic         *string        // id; "" takes it out of the epic
	Assignee     *string        // the agent that alone may claim it; "" for any
	Capabilities *[]string
	Seen         string // the text that the new one was made from; "" replaces whatever there is
}

// stillReads refuses a new text in place of one that another agent or person changed meanwhile.
func (e Edit) stillReads(item work.Item) error {
	if e.Text == nil || e.Seen == "" || e.Seen == cmp.Or(item.Description, item.Title) {
		return nil
	}
	return fault.Conflict("task", item.Ref, "the text of task %q was changed since you began to edit it, and was not replaced", item.Ref).
		WithHint("copy your text, look at the task again, and edit its present text")
}

// Edit changes a task that is not finished. An assignee can be changed while
// no one holds the task; then it is handed over.
func (s *Store) Edit(ctx context.Context, id string, e Edit, c Caller) (Task, error) {
	if (e == Edit{Seen: e.Seen}) {
		return Task{}, fault.Validation("", "nothing is named to be changed of task %q", id).
			WithHint("name its text, priority, estimate, epic, assignee or capabilities")
	}
	return s.change(ctx, id, c, toEdit, func(tx *registry.Tx, a call) error {
		if err := e.stillReads(a.item); err != nil {
			return err
		}
		by := a.event("")
		err := work.Change(tx, &a.item, work.Changes{Text: e.Text, Priority: e.Priority, Estimate: e.Estimate}, by)
		if err == nil && e.Capabilities != nil {
			err = editCapabilities(tx, a.item, *e.Capabilities, by)
		}
		if err == nil && e.Assignee != nil {
			err = a.assign(tx, *e.Assignee)
		}
		if err == nil && e.Epic != nil {
			err = moveTo(tx, a.item, *e.Epic, by.Agent)
		}
		return err
	})
}

func editCapabilities(tx *registry.Tx, item work.Item, list []string, by work.Event) error {
	before, err := work.Capabilities(tx, item.ID)
	if err != nil {
		return err
	}
	if err := work.SetCapabilities(tx, item.ID, list); err != nil {
		return err
	}
	now, err := work.Capabilities(tx, item.ID)
	if err != nil || slices.Equal(before, now) {
		return err
	}
	by.Field, by.Old, by.New = "capabilities", strings.Join(before, " "), strings.Join(now, " ")
	return work.Record(tx, item.ID, by)
}

func (a call) assign(tx *registry.Tx, name string) error {
	if a.lease.Held() {
		return fault.Conflict("task", a.item.Ref, "task %q is %s, so it cannot be assigned", a.item.Ref, a.now(a.lease.AgentName)).
			WithHint("hand it over, or release it first")
	}
	var to agent.Agent
	var err error
	if name != "" {
		if to, err = agent.Named(tx, name); err != nil {
			return err
		}
	}
	if to.ID == a.item.AssigneeID {
		return nil
	}
	by := a.event("")
	by.Field, by.New = "assignee", to.Name
	if a.item.AssigneeID != 0 {
		if by.Old, err = agent.NameOf(tx, a.item.AssigneeID); err != nil {
			return err
		}
	}
	if err := work.Assign(tx, a.item.ID, to.ID); err != nil {
		return err
	}
	return work.Record(tx, a.item.ID, by)
}

// moveTo puts a task into an epic of its project, or takes it out of the item that contains it.
func moveTo(tx *registry.Tx, item work.Item, epic string, by int64) error {
	if epic == "" {
		return work.SetParent(tx, item, 0, by)
	}
	into, err := work.Find(tx, work.KindEpic, epic)
	if err != nil {
		return err
	}
	if into.ProjectID != item.ProjectID {
		return fault.Validation("epic", "epic %q belongs to another project than task %q", into.Ref, item.Ref).WithHint("name one of the same project")
	}
	return work.Link(tx, work.Edge{Source: into.ID, Target: item.ID, Relation: work.ParentOf, By: by})
}

// Deletion is the result of deleting tasks.
type Deletion struct {
	Tasks   []string `json:"tasks"`
	Deleted bool     `json:"deleted"`
	// Waiting are the items that waited for them, and no longer do.
	Waiting []string `json:"waiting,omitempty"`
}

// Delete deletes tasks that no agent began, all or none. dryRun changes nothing and returns what would be deleted.
func (s *Store) Delete(ctx context.Context, ids []string, c Caller, dryRun bool) (d Deletion, err error) {
	run := func(tx *registry.Tx) error {
		d = Deletion{Tasks: []string{}, Deleted: !dryRun}
		var items []work.Item
		for _, id := range ids { // before any is deleted, since one may be named twice
			item, err := find(tx, id)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(items, func(other work.Item) bool { return other.ID == item.ID }) {
				items = append(items, item)
			}
		}
		for _, item := range items {
			identify := agent.Caller
			if dryRun {
				identify = known
			}
			a, err := askAs(tx, item, c, identify)
			if err != nil {
				return err
			}
			if err := a.refuseDeletion(tx); err != nil {
				return err
			}
			waiting, err := registry.Collect(tx, registry.One[string], `SELECT t.ref FROM dependencies d JOIN items t ON t.id = d.target_id
				WHERE d.source_id = ? AND d.relation = 'blocks' AND t.deleted_at IS NULL ORDER BY d.id`, item.ID)
			if err != nil {
				return err
			}
			d.Tasks, d.Waiting = append(d.Tasks, item.Ref), append(d.Waiting, waiting...)
			if dryRun {
				continue
			}
			if err := work.Delete(tx, item.ID, a.event("")); err != nil {
				return err
			}
			if err := tx.Do(`UPDATE tasks SET repo_id = NULL WHERE item_id = ?`, item.ID); err != nil {
				return err
			}
			tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
		}
		d.Waiting = slices.DeleteFunc(d.Waiting, func(ref string) bool { return slices.Contains(d.Tasks, ref) })
		return nil
	}
	if dryRun {
		err = s.DB.Read(ctx, run)
	} else {
		err = s.DB.Write(ctx, registry.Named, run)
	}
	return d, err
}

// known returns the agent of that name, the zero Agent for none; it writes nothing.
func known(tx *registry.Tx, name string) (agent.Agent, error) {
	if name == "" {
		return agent.Agent{}, nil
	}
	a, err := agent.Get(tx, name)
	if fault.Is(err, fault.KindNotFound) {
		return agent.Agent{}, nil
	}
	return a, err
}

func (a call) refuseDeletion(tx *registry.Tx) error {
	if _, err := a.may(tx, toDelete); err != nil {
		return err
	}
	tree, err := worktree.OfTask(tx, a.item.ID)
	if err != nil || tree == "" {
		return err
	}
	return fault.Conflict("task", a.item.Ref, "worktree %q was made for task %q", tree, a.item.Ref).
		WithHint("a task with a worktree was begun; merge the worktree or clean it up first")
}
