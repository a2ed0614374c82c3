package task

import (
	"context"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Block holds a task back by a person's word, until Unblock: it shows as blocked
// and is given to nobody. What it was, and who holds it, stays as it is. The
// agent that asks may be empty.
func (s *Store) Block(ctx context.Context, id, agentName, why string) (Task, error) {
	why, err := text.Body("why", why)
	if err != nil {
		return Task{}, err
	}
	return s.hold(ctx, id, agentName, func(tx *registry.Tx, item work.Item, by int64) error {
		return work.HoldBack(tx, item, by, why)
	})
}

// Unblock lets a task go that Block held back. One that nobody holds back is a
// Conflict fault.
func (s *Store) Unblock(ctx context.Context, id, agentName, why string) (Task, error) {
	return s.hold(ctx, id, agentName, func(tx *registry.Tx, item work.Item, by int64) error {
		held, err := work.LetGo(tx, item, by, why)
		if err == nil && !held {
			return fault.Conflict("task", item.Ref, "nobody holds task %q back", item.Ref).WithHint("`agit tasks explain %s` says what it waits for", item.Ref)
		}
		return err
	})
}

func (s *Store) hold(ctx context.Context, id, agentName string, change func(tx *registry.Tx, item work.Item, by int64) error) (t Task, err error) {
	err = s.DB.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
		item, err := find(tx, id)
		if err != nil {
			return err
		}
		var by agent.Agent
		if agentName != "" {
			if by, err = agent.Caller(tx, agentName); err != nil {
				return err
			}
		}
		if err := change(tx, item, by.ID); err != nil {
			return err
		}
		tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
		t, err = load(tx, item.ID)
		return err
	})
	return t, err
}
