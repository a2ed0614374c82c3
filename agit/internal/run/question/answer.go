package question

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/run/person"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Answer is a person's answer to a question.
type Answer struct {
	Allow  bool
	Always bool   // also for equal calls from now on
	Why    string // the reason, for the agent's log
	person.Caller
}

// Answer answers a question and returns it. Only a person may answer: a caller with By set, or one that descends from a run of an
// agent's client, gets a ConflictError. So does a caller whose question no longer waits.
func (s *Store) Answer(ctx context.Context, id string, a Answer) (q Question, err error) {
	why, err := text.Body("why", a.Why)
	if err != nil && a.Why != "" {
		return q, err
	}
	return registry.Write(ctx, s.DB, registry.Named, func(tx *registry.Tx) (q Question, err error) {
		if q, err = find(tx, id); err != nil {
			return q, err
		}
		if err := tx.In(q.ProjectID); err != nil {
			return q, err
		}
		if err := a.Must(tx, "question", q.ID, "answer the question "+q.ID); err != nil {
			return err
		}
		if !q.waits(tx.Now()) {
			if q.State == Open {
				return q, fault.Conflict("question", q.ID, "the agent %q does not wait for an answer to %s any more", q.Agent, q.ID).WithHint("`agit answer` lists what waits")
			}
			return q, fault.Conflict("question", q.ID, "the question %s of agent %q is %s already", q.ID, q.Agent, q.State).WithHint("`agit answer` lists what waits")
		}
		state := Denied
		if a.Allow {
			state = Allowed
		}
		changed, err := tx.Exec(`UPDATE questions SET state = ?, always = ?, why = ?, answered_at = ? WHERE id = ? AND state = 'open'`, state, a.Allow && a.Always, why, tx.Stamp(), q.id)
		if err != nil {
			return q, err
		}
		if changed == 0 {
			return q, fault.Conflict("question", q.ID, "the question %s was answered meanwhile", q.ID)
		}
		tx.Changed(registry.TopicAgents, q.ProjectID, q.ID)
		return find(tx, q.ID)
	})
}

func find(tx *registry.Tx, id string) (q Question, err error) {
	if id = strings.ToLower(strings.TrimSpace(id)); id == "" || strings.ContainsAny(id, `%_\`) {
		return q, fault.NotFound("question", id)
	}
	list, err := registry.Collect(tx, scan, selection+`WHERE q.ref LIKE ? ORDER BY q.id LIMIT 3`, id+"%")
	if err != nil {
		return q, err
	}
	for _, one := range list {
		if one.ID == id {
			return one, nil
		}
	}
	switch len(list) {
	case 0:
		return q, fault.NotFound("question", id).WithHint("`agit answer` lists what waits")
	case 1:
		return list[0], nil
	}
	return q, fault.Validation("question", "%q is the beginning of several questions", id).WithHint("give more of its id")
}
