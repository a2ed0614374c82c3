package record

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Entry is one line of an agent's journal.
type Entry struct {
	At      timestamp.Time `json:"timestamp"`
	Kind    string         `json:"kind"` // activity, retrospective, or a kind of score event
	Agent   string         `json:"agent"`
	Project string         `json:"project,omitempty"`
	Scope   string         `json:"scope,omitempty"`
	Title   string         `json:"title,omitempty"`
	Commit  string         `json:"commit,omitempty"`
	Times   int64          `json:"times,omitempty"` // number of a day's uses
	DSP     int64          `json:"d_sp,omitempty"`
	DXP     Tenths         `json:"d_xp,omitempty"`
	DCS     int64          `json:"d_cs,omitempty"`

	AgentGrade  Grade  `json:"agent_grade,omitempty"`
	UserGrade   Grade  `json:"user_grade,omitempty"`
	ScoreBefore *int64 `json:"score_before,omitempty"`
	ScoreAfter  *int64 `json:"score_after,omitempty"`
	AgentNote   string `json:"agent_note,omitempty"`
	UserNote    string `json:"user_note,omitempty"`
	Actions     string `json:"actions,omitempty"`
	Outcome     string `json:"outcome,omitempty"`
	Decisions   string `json:"decisions,omitempty"`
}

// Scores formats the score changes of the entry in a few characters.
func (e Entry) Scores() string {
	var parts []string
	for _, d := range []struct {
		name string
		n    int64
	}{{"SP", e.DSP}, {"CS", e.DCS}} {
		if d.n != 0 {
			parts = append(parts, fmt.Sprintf("%s %+d", d.name, d.n))
		}
	}
	if e.DXP > 0 {
		parts = append(parts, "XP +"+e.DXP.String())
	} else if e.DXP < 0 {
		parts = append(parts, "XP "+e.DXP.String())
	}
	return strings.Join(parts, " ")
}

// Journal returns the newest entries of an agent, at most limit, newest first.
func (s *Store) Journal(ctx context.Context, nameOrID string, limit int) (all []Entry, err error) {
	if err := (By{Agent: nameOrID}).check(); err != nil {
		return nil, err
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		a, err := agent.Get(tx, nameOrID)
		if err != nil {
			return err
		}
		all = nil
		for _, part := range []struct {
			scan  func(registry.Scanner) (Entry, error)
			query string
		}{
			{scanActivity, `SELECT a.name, x.at, p.uid, x.scope, x.task, x.actions, x.outcome, x.decisions
				FROM activities x JOIN projects p ON p.id = x.project_id JOIN agents a ON a.id = x.agent_id
				WHERE x.agent_id = ? ORDER BY x.at DESC, x.id DESC LIMIT ?`},
			{scanRetrospective, `SELECT a.name, x.at, p.uid, x.scope, x.task, x.oid, x.agent_grade, x.user_grade, x.score_before, x.score_after,
				x.agent_note, x.user_note FROM retrospectives x JOIN projects p ON p.id = x.project_id JOIN agents a ON a.id = x.agent_id
				WHERE x.agent_id = ? ORDER BY x.at DESC, x.id DESC LIMIT ?`},
			{scanEvent, `SELECT a.name, x.at, p.uid, x.scope, x.kind, x.times, x.d_sp, x.d_xp_tenths, x.d_cs, x.oid, x.note
				FROM score_events x LEFT JOIN projects p ON p.id = x.project_id JOIN agents a ON a.id = x.agent_id
				WHERE x.agent_id = ? ORDER BY x.at DESC, x.id DESC LIMIT ?`},
		} {
			found, err := registry.Collect(tx, part.scan, part.query, a.ID, limit)
			if err != nil {
				return err
			}
			all = append(all, found...)
		}
		slices.SortStableFunc(all, func(x, y Entry) int { return y.At.Compare(x.At.Time) })
		all = all[:min(len(all), limit)]
		return nil
	})
	return all, err
}

func scanActivity(row registry.Scanner) (e Entry, err error) {
	e.Kind = "activity"
	err = row.Scan(&e.Agent, &e.At, &e.Project, &e.Scope, &e.Title, &e.Actions, &e.Outcome, &e.Decisions)
	return e, err
}

func scanRetrospective(row registry.Scanner) (e Entry, err error) {
	var byAgent, byUser registry.Null[int]
	var before, after int64
	e.Kind = "retrospective"
	if err = row.Scan(&e.Agent, &e.At, &e.Project, &e.Scope, &e.Title, &e.Commit, &byAgent, &byUser, &before, &after, &e.AgentNote, &e.UserNote); err != nil {
		return e, err
	}
	e.AgentGrade, e.UserGrade, e.ScoreBefore, e.ScoreAfter = Grade(byAgent.V), Grade(byUser.V), &before, &after
	return e, nil
}

func scanEvent(row registry.Scanner) (e Entry, err error) {
	var projectUID registry.Null[string]
	if err = row.Scan(&e.Agent, &e.At, &projectUID, &e.Scope, &e.Kind, &e.Times, &e.DSP, &e.DXP, &e.DCS, &e.Commit, &e.Title); err != nil {
		return e, err
	}
	e.Project = projectUID.V
	if e.Times == 1 {
		e.Times = 0
	}
	if e.Kind == "level_up" {
		e.Title = fmt.Sprintf("%d SP bought", e.DSP)
	}
	return e, nil
}

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
