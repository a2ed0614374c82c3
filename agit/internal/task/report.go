package task

import (
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Report is what an agent says of a task.
type Report struct {
	ID     string
	Status string // InProgress, Completed, Failed, or Pending to give it back or reopen it
	Result string
	Agent  string // name or id; may be empty
	Token  int64  // the claim's token; 0 when not given
	Why    string
}

// Report moves a task. Who may is lease.Authorise's to say; a report by an
// agent on a pending task claims and moves it at once.
func (s *Store) Report(ctx context.Context, r Report) (t Task, err error) {
	err = s.DB.Write(ctx, registry.Everything, func(tx *registry.Tx) (err error) {
		t, _, err = s.ReportIn(tx, r)
		return err
	})
	return t, err
}

// ReportIn is Report inside a transaction of the caller's; it gives the status
// before, too.
func (s *Store) ReportIn(tx *registry.Tx, r Report) (t Task, before string, err error) {
	if !slices.Contains([]string{Pending, InProgress, Completed, Failed}, r.Status) {
		return t, "", fault.Validation("status", "a task cannot be reported as %q", r.Status).WithHint("use in_progress, completed, failed or pending")
	}
	if r.Result, err = text.Body("result", r.Result); err != nil {
		return t, "", err
	}
	item, err := find(tx, r.ID)
	if err != nil {
		return t, "", err
	}
	caller := lease.Caller{Token: r.Token}
	if r.Agent != "" {
		a, err := agent.Caller(tx, r.Agent)
		if err != nil {
			return t, "", err
		}
		caller.Agent = &a
	}
	if t, err = load(tx, item.ID); err != nil {
		return t, "", err
	}
	before = t.Status
	if err := s.move(tx, &item, caller, r); err != nil {
		return t, before, err
	}
	tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	t, err = load(tx, item.ID)
	return t, before, err
}

func (s *Store) move(tx *registry.Tx, item *work.Item, c lease.Caller, r Report) error {
	switch {
	case item.State == work.StateOpen && r.Status == Failed && r.Result == Canceled:
		return finish(tx, item, c, r)
	case item.State == work.StateOpen:
		return s.reportOnPending(tx, item, c, r)
	case item.State == work.StateActive:
		return s.reportOnHeld(tx, item, c, r)
	case r.Status == Pending:
		return reopen(tx, item, c, r)
	case r.Status == item.Status && r.Result == "":
		return nil // said again
	}
	return fault.Conflict("task", item.Ref, "task %q is already %s", item.Ref, item.Status).
		WithHint("reopen it first if it is to be done again")
}

func (s *Store) reportOnPending(tx *registry.Tx, item *work.Item, c lease.Caller, r Report) error {
	if r.Status == Pending {
		return nil // nothing to give back
	}
	if c.Token != 0 {
		return fault.Conflict("task", item.Ref, "claim token %d of task %q is no longer good: the task went back to pending", c.Token, item.Ref).
			WithHint("claim it again before reporting on it")
	}
	if c.Agent == nil {
		return fault.Conflict("task", item.Ref, "task %q is pending, so nobody is working on it", item.Ref).
			WithHint("name the agent that does, with --agent NAME")
	}
	if _, err := s.ClaimFor(tx, *item, *c.Agent); err != nil {
		return err
	}
	claimed, err := work.ByID(tx, item.ID)
	if err != nil {
		return err
	}
	*item = claimed
	return s.reportOnHeld(tx, item, c, r)
}

func (s *Store) reportOnHeld(tx *registry.Tx, item *work.Item, c lease.Caller, r Report) error {
	held, err := lease.Get(tx, item.ID)
	if err != nil {
		return err
	}
	if err := lease.Authorise(held, *item, started(*item), c); err != nil {
		return err
	}
	if r.Status == InProgress || r.Status == Completed {
		if err := refuseBlocked(tx, *item); err != nil {
			return err
		}
	}
	if c.Agent != nil && c.Token == 0 && c.Agent.ID != held.AgentID && r.Status != Pending {
		if held, err = lease.HandOver(tx, *item, *c.Agent); err != nil {
			return err
		}
	}
	switch r.Status {
	case InProgress:
		if item.Status == InProgress {
			return nil
		}
		return work.SetStatus(tx, item, work.Move{Status: InProgress, State: work.StateActive, Event: event(held.AgentID, held.Token, r)})
	case Pending:
		return giveBack(tx, item, held, r.Why)
	}
	return finish(tx, item, c, r)
}

// finish ends a task as completed or failed, and its lease with it.
func finish(tx *registry.Tx, item *work.Item, c lease.Caller, r Report) error {
	held, err := lease.Get(tx, item.ID)
	if err != nil {
		return err
	}
	state := work.StateDone
	if r.Status == Failed {
		state = work.StateDropped
	}
	by := held.AgentID
	if by == 0 && c.Agent != nil {
		by = c.Agent.ID
	}
	if err := work.SetStatus(tx, item, work.Move{Status: r.Status, State: state, Event: event(by, held.Token, r)}); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE tasks SET result = ? WHERE item_id = ?`, registry.NullIfZero(r.Result), item.ID); err != nil {
		return err
	}
	if err := lastHolder(tx, *item, held); err != nil {
		return err
	}
	return lease.End(tx, item.ID)
}

// refuseBlocked refuses work on a task that an open bug blocks or a person holds
// back.
func refuseBlocked(tx *registry.Tx, item work.Item) error {
	why, err := blockedWhy(tx, item)
	if err != nil || why == "" {
		return err
	}
	return fault.Conflict("task", item.Ref, "task %q is blocked: %s", item.Ref, why).
		WithHint("what blocks it goes first; the task can be given back meanwhile")
}

// blockedWhy says why a task shows as blocked; "" when it does not.
func blockedWhy(tx *registry.Tx, item work.Item) (string, error) {
	said, err := work.Explain(tx, item, 0)
	var why []string
	for _, r := range said.Reasons {
		if r.Why == work.WhyBug || r.Why == work.WhyPerson {
			why = append(why, r.Sentence)
		}
	}
	return strings.Join(why, "; "), err
}

// openBugs are the bugs that block a task, oldest first.
func openBugs(tx *registry.Tx, itemID int64) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `SELECT b.ref FROM dependencies d JOIN items b ON b.id = d.source_id
		WHERE d.target_id = ? AND d.relation = 'blocks' AND b.kind = 'bug' AND b.state IN ('open', 'active') AND b.deleted_at IS NULL ORDER BY d.id`, itemID)
}

// giveBack returns a held task to the queue.
func giveBack(tx *registry.Tx, item *work.Item, held lease.Lease, why string) error {
	if err := work.SetStatus(tx, item, work.Move{Status: Pending, State: work.StateOpen,
		Event: work.Event{Agent: held.AgentID, Why: why, Epoch: held.Token}}); err != nil {
		return err
	}
	return lease.End(tx, item.ID)
}

// reopen puts a finished task back in the queue, for anybody.
func reopen(tx *registry.Tx, item *work.Item, c lease.Caller, r Report) error {
	var by int64
	if c.Agent != nil {
		by = c.Agent.ID
	}
	if err := work.SetStatus(tx, item, work.Move{Status: Pending, State: work.StateOpen, Event: event(by, 0, r)}); err != nil {
		return err
	}
	if err := work.Assign(tx, item.ID, 0); err != nil {
		return err
	}
	_, err := tx.Exec(`UPDATE tasks SET result = NULL WHERE item_id = ?`, item.ID)
	return err
}

func event(by, token int64, r Report) work.Event {
	return work.Event{Agent: by, Why: r.Why, Epoch: token}
}

// Reopen puts a finished task back in the queue. The agent that asks may be
// empty.
func (s *Store) Reopen(ctx context.Context, id, agentName string) (Task, error) {
	d, err := s.Get(ctx, id)
	if err != nil {
		return Task{}, err
	}
	if d.Status != Completed && d.Status != Failed {
		return Task{}, fault.Conflict("task", d.ID, "task %q is %s, not finished", d.ID, d.Status).
			WithHint("to give a held task back, release it")
	}
	return s.Report(ctx, Report{ID: id, Status: Pending, Agent: agentName, Why: "reopened"})
}
