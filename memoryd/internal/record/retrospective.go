package record

import (
	"cmp"
	"context"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Retrospective is an assessment of a finished piece of work. It changes no scores. Its tags are those of the parameters of
// agent_record_retrospective.
type Retrospective struct {
	By          By             `json:"-"`
	Commit      string         `json:"commit,omitempty" also:"commit_hash" is:"name"` // may be empty
	At          timestamp.Time `json:"timestamp,omitzero"`                            // now when zero
	Task        string         `json:"task,omitempty"`
	AgentGrade  Grade          `json:"agent_grade,omitempty"`  // the grade of its commit when 0
	UserGrade   Grade          `json:"user_grade,omitempty"`   // the same
	ScoreBefore *int64         `json:"score_before,omitempty"` // the communication score; the current one when nil
	ScoreAfter  *int64         `json:"score_after,omitempty"`
	AgentNote   string         `json:"agent_note,omitempty"`
	UserNote    string         `json:"user_note,omitempty"`

	uid     string
	secrets redacted
}

// Retrospected is a stored retrospective, without the texts that the caller gave.
type Retrospected struct {
	ID          string  `json:"id"`
	Commit      string  `json:"commit,omitempty"`
	Task        string  `json:"task"`
	AgentGrade  Grade   `json:"agent_grade,omitempty"`
	UserGrade   Grade   `json:"user_grade,omitempty"`
	ScoreBefore int64   `json:"score_before"`
	ScoreAfter  int64   `json:"score_after"`
	Scope       string  `json:"scope"`
	BookedOn    Booking `json:"booked_on"`
	Redacted    string  `json:"redacted,omitempty" wire:"-"` // kinds of secrets removed before storing
}

// answer returns the result for a complete retrospective.
func (r Retrospective) answer(to booked) Retrospected {
	return Retrospected{ID: r.uid, Commit: r.Commit, Task: r.Task, AgentGrade: r.AgentGrade, UserGrade: r.UserGrade,
		ScoreBefore: *r.ScoreBefore, ScoreAfter: *r.ScoreAfter, Scope: to.scope, BookedOn: to.booking(), Redacted: r.secrets.said()}
}

func (r *Retrospective) check() (err error) {
	if err := r.secrets.texts(map[string]*string{"task": &r.Task, "agent_note": &r.AgentNote, "user_note": &r.UserNote}); err != nil {
		return err
	}
	if r.Commit != "" {
		if r.Commit, err = storedOID(r.Commit); err != nil {
			return err
		}
	}
	for field, g := range map[string]Grade{"agent_grade": r.AgentGrade, "user_grade": r.UserGrade} {
		if g != 0 {
			if err := checkGrade(field, g); err != nil {
				return err
			}
		}
	}
	if r.Task == "" && r.Commit == "" {
		return fault.Validation("task", "the retrospective names neither a task nor a commit").WithHint("give one of them")
	}
	return needPlace(r.By)
}

// Retrospect stores a retrospective. An agent has one for each commit: a later one replaces the fields that it sets, and leaves the others
// as they were.
func (s *Store) Retrospect(ctx context.Context, r Retrospective) (out Retrospected, err error) {
	if err := r.check(); err != nil {
		return out, err
	}
	err = s.write(ctx, r.By, func(tx *registry.Tx, to booked) (err error) {
		if r.Commit, err = knownOID(tx, to.project.ID, r.Commit); err != nil {
			return err
		}
		kept := r
		err = kept.apply(tx, to)
		if err == nil {
			out = kept.answer(to)
		}
		return err
	})
	return out, err
}

// apply stores the retrospective after completing it.
func (r *Retrospective) apply(tx *registry.Tx, to booked) error {
	if r.At.IsZero() {
		r.At = timestamp.Of(tx.Now())
	}
	given := [2]any{r.ScoreBefore, r.ScoreAfter} // without them, those of an earlier retrospective stay
	if err := r.complete(tx, to); err != nil {
		return err
	}
	var id int64
	if r.Commit != "" {
		known, err := registry.One[int64](tx.QueryRow(`SELECT id FROM retrospectives WHERE agent_id = ? AND project_id = ? AND oid = ?`,
			to.agent.ID, to.project.ID, r.Commit))
		if err != nil && !registry.NoRows(err) {
			return err
		}
		id = known
	}
	if id == 0 {
		r.uid = cmp.Or(r.uid, registry.NewUID())
		return tx.Do(`INSERT INTO retrospectives (uid, agent_id, project_id, scope, oid, task, agent_grade, user_grade,
			score_before, score_after, agent_note, user_note, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			r.uid, to.agent.ID, to.project.ID, to.scope, r.Commit, r.Task, registry.NullIfZero(int(r.AgentGrade)), registry.NullIfZero(int(r.UserGrade)),
			*r.ScoreBefore, *r.ScoreAfter, r.AgentNote, r.UserNote, registry.FormatTime(r.At.Time))
	}
	return tx.QueryRow(`UPDATE retrospectives SET task = CASE WHEN ? = '' THEN task ELSE ? END,
		agent_grade = COALESCE(?, agent_grade), user_grade = COALESCE(?, user_grade),
		agent_note = CASE WHEN ? = '' THEN agent_note ELSE ? END, user_note = CASE WHEN ? = '' THEN user_note ELSE ? END,
		score_before = COALESCE(?, score_before), score_after = COALESCE(?, score_after),
		scope = ?, at = ? WHERE id = ? RETURNING uid, task, agent_note, user_note, score_before, score_after`,
		r.Task, r.Task, registry.NullIfZero(int(r.AgentGrade)), registry.NullIfZero(int(r.UserGrade)),
		r.AgentNote, r.AgentNote, r.UserNote, r.UserNote, given[0], given[1], to.scope, registry.FormatTime(r.At.Time), id).
		Scan(&r.uid, &r.Task, &r.AgentNote, &r.UserNote, r.ScoreBefore, r.ScoreAfter)
}

// complete fills in missing grades and scores: the grades of the commit, and the current scores.
func (r *Retrospective) complete(tx *registry.Tx, to booked) error {
	if r.Commit != "" && (r.AgentGrade == 0 || r.UserGrade == 0) {
		var byAgent, byUser Grade
		err := tx.QueryRow(`SELECT agent_grade, user_grade FROM grades WHERE agent_id = ? AND project_id = ? AND oid = ?`,
			to.agent.ID, to.project.ID, r.Commit).Scan(&byAgent, &byUser)
		if err != nil && !registry.NoRows(err) {
			return err
		}
		r.AgentGrade, r.UserGrade = cmp.Or(r.AgentGrade, byAgent), cmp.Or(r.UserGrade, byUser)
	}
	if r.ScoreBefore != nil && r.ScoreAfter != nil {
		return nil
	}
	now, err := load(tx, to.agent)
	if err != nil {
		return err
	}
	before, after := now.CS, now.CS
	r.ScoreBefore, r.ScoreAfter = cmp.Or(r.ScoreBefore, &before), cmp.Or(r.ScoreAfter, &after)
	return nil
}
