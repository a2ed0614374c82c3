package task

import (
	"context"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Block holds a task back because a person wants that, until Unblock: it shows as blocked and no agent gets it. Its stored status and its
// holder stay as they are.
func (s *Store) Block(ctx context.Context, id string, c Caller, why string) (Task, error) {
	why, err := text.Body("why", why)
	if err != nil {
		return Task{}, err
	}
	return s.change(ctx, id, c, toBlock, func(tx *registry.Tx, a call) error {
		return work.HoldBack(tx, a.item, a.event(why))
	})
}

// Unblock releases a task that Block held back. A task that is not held back is a Conflict fault.
func (s *Store) Unblock(ctx context.Context, id string, c Caller, why string) (Task, error) {
	return s.change(ctx, id, c, toBlock, func(tx *registry.Tx, a call) error {
		held, err := work.LetGo(tx, a.item, a.event(why))
		if err == nil && !held {
			return fault.Conflict("task", a.item.Ref, "no person holds task %q back", a.item.Ref).
				WithHint("`agit tasks explain %s` shows what it waits for", a.item.Ref)
		}
		return err
	})
}
