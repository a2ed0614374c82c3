package stores

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/config"
)

// Answer answers a question of an agent for whoever asks, and adds the rules of the answer "always" to work.allow in the user's own
// configuration. Only a person may: any other asker, and a process that descends from an agent's run, is a ConflictError.
func (s *Stores) Answer(ctx context.Context, id string, a question.Answer, by land.Asker) (question.Question, error) {
	a.Ancestors = worker.Ancestors()
	if !by.Person() {
		a.By = by.String()
	}
	q, err := s.Asks.Answer(ctx, id, a)
	if err != nil || !q.Always || len(q.Rules) == 0 {
		return q, err
	}
	return q, config.Append(s.settings, "work.allow", q.Rules...)
}
