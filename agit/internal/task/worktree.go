package task

import (
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

var _ worktree.Tasks = (*Store)(nil)

// Resolve says what a spawn's --task means: the item of the task that it is the
// id of, or 0 for a description. A task that agentName could not claim is
// refused before anything is made.
func (s *Store) Resolve(tx *registry.Tx, r repo.Repo, what, agentName string) (itemID int64, err error) {
	item, ok, err := textNames(tx, what)
	if err != nil || !ok {
		return 0, err
	}
	if err := refuseElsewhere(tx, item, r); err != nil {
		return 0, err
	}
	if item.State == work.StateDone || item.State == work.StateDropped {
		return 0, notClaimable(tx, item, lease.Lease{}, agent.Agent{})
	}
	held, err := lease.Get(tx, item.ID)
	if err != nil || !held.Held() || agentName == "" {
		return item.ID, err
	}
	a, err := agent.Get(tx, agentName)
	if err != nil && !fault.Is(err, fault.KindNotFound) {
		return 0, err
	}
	if a.ID != held.AgentID {
		return 0, notClaimable(tx, item, held, a)
	}
	return item.ID, nil
}

// refuseElsewhere refuses a task of another project, or of another clone on this
// host. One of a project that has no repository may be worked on in any.
func refuseElsewhere(tx *registry.Tx, item work.Item, r repo.Repo) error {
	name, err := registry.One[string](tx.QueryRow(`SELECT name FROM repos WHERE removed_at IS NULL AND
		(id = (SELECT repo_id FROM tasks WHERE item_id = ?) AND id <> ? AND host = ?
		 OR project_id = ? AND project_id <> ?) ORDER BY CASE WHEN host = ? THEN 0 ELSE 1 END, id LIMIT 1`,
		item.ID, r.ID, r.Host, item.ProjectID, r.ProjectID, r.Host))
	if registry.NoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return fault.Conflict("task", item.Ref, "task %q belongs to repository %q, not to %q", item.Ref, name, r.Name).
		WithHint("make its worktree there")
}

func ignoreNoRows(err error) error {
	if registry.NoRows(err) {
		return nil
	}
	return err
}

// Namesake returns the id of an open task of the repository's project whose name a
// description is, "" for none.
func (s *Store) Namesake(tx *registry.Tx, r repo.Repo, description string) (ref string, err error) {
	ref, err = registry.One[string](tx.QueryRow(`SELECT items.ref FROM items JOIN tasks ON tasks.item_id = items.id
		WHERE items.project_id = ? AND LOWER(items.title) = LOWER(?) AND items.state IN ('open', 'active') ORDER BY items.id LIMIT 1`,
		r.ProjectID, strings.TrimSpace(description)))
	return ref, ignoreNoRows(err)
}

// Spawned links the task of a new worktree and claims it for its agent.
func (s *Store) Spawned(tx *registry.Tx, w worktree.Worktree) error {
	if w.ItemID == 0 {
		return nil
	}
	if w.Agent != "" {
		a, err := agent.Caller(tx, w.Agent)
		if err != nil {
			return err
		}
		held, err := lease.Get(tx, w.ItemID)
		if err != nil {
			return err
		}
		if held.AgentID != a.ID {
			item, err := work.ByID(tx, w.ItemID)
			if err != nil {
				return err
			}
			if _, err := s.ClaimFor(tx, item, a); err != nil {
				return err
			}
		}
	}
	_, err := tx.Exec(`UPDATE tasks SET worktree_id = ? WHERE item_id = ?`, w.ID, w.ItemID)
	return err
}

// Merged completes the task of a worktree that was merged, if it is claimed or
// running: by is the agent that merged it, "" where none is named. The worktree
// speaks for the agent that it was made for. A task that someone else holds by
// now, or that a bug or a person blocks, stays open: the merge is kept in its
// history, and stays says why.
func (s *Store) Merged(tx *registry.Tx, w worktree.Worktree, by string) (stays string, err error) {
	if w.ItemID == 0 {
		return "", nil
	}
	item, err := work.ByID(tx, w.ItemID)
	if err == nil {
		err = tx.In(item.ProjectID)
	}
	if err != nil || item.State != work.StateActive {
		return "", err
	}
	a, err := ask(tx, item, Caller{Agent: by})
	if err != nil {
		return "", err
	}
	event := a.event("its worktree was merged")
	if by == "" {
		event.Actor = actorMerge
	}
	if w.Agent == "" || a.agent.ID != a.last { // it is asked as the agent of the worktree
		a.agent = agent.Agent{}
		if w.Agent != "" {
			if a.agent, err = agent.Get(tx, w.Agent); err != nil && !fault.Is(err, fault.KindNotFound) {
				return "", err
			}
		}
	}
	tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	why, err := blockedWhy(tx, item)
	if err != nil {
		return "", err
	}
	if _, refusal := a.may(tx, toComplete); refusal != nil && why == "" {
		why = strings.Replace(fault.From(refusal).Message, fmt.Sprintf("task %q", item.Ref), "it", 1)
	}
	if why != "" {
		event.Field, event.New, event.Why = "merged", w.Branch, "not completed, since "+why
		return fmt.Sprintf("task %s stays open: %s", item.Ref, why), work.Record(tx, item.ID, event)
	}
	return "", finish(tx, a, Report{Status: Completed, Result: MergedResult(w.Branch)}, event)
}

// MergedResult is the result that a merge of a branch gives its task.
func MergedResult(branch string) string { return "merged " + branch }

// textNames finds the task that a text is the id of; other text names none.
func textNames(tx *registry.Tx, what string) (item work.Item, ok bool, err error) {
	if what == "" {
		return item, false, nil
	}
	item, err = work.Find(tx, work.KindTask, what)
	if fault.Is(err, fault.KindNotFound) {
		return work.Item{}, false, nil
	}
	return item, err == nil, err
}
