package record

import (
	"context"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Activity is one entry of an agent's journal. Its tags are those of the parameters of agent_log_activity.
type Activity struct {
	By        By             `json:"-"`
	At        timestamp.Time `json:"timestamp,omitzero"` // now when zero
	Task      string         `json:"task"`
	Actions   string         `json:"actions,omitempty"`
	Outcome   string         `json:"outcome,omitempty"`
	Decisions string         `json:"decisions,omitempty"`

	uid     string
	secrets redacted
}

// Logged is a stored activity, without the texts that the caller gave.
type Logged struct {
	ID       string         `json:"id"`
	At       timestamp.Time `json:"timestamp"`
	Task     string         `json:"task"`
	Scope    string         `json:"scope"`
	BookedOn Booking        `json:"booked_on"`
	Redacted string         `json:"redacted,omitempty" wire:"-"` // kinds of secrets removed before storing
}

func (a Activity) answer(to booked) Logged {
	return Logged{ID: a.uid, At: timestamp.Of(a.At.Time), Task: a.Task, Scope: to.scope, BookedOn: to.booking(), Redacted: a.secrets.said()}
}

func (a *Activity) check() error {
	if err := a.secrets.texts(map[string]*string{"task": &a.Task, "actions": &a.Actions, "outcome": &a.Outcome, "decisions": &a.Decisions}); err != nil {
		return err
	}
	if a.Task == "" {
		return fault.Validation("task", "the activity has no task").WithHint("say what it was about")
	}
	return needPlace(a.By)
}

// Log stores an activity.
func (s *Store) Log(ctx context.Context, a Activity) (out Logged, err error) {
	if err := a.check(); err != nil {
		return out, err
	}
	a.uid = registry.NewUID()
	err = s.write(ctx, a.By, func(tx *registry.Tx, to booked) error {
		kept := a
		err := kept.apply(tx, to)
		out = kept.answer(to)
		return err
	})
	return out, err
}

func (a *Activity) apply(tx *registry.Tx, to booked) error {
	if a.At.IsZero() {
		a.At = timestamp.Of(tx.Now())
	}
	return tx.Do(`INSERT INTO activities (uid, agent_id, project_id, scope, task, actions, outcome, decisions, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.uid, to.agent.ID, to.project.ID, to.scope, a.Task, a.Actions, a.Outcome, a.Decisions, registry.FormatTime(a.At.Time))
}
