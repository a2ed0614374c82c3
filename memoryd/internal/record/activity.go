package record

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Activity is one entry of an agent's journal.
type Activity struct {
	By        By        `json:"-"`
	ID        string    `json:"id,omitempty"`
	At        time.Time `json:"timestamp"` // now when zero
	Task      string    `json:"task"`
	Actions   string    `json:"actions,omitempty"`
	Outcome   string    `json:"outcome,omitempty"`
	Decisions string    `json:"decisions,omitempty"`

	Project string `json:"project,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Scope   string `json:"scope,omitempty"`
}

func (a *Activity) check() error {
	if err := texts(map[string]*string{"task": &a.Task, "actions": &a.Actions, "outcome": &a.Outcome, "decisions": &a.Decisions}); err != nil {
		return err
	}
	if a.Task == "" {
		return fault.Validation("task", "an activity without a task says nothing").WithHint("say what it was about")
	}
	return needPlace(a.By)
}

// Log keeps an activity.
func (s *Store) Log(ctx context.Context, a Activity) (Activity, error) {
	if err := a.check(); err != nil {
		return a, err
	}
	err := s.write(ctx, a.By, func(tx *registry.Tx, to booked) error {
		a.ID = registry.NewUID()
		a.book(to)
		return a.apply(tx, to)
	})
	return a, err
}

func (a *Activity) book(to booked) {
	a.Project, a.Agent, a.Scope = to.project.UID, to.agent.Name, to.scope
}

func (a *Activity) apply(tx *registry.Tx, to booked) error {
	if a.At.IsZero() {
		a.At = tx.Now()
	}
	_, err := tx.Exec(`INSERT INTO activities (uid, agent_id, project_id, scope, task, actions, outcome, decisions, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.ID, to.agent.ID, to.project.ID, to.scope, a.Task, a.Actions, a.Outcome, a.Decisions, registry.FormatTime(a.At))
	return err
}
