package task

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Claim assigns a task, named or by id, to an agent, and returns it with a claim token. Of any number of callers exactly one wins, the
// others get a Conflict fault; claiming again what one holds is not an error. An unknown agent name is registered.
func (s *Store) Claim(ctx context.Context, id, agentName string) (Task, error) {
	if agentName == "" {
		return Task{}, nameAnAgent("claim a task")
	}
	return registry.Write(ctx, s.DB, registry.Named, func(tx *registry.Tx) (Task, error) {
		item, err := find(tx, id)
		if err != nil {
			return Task{}, err
		}
		a, err := agent.Caller(tx, agentName)
		if err != nil {
			return Task{}, err
		}
		return s.ClaimFor(tx, item, a)
	})
}

// ClaimFor is Claim inside a transaction of the caller's.
func (s *Store) ClaimFor(tx *registry.Tx, item work.Item, a agent.Agent) (Task, error) {
	if err := tx.In(item.ProjectID); err != nil {
		return Task{}, err
	}
	_, ok, err := lease.ByID(tx, item.ID, s.claim(a))
	if err != nil {
		return Task{}, err
	}
	if !ok {
		held, err := lease.Get(tx, item.ID)
		if err != nil {
			return Task{}, err
		}
		now, err := work.ByID(tx, item.ID)
		if err != nil {
			return Task{}, err
		}
		asks := call{item: now, lease: held, last: held.AgentID, agent: a}
		if verdict, _ := decide(asks.standing(), toClaim, asks.caller()); verdict != same {
			return Task{}, notClaimable(tx, now, held, a)
		}
	}
	tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	return load(tx, item.ID)
}

func (s *Store) claim(a agent.Agent) lease.Claim {
	return lease.Claim{Agent: a, From: Pending, To: Claimed, ReleaseAfter: s.ReleaseAfter}
}

// Next claims for an agent the first ready task of a repository, by priority,
// then age; ok is false when there is none.
func (s *Store) Next(ctx context.Context, repoName, agentName string) (t Task, ok bool, err error) {
	if agentName == "" {
		return t, false, nameAnAgent("take the next task")
	}
	err = s.DB.Write(ctx, registry.Claiming, func(tx *registry.Tx) error {
		r, err := repo.Find(tx, repoName)
		if err != nil {
			return err
		}
		a, err := agent.Caller(tx, agentName)
		if err != nil {
			return err
		}
		if err := tx.In(r.ProjectID); err != nil {
			return err
		}
		item, found, err := lease.Next(tx, queue(Place{r.ProjectID, r.ID}, work.PriorityNone, nil, a), s.claim(a))
		if ok = found; !ok || err != nil {
			return err
		}
		tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
		t, err = load(tx, item.ID)
		return err
	})
	return t, ok, err
}

func nameAnAgent(what string) error {
	return fault.Validation("agent", "no agent is named to %s", what).
		WithHint("give --agent NAME, or set AGIT_AGENT")
}

// notClaimable returns why an item cannot be claimed.
func notClaimable(tx *registry.Tx, item work.Item, held lease.Lease, a agent.Agent) error {
	conflict := func(format string, args ...any) *fault.Fault {
		return fault.Conflict("task", item.Ref, format, args...)
	}
	switch {
	case held.Held():
		return conflict("task %q is already claimed by %q", item.Ref, held.AgentName).WithHint("take another one with `agit next`")
	case item.State == work.StateDone || item.State == work.StateDropped:
		return conflict("task %q is already %s", item.Ref, item.Status).WithHint("reopen it first if it is to be done again")
	case item.AssigneeID != 0 && item.AssigneeID != a.ID:
		return conflict("task %q is assigned to another agent", item.Ref).WithHint("take another one with `agit next`")
	}
	said, err := work.Explain(tx, item, a.ID)
	if err != nil {
		return err
	}
	reasons := text.Each(said.Reasons, func(r work.Reason) string { return r.Sentence })
	return conflict("task %q is not ready: %s", item.Ref, strings.Join(reasons, "; ")).WithHint("take another one with `agit next`")
}
