package stores

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/person"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
)

// Answer answers a question of an agent for whoever asks, and adds the rules of the answer "always" to work.allow in the user's own
// configuration. Only a person may: any other asker, and a process that descends from an agent's run, is a ConflictError.
func (s *Stores) Answer(ctx context.Context, id string, a question.Answer, by land.Asker) (question.Question, error) {
	a.Caller = callerOf(by)
	q, err := s.Asks.Answer(ctx, id, a)
	if err != nil || !q.Always || len(q.Rules) == 0 {
		return q, err
	}
	return q, config.Append(s.settings, "work.allow", q.Rules...)
}

// callerOf is the process that asks, for what only a person may do.
func callerOf(by land.Asker) person.Caller {
	c := person.Caller{Ancestors: worker.Ancestors()}
	if !by.Person() {
		c.By = by.String()
	}
	return c
}

// Tell keeps what a person tells an agent, until it has reached it. The agent may also be named by a worktree that it has. Only a
// person may: any other asker, and a process that descends from an agent's run, is a ConflictError.
func (s *Stores) Tell(ctx context.Context, n message.New, repo string, by land.Asker) (message.Told, error) {
	n.Caller = callerOf(by)
	t, err := s.Messages.Tell(ctx, n)
	if !fault.Is(err, fault.KindNotFound) {
		return t, err
	}
	if w, failed := s.Worktrees.Get(ctx, repo, n.Agent); failed == nil && w.Agent != "" {
		n.Agent = w.Agent
		return s.Messages.Tell(ctx, n)
	}
	return t, err
}

// Withdraw takes back a message that has not reached its agent, for anyone who may use Tell.
func (s *Stores) Withdraw(ctx context.Context, id string, by land.Asker) (message.Message, error) {
	return s.Messages.Withdraw(ctx, id, callerOf(by))
}
