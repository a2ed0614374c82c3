package task

import (
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Wanted selects the task of a repository that an agent takes up.
type Wanted struct {
	ID           string        // of the task, or the key of its ticket; "" for what the agent holds there, else the next ready one
	Capabilities []string      // nil: those it registered
	MinPriority  work.Priority // PriorityNone for any
	Make         bool          // ID may also be words: the name of an open task, else a new task is made from them
}

// Taken is the task that an agent works on from now on.
type Taken struct {
	Task   Task
	Item   work.Item        // of the task
	New    bool             // this call claimed it
	Made   bool             // this call made it
	Reason map[work.Why]int // without a task: counts of the unfinished ones by what blocks them
}

// Load reads the task as it is now.
func (t *Taken) Load(tx *registry.Tx) (err error) {
	t.Task, err = load(tx, t.Item.ID)
	return err
}

// Take assigns a task of a repository to an agent and moves it to in_progress: the one named, else the one that the agent holds already,
// else the next ready one. So a repeated call returns the same task. Load then reads it. The answer has the zero Item when nothing is
// ready; a task that the agent cannot have is a Conflict fault.
func (s *Store) Take(tx *registry.Tx, r repo.Repo, a agent.Agent, want Wanted) (out Taken, err error) {
	if err := tx.In(r.ProjectID); err != nil {
		return out, err
	}
	item, err := s.chosen(tx, r, a, want, &out)
	if err != nil || item.ID == 0 {
		return out, err
	}
	if item.Status != InProgress {
		if want.ID != "" { // a task that was not named has no obstacles
			if err := refuseBlocked(tx, item); err != nil {
				return out, err
			}
		}
		if err := work.SetStatus(tx, &item, work.Move{Status: InProgress, State: work.StateActive, Event: work.Event{Agent: a.ID, Epoch: work.PresentEpoch}}); err != nil {
			return out, err
		}
	}
	tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	out.Item = item
	return out, nil
}

// chosen claims the task to take, unless the agent holds it; it returns the zero Item when there is none.
func (s *Store) chosen(tx *registry.Tx, r repo.Repo, a agent.Agent, want Wanted, out *Taken) (work.Item, error) {
	if want.ID != "" {
		return s.named(tx, r, a, want, out)
	}
	held, err := work.Item{}, registry.ErrNoRows
	if !a.Joined {
		held, err = work.Scan(tx.QueryRow(`SELECT `+work.Columns+` FROM leases JOIN items ON items.id = leases.item_id JOIN tasks ON tasks.item_id = items.id
		WHERE leases.agent_id = ? AND items.project_id = ? AND items.state = 'active' AND `+work.Fit+` AND `+belongs+`
		ORDER BY leases.claimed_at, items.id LIMIT 1`, a.ID, r.ProjectID, r.ID))
	}
	if !registry.NoRows(err) {
		return held, err
	}
	f := queue(Place{r.ProjectID, r.ID}, want.MinPriority, want.Capabilities, a)
	item, ok, err := lease.Next(tx, f, s.claim(a))
	if err != nil {
		return work.Item{}, err
	}
	if out.New = ok; !ok {
		out.Reason, err = s.reasons(tx, f, a)
	}
	return item, err
}

// named claims the task that a caller names, unless the caller has it.
func (s *Store) named(tx *registry.Tx, r repo.Repo, a agent.Agent, want Wanted, out *Taken) (work.Item, error) {
	item, err := find(tx, want.ID)
	if fault.Is(err, fault.KindNotFound) {
		item, out.Made, err = s.meant(tx, r, want, a.Name)
	}
	if err != nil {
		return item, err
	}
	var said work.Explanation
	var before lease.Lease
	err = tx.Together(
		func() error { return refuseElsewhere(tx, item, r) },
		func() (err error) { said, err = work.Explain(tx, item, a.ID); return err },
		func() (err error) { before, err = lease.Get(tx, item.ID); return err },
	)
	if err != nil {
		return item, err
	}
	for _, reason := range said.Reasons {
		if reason.Why == work.WhyReview {
			return item, fault.Conflict("task", item.Ref, "task %q is finished as far as its agent goes: %s", item.Ref, reason.Sentence).
				WithHint("wait until it is accepted or returned; take another one with `agit begin`")
		}
	}
	t, err := s.ClaimFor(tx, item, a)
	if err != nil {
		return item, err
	}
	out.New = t.ClaimToken != before.Token
	return work.ByID(tx, item.ID)
}

// RepoOf returns the repository on this host in which a task is worked on, by its id or its ticket's key: its own, else the only one of its
// project.
func (s *Store) RepoOf(tx *registry.Tx, id string) (repo.Repo, error) {
	item, err := find(tx, id)
	if fault.Is(err, fault.KindNotFound) {
		if ticket, failed := work.Find(tx, work.KindTicket, id); failed == nil {
			item, err = ticket, nil
		}
	}
	if err != nil {
		return repo.Repo{}, err
	}
	ids, err := registry.Collect(tx, registry.One[int64], `SELECT repos.id FROM repos LEFT JOIN tasks ON tasks.repo_id = repos.id AND tasks.item_id = ?
		WHERE repos.project_id = ? AND repos.host = ? AND repos.removed_at IS NULL ORDER BY CASE WHEN tasks.item_id IS NULL THEN 1 ELSE 0 END, repos.id LIMIT 2`,
		item.ID, item.ProjectID, registry.Host())
	if err != nil {
		return repo.Repo{}, err
	}
	own, err := registry.OrZero(registry.One[registry.Null[int64]](tx.QueryRow(`SELECT repo_id FROM tasks WHERE item_id = ?`, item.ID)))
	if err != nil {
		return repo.Repo{}, err
	}
	if len(ids) == 1 || len(ids) > 0 && own.V == ids[0] {
		return repo.ByID(tx, ids[0])
	}
	return repo.Repo{}, fault.Validation("repo", "task %q belongs to no repository in particular, and none is named to work on it in", item.Ref).WithHint("name one of `agit repos`")
}

// GiveUp returns a task that was just taken to the queue, because its worktree could not be made.
func (s *Store) GiveUp(tx *registry.Tx, itemID, agentID int64, why string) error {
	item, err := work.ByID(tx, itemID)
	if err != nil {
		return err
	}
	held, err := lease.Get(tx, itemID)
	if err != nil || held.AgentID != agentID {
		return err
	}
	if err := tx.In(item.ProjectID); err != nil {
		return err
	}
	tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	return giveBack(tx, &item, work.Event{Agent: agentID, Why: why, Epoch: held.Token})
}

// PutBack returns a held task to the queue for a person or program that is not an agent.
func PutBack(tx *registry.Tx, itemID int64, actor, why string) error {
	item, err := work.ByID(tx, itemID)
	if err != nil || item.State != work.StateActive {
		return err
	}
	held, err := lease.Get(tx, itemID)
	if err != nil {
		return err
	}
	tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	return giveBack(tx, &item, work.Event{Actor: actor, Why: why, Epoch: held.Token})
}

// SayResult replaces the result that a merge set on its task by an agent's own words.
func (s *Store) SayResult(tx *registry.Tx, itemID int64, merged, result string) error {
	if result == "" || itemID == 0 {
		return nil
	}
	return tx.Do(`UPDATE tasks SET result = ? WHERE item_id = ? AND result = ?`, result, itemID, merged)
}
