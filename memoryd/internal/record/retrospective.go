package record

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Retrospective is what is said of a piece of work when it is done. It changes no
// scores.
type Retrospective struct {
	By          By        `json:"-"`
	ID          string    `json:"id,omitempty"`
	Commit      string    `json:"commit,omitempty"`
	At          time.Time `json:"timestamp"` // now when zero
	Task        string    `json:"task"`
	AgentGrade  Grade     `json:"agent_grade,omitempty"`  // the grade of its commit when there is one
	UserGrade   Grade     `json:"user_grade,omitempty"`   // likewise
	ScoreBefore *int64    `json:"score_before,omitempty"` // the communication score; now's when not given
	ScoreAfter  *int64    `json:"score_after,omitempty"`
	AgentNote   string    `json:"agent_note,omitempty"`
	UserNote    string    `json:"user_note,omitempty"`

	Project string `json:"project,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Scope   string `json:"scope,omitempty"`
}

func (r *Retrospective) check() (err error) {
	if err := texts(map[string]*string{"task": &r.Task, "agent_note": &r.AgentNote, "user_note": &r.UserNote}); err != nil {
		return err
	}
	if r.Commit != "" {
		if r.Commit, err = checkOID(r.Commit); err != nil {
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
		return fault.Validation("task", "a retrospective of nothing says nothing").WithHint("give the task, or the commit")
	}
	return needPlace(r.By)
}

// Retrospect keeps a retrospective. Of a commit an agent has one, and what is said
// last of it holds; what is left empty stays as it was.
func (s *Store) Retrospect(ctx context.Context, r Retrospective) (Retrospective, error) {
	if err := r.check(); err != nil {
		return r, err
	}
	err := s.write(ctx, r.By, func(tx *registry.Tx, to booked) (err error) {
		if r.Commit, err = knownOID(tx, to.project.ID, r.Commit); err != nil {
			return err
		}
		r.book(to)
		return r.apply(tx, to)
	})
	return r, err
}

func (r *Retrospective) book(to booked) {
	r.Project, r.Agent, r.Scope = to.project.UID, to.agent.Name, to.scope
}

// apply stores the retrospective and completes it with what is known.
func (r *Retrospective) apply(tx *registry.Tx, to booked) error {
	if r.At.IsZero() {
		r.At = tx.Now()
	}
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
		r.ID = registry.NewUID()
		_, err := tx.Exec(`INSERT INTO retrospectives (uid, agent_id, project_id, scope, oid, task, agent_grade, user_grade,
			score_before, score_after, agent_note, user_note, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			r.ID, to.agent.ID, to.project.ID, to.scope, r.Commit, r.Task, registry.NullIfZero(int(r.AgentGrade)), registry.NullIfZero(int(r.UserGrade)),
			*r.ScoreBefore, *r.ScoreAfter, r.AgentNote, r.UserNote, registry.FormatTime(r.At))
		return err
	}
	return tx.QueryRow(`UPDATE retrospectives SET task = CASE WHEN ? = '' THEN task ELSE ? END,
		agent_grade = COALESCE(?, agent_grade), user_grade = COALESCE(?, user_grade),
		agent_note = CASE WHEN ? = '' THEN agent_note ELSE ? END, user_note = CASE WHEN ? = '' THEN user_note ELSE ? END,
		scope = ?, at = ? WHERE id = ? RETURNING uid, task, agent_note, user_note, score_before, score_after`,
		r.Task, r.Task, registry.NullIfZero(int(r.AgentGrade)), registry.NullIfZero(int(r.UserGrade)),
		r.AgentNote, r.AgentNote, r.UserNote, r.UserNote, to.scope, registry.FormatTime(r.At), id).
		Scan(&r.ID, &r.Task, &r.AgentNote, &r.UserNote, r.ScoreBefore, r.ScoreAfter)
}

// complete fills in grades and scores that were not given: those of the commit,
// else the scores as they are.
func (r *Retrospective) complete(tx *registry.Tx, to booked) error {
	if r.Commit != "" && (r.AgentGrade == 0 || r.UserGrade == 0) {
		var byAgent, byUser Grade
		err := tx.QueryRow(`SELECT agent_grade, user_grade FROM grades WHERE agent_id = ? AND project_id = ? AND oid = ?`,
			to.agent.ID, to.project.ID, r.Commit).Scan(&byAgent, &byUser)
		if err != nil && !registry.NoRows(err) {
			return err
		}
		if r.AgentGrade == 0 {
			r.AgentGrade = byAgent
		}
		if r.UserGrade == 0 {
			r.UserGrade = byUser
		}
	}
	if r.ScoreBefore != nil && r.ScoreAfter != nil {
		return nil
	}
	now, err := load(tx, to.agent)
	if err != nil {
		return err
	}
	if r.ScoreBefore == nil {
		r.ScoreBefore = &now.CS
	}
	if r.ScoreAfter == nil {
		after := now.CS
		r.ScoreAfter = &after
	}
	return nil
}
