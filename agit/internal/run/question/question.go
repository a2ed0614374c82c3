// Package question stores the permission requests of agents to people, and the answers. The process that runs an agent asks and waits;
// a person answers from another process, on any machine that shares the registry. It owns the table questions. Only a person may
// answer; agents and their child processes may not.
package question

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/person"
	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// State is the state of a question.
type State string

// The states.
const (
	Open       State = "open"
	Allowed    State = "allowed"
	Denied     State = "denied"
	Unanswered State = "unanswered" // no one answered in time
	Dropped    State = "dropped"    // the agent no longer waits
)

// Question is one row.
type Question struct {
	ID         string          `json:"id"`
	Agent      string          `json:"agent"`
	Repo       string          `json:"repo,omitempty"`
	Task       string          `json:"task_id"`
	TaskName   string          `json:"task"`
	Worktree   string          `json:"worktree_id,omitempty"`
	Call       string          `json:"call"`            // the requested action, in full
	Rules      []string        `json:"rules,omitempty"` // the rules that --always would add
	State      State           `json:"state"`
	Always     bool            `json:"always,omitempty"`
	Why        string          `json:"why,omitempty"`
	AskedAt    timestamp.Time  `json:"asked_at"`
	Until      timestamp.Time  `json:"until"` // the end of the wait
	AnsweredAt *timestamp.Time `json:"answered_at,omitempty"`

	ProjectID int64 `json:"-"` // row id

	id, itemID      int64
	run, host, mark string
	pid             int64
}

// Note is the state text of an agent that waits for an answer: the question's id and the call.
func Note(id, call string) string { return id + ": " + call }

// Named returns the id of the question in a Note, or "".
func Named(note string) string {
	id, _, found := strings.Cut(note, ": ")
	if rest, is := strings.CutPrefix(id, prefix); found && is && rest != "" && strings.Trim(rest, "0123456789abcdefghijklmnopqrstuvwxyz") == "" {
		return id
	}
	return ""
}

// prefix is the prefix of question ids.
const prefix = "q-"

// New describes a question to store.
type New struct {
	Project, Item, Agent, Worktree int64 // row ids
	Run                            string
	Call                           string
	Rules                          []string
	Until                          time.Time
}

// Store keeps questions. It is safe for concurrent use.
type Store struct{ DB *registry.DB }

// longestCall bounds the stored part of a call, in bytes.
const longestCall = 8 << 10

const selection = `SELECT q.id, q.ref, q.project_id, q.item_id, a.name, COALESCE(r.name, ''), i.ref, i.title, COALESCE(w.ref, ''), q.call, q.rules, q.state, q.always, q.why,
	q.asked_at, q.until, q.answered_at, q.run, q.host, q.pid, q.mark
	FROM questions q JOIN agents a ON a.id = q.agent_id JOIN items i ON i.id = q.item_id
	LEFT JOIN worktrees w ON w.id = q.worktree_id LEFT JOIN repos r ON r.id = w.repo_id `

func scan(row registry.Scanner) (q Question, err error) {
	var rules string
	err = row.Scan(&q.id, &q.ID, &q.ProjectID, &q.itemID, &q.Agent, &q.Repo, &q.Task, &q.TaskName, &q.Worktree, &q.Call, &rules, &q.State, &q.Always, &q.Why,
		&q.AskedAt, &q.Until, &q.AnsweredAt, &q.run, &q.host, &q.pid, &q.mark)
	if rules != "" {
		q.Rules = strings.Split(rules, "\n")
	}
	return q, err
}

// waits reports whether the asking process still waits for the answer, as far as this machine can tell.
func (q Question) waits(now time.Time) bool {
	return q.State == Open && now.Before(q.Until.Time) && (q.host != registry.Host() || q.pid == int64(os.Getpid()) || process.Alive(q.pid, q.mark, q.AskedAt.Time))
}

