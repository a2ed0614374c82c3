package unattended

import (
	"context"
	"os"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// State is the state of an attempt.
type State string

// The states. Failed and lost ones count against the attempts of their task.
const (
	Running  State = "running"
	Done     State = "done"     // its work landed, waits for review, or is kept
	Returned State = "returned" // its work is good but could not land, and was handed back once
	Failed   State = "failed"
	Stopped  State = "stopped" // by a person, or because another agent had the claim
	Lost     State = "lost"    // its process was killed
)

// Cause is the reason for a run of a client.
type Cause string

// The causes.
const (
	Begun    Cause = "begun"    // the task is new to the agent
	Resumed  Cause = "resumed"  // an attempt was stopped or lost
	Again    Cause = "again"    // an attempt failed
	Conflict Cause = "conflict" // its work conflicted with what landed meanwhile
	Gate     Cause = "gate"     // the gate, or another rule of landing, refused its work
)

// Attempt is one row of attempts.
type Attempt struct {
	ID        int64           `json:"-"`
	Run       string          `json:"run"`
	ItemID    int64           `json:"-"`
	TaskID    string          `json:"task_id"`
	Agent     string          `json:"agent"`
	Worktree  string          `json:"worktree_id,omitempty"`
	Cause     Cause           `json:"cause"`
	Client    string          `json:"client"`
	Session   string          `json:"session,omitempty"` // the client's own
	State     State           `json:"state"`
	Why       string          `json:"why,omitempty"`
	Summary   string          `json:"summary,omitempty"` // the last words of the client
	Log       string          `json:"log,omitempty"`
	StartedAt timestamp.Time  `json:"started_at"`
	EndedAt   *timestamp.Time `json:"ended_at,omitempty"`
	Ending    ending.Kind     `json:"ending,omitempty"` // why it ended
	Until     *timestamp.Time `json:"until,omitempty"`  // the end of the limit that it met
	Used      Used            `json:"used"`

	host      string
	pid       int64
	mark      string
	childPID  int64
	childMark string
	projectID int64
	path      string // of its worktree
}

// Used is what an attempt used, as its client reported it.
type Used struct {
	Input    int64  `json:"input_tokens"` // not from the cache
	Output   int64  `json:"output_tokens"`
	Cached   int64  `json:"cached_tokens"`      // read from the service's cache
	Micros   int64  `json:"cost_micros"`        // millionths of the currency
	Currency string `json:"currency,omitempty"` // "" where no cost is known
	Computed bool   `json:"computed,omitempty"` // from a table of prices
	Model    string `json:"model,omitempty"`
	Turns    int64  `json:"turns"`
}

const selection = `SELECT t.id, t.run, t.item_id, i.ref, a.name, COALESCE(w.ref, ''), t.cause, t.client, t.session, t.state, t.why, t.summary, t.log,
	t.started_at, t.ended_at, t.ending, t.until, t.tokens_in, t.tokens_out, t.tokens_cached, t.cost, t.currency, t.computed, t.model, t.turns, t.host, t.pid, t.mark, t.child_pid, t.child_mark, i.project_id, COALESCE(w.path, '')
	FROM attempts t JOIN items i ON i.id = t.item_id JOIN agents a ON a.id = t.agent_id LEFT JOIN worktrees w ON w.id = t.worktree_id `

func scan(row registry.Scanner) (a Attempt, err error) {
	return a, row.Scan(&a.ID, &a.Run, &a.ItemID, &a.TaskID, &a.Agent, &a.Worktree, &a.Cause, &a.Client, &a.Session, &a.State, &a.Why, &a.Summary, &a.Log,
		&a.StartedAt, &a.EndedAt, &a.Ending, &a.Until, &a.Used.Input, &a.Used.Output, &a.Used.Cached, &a.Used.Micros, &a.Used.Currency, &a.Used.Computed, &a.Used.Model, &a.Used.Turns, &a.host, &a.pid, &a.mark, &a.childPID, &a.childMark, &a.projectID, &a.path)
}

// gone reports whether the process of a running attempt has ended. It is false for a process on another host.
func (a Attempt) gone() bool {
	return a.host == registry.Host() && !(a.pid == int64(os.Getpid()) && a.mark == process.Mark()) && !process.Alive(a.pid, a.mark, a.StartedAt.Time)
}

// History returns the attempts of a task, the oldest first.
func History(tx *registry.Tx, itemID int64) ([]Attempt, error) {
	return registry.Collect(tx, scan, selection+`WHERE t.item_id = ? ORDER BY t.id`, itemID)
}

// insert writes the row of an attempt that begins now.
func insert(tx *registry.Tx, a Attempt, agentID, worktreeID int64) (int64, error) {
	return tx.Insert(`INSERT INTO attempts (run, item_id, agent_id, worktree_id, cause, client, session, host, pid, mark, state, log, started_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, a.Run, a.ItemID, agentID, registry.NullIfZero(worktreeID), a.Cause, a.Client, a.Session,
		registry.Host(), os.Getpid(), process.Mark(), Running, a.Log, tx.Stamp())
}

// started notes the client's process.
func (s *Store) started(ctx context.Context, a Attempt, pid int64, mark string) error {
	return s.DB.Write(ctx, registry.Scope{Project: a.projectID}, func(tx *registry.Tx) error {
		return tx.Do(`UPDATE attempts SET child_pid = ?, child_mark = ? WHERE id = ?`, pid, mark, a.ID)
	})
}

// note writes what is done for a running attempt, with the client's last words.
func (s *Store) note(ctx context.Context, a Attempt, why string) error {
	return s.DB.Write(ctx, registry.Scope{Project: a.projectID}, func(tx *registry.Tx) error {
		return tx.Do(`UPDATE attempts SET why = ?, summary = ?, session = ? WHERE id = ? AND state = 'running'`, why, a.Summary, a.Session, a.ID)
	})
}

// ended notes how an attempt ended, unless its end is known already.
func (s *Store) ended(ctx context.Context, a Attempt) error {
	return s.DB.Write(context.WithoutCancel(ctx), registry.Scope{Project: a.projectID}, func(tx *registry.Tx) error {
		return end(tx, a)
	})
}

func end(tx *registry.Tx, a Attempt) error {
	u, until := a.Used, ""
	if a.Until != nil {
		until = registry.FormatTime(a.Until.Time)
	}
	_, err := tx.Exec(`UPDATE attempts SET state = ?, why = ?, summary = ?, session = ?, ending = ?, until = ?, ended_at = ?,
		tokens_in = ?, tokens_out = ?, tokens_cached = ?, cost = ?, currency = ?, computed = ?, model = ?, turns = ? WHERE id = ? AND state = 'running'`,
		a.State, a.Why, a.Summary, a.Session, a.Ending, registry.NullIfZero(until), tx.Stamp(), u.Input, u.Output, u.Cached, u.Micros, u.Currency, u.Computed, u.Model, u.Turns, a.ID)
	if err == nil {
		err = question.DropRun(tx, a.Run) // no one waits for the answer any more
	}
	if err == nil {
		err = message.Ended(tx, a.Run, a.Session)
	}
	tx.Changed(registry.TopicTasks, a.projectID, a.TaskID)
	return err
}

// failures counts the attempts of a task that failed or were lost since it was last done or reopened.
func failures(history []Attempt, reopened time.Time) (n int) {
	for _, a := range history {
		switch {
		case a.State == Done || a.StartedAt.Before(reopened):
			n = 0
		case a.State == Failed, a.State == Lost && a.Why != cutInFinish:
			n++
		}
	}
	return n
}

// reopened returns when a person last put a finished task back into the queue; the zero time for never.
func reopened(tx *registry.Tx, itemID int64) (at time.Time, err error) {
	stamp, err := registry.One[registry.Null[timestamp.Time]](tx.QueryRow(`SELECT MAX(at) FROM item_history
		WHERE item_id = ? AND field = 'status' AND old IN ('completed', 'failed') AND new = 'pending'`, itemID))
	return stamp.V.Time, err
}

// atWork is how long after its last sign of life an agent counts as at work; agents send one every beatEvery.
const atWork = 3 * beatEvery

// othersAtWork reports whether another agent works on a task of the repository, which could make tasks ready when it ends.
func (s *Store) othersAtWork(ctx context.Context, r repo.Repo, agentName string) (busy bool, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		n, err := registry.One[int64](tx.QueryRow(`SELECT COUNT(*) FROM leases JOIN items ON items.id = leases.item_id JOIN tasks ON tasks.item_id = items.id
			JOIN agents ON agents.id = leases.agent_id WHERE items.project_id = ? AND items.state = 'active' AND agents.last_seen_at > ? AND agents.name_key <> ? AND `+work.Fit,
			r.ProjectID, registry.FormatTime(tx.Now().Add(-atWork)), text.Key(agentName)))
		busy = n > 0
		return err
	})
	return busy, err
}

// LastSession returns the newest attempt in a worktree that had a client's session, and whether an attempt runs there now; the zero Attempt
// when there is none.
func (s *Store) LastSession(ctx context.Context, w worktree.Worktree) (last Attempt, running bool, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		all, err := registry.Collect(tx, scan, selection+`WHERE t.worktree_id = ? ORDER BY t.id`, w.ID)
		for _, a := range all {
			if a.Session != "" {
				last = a
			}
			running = running || a.State == Running && !a.gone()
		}
		return err
	})
	return last, running, err
}