// Ask stores a question, which waits from now on, and returns its id.
func (s *Store) Ask(ctx context.Context, n New) (id string, err error) {
	call, err := text.Body("call", text.Cut(n.Call, longestCall))
	if err != nil {
		call = text.Visible(n.Call, longestCall)
	}
	err = s.DB.Write(ctx, registry.Scope{Project: n.Project}, func(tx *registry.Tx) error {
		id = registry.NewID(prefix)
		err := tx.Do(`INSERT INTO questions (ref, project_id, item_id, agent_id, worktree_id, run, host, pid, mark, call, rules, state, asked_at, until)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, n.Project, n.Item, n.Agent, registry.NullIfZero(n.Worktree), n.Run,
			registry.Host(), os.Getpid(), process.Mark(), call, strings.Join(n.Rules, "\n"), Open, tx.Stamp(), registry.FormatTime(n.Until))
		tx.Changed(registry.TopicAgents, n.Project, id)
		return err
	})
	return id, err
}

// Get returns a question by its id or the beginning of its id.
func (s *Store) Get(ctx context.Context, id string) (Question, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Question, error) { return find(tx, id) })
}

// List returns the waiting questions, the longest wait first. repo is a repository's name, "" for all.
func (s *Store) List(ctx context.Context, repo string) (list []Question, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		all, err := Waiting(tx)
		for _, q := range all {
			if repo == "" || q.Repo == repo {
				list = append(list, q)
			}
		}
		return err
	})
	return list, err
}

// Waiting returns the waiting questions of all projects, the longest wait first.
func Waiting(tx *registry.Tx) (list []Question, err error) {
	all, err := registry.Collect(tx, scan, selection+`WHERE q.state = 'open' ORDER BY q.asked_at, q.id`)
	for _, q := range all {
		if q.waits(tx.Now()) {
			list = append(list, q)
		}
	}
	return list, err
}

// Close ends an open question without an answer. A question that was answered in the meantime stays answered.
func (s *Store) Close(ctx context.Context, id string, state State) (q Question, err error) {
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		if q, err = find(tx, id); err != nil {
			return err
		}
		if err := tx.In(q.ProjectID); err != nil {
			return err
		}
		if err := tx.Do(`UPDATE questions SET state = ?, answered_at = ? WHERE ref = ? AND state = 'open'`, state, tx.Stamp(), id); err != nil {
			return err
		}
		if q, err = find(tx, id); err == nil {
			tx.Changed(registry.TopicAgents, q.ProjectID, q.ID)
		}
		return err
	})
	return q, err
}

// DropRun closes the open questions of a run whose process is gone.
func DropRun(tx *registry.Tx, run string) error {
	return tx.Do(`UPDATE questions SET state = 'dropped', answered_at = ? WHERE run = ? AND state = 'open'`, tx.Stamp(), run)
}

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
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		if q, err = find(tx, id); err != nil {
			return err
		}
		if err := tx.In(q.ProjectID); err != nil {
			return err
		}
		if err := a.Must(tx, "question", q.ID, "answer the question "+q.ID); err != nil {
			return err
		}
		if !q.waits(tx.Now()) {
			if q.State == Open {
				return fault.Conflict("question", q.ID, "the agent %q does not wait for an answer to %s any more", q.Agent, q.ID).WithHint("`agit answer` lists what waits")
			}
			return fault.Conflict("question", q.ID, "the question %s of agent %q is %s already", q.ID, q.Agent, q.State).WithHint("`agit answer` lists what waits")
		}
		state := Denied
		if a.Allow {
			state = Allowed
		}
		changed, err := tx.Exec(`UPDATE questions SET state = ?, always = ?, why = ?, answered_at = ? WHERE id = ? AND state = 'open'`, state, a.Allow && a.Always, why, tx.Stamp(), q.id)
		if err != nil {
			return err
		}
		if changed == 0 {
			return fault.Conflict("question", q.ID, "the question %s was answered meanwhile", q.ID)
		}
		tx.Changed(registry.TopicAgents, q.ProjectID, q.ID)
		q, err = find(tx, q.ID)
		return err
	})
	return q, err
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
