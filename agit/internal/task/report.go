package task

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Report is an agent's report on a task.
type Report struct {
	Caller
	ID     string
	Status string // InProgress, Completed, Failed, or Pending to give it back
	Result string
	Why    string
	Took   time.Duration // how long it took; 0 when not known
}

// Reported is the result of a report.
type Reported struct {
	Task   Task
	Before string // the status it showed before
	Same   bool   // it had that status already: nothing was changed
}

// Report moves a task. decide determines who may; a report by an agent on a pending task claims and moves it at once.
func (s *Store) Report(ctx context.Context, r Report) (Task, error) {
	return registry.Write(ctx, s.DB, registry.Named, func(tx *registry.Tx) (Task, error) {
		done, err := s.ReportIn(tx, r)
		return done.Task, err
	})
}

// ReportIn is Report inside a transaction of the caller's.
func (s *Store) ReportIn(tx *registry.Tx, r Report) (out Reported, err error) {
	if !slices.Contains([]string{Pending, InProgress, Completed, Failed}, r.Status) {
		return out, fault.Validation("status", "a task cannot be reported as %q", r.Status).WithHint("use in_progress, completed, failed or pending")
	}
	if r.Result, err = text.Body("result", r.Result); err != nil {
		return out, err
	}
	item, err := find(tx, r.ID)
	if err != nil {
		return out, err
	}
	var a call
	err = tx.Together(
		func() (err error) { out.Task, err = load(tx, item.ID); return err },
		func() (err error) { a, err = ask(tx, item, r.Caller); return err },
	)
	if err != nil {
		return out, err
	}
	out.Before = out.Task.Status
	if out.Same, err = a.may(tx, r.action()); err != nil {
		return out, err
	}
	if out.Same {
		if r.Status == InProgress {
			return out, SetActual(tx, item.ID, r.Took)
		}
		return out, r.refuseOther(out.Task)
	}
	if err := s.move(tx, a, r); err != nil {
		return out, err
	}
	tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
	out.Task, err = load(tx, item.ID)
	return out, err
}

// action returns the action that a report stands for.
func (r Report) action() action {
	switch {
	case r.Status == InProgress:
		return toStart
	case r.Status == Completed:
		return toComplete
	case r.Status == Pending:
		return toRelease
	case r.Result == Canceled:
		return toCancel
	}
	return toFail
}

// refuseOther refuses a repeated report with another result.
func (r Report) refuseOther(t Task) error {
	if t.CompletedAt == nil || r.Result == "" || r.Result == t.Result {
		return nil
	}
	return fault.Conflict("task", t.ID, "task %q is already %s by %q, with another result: %q", t.ID, t.Status, t.Agent, text.FirstLine(t.Result, 60)).
		WithHint("reopen it first if it is to be done again")
}

// move carries out an allowed report.
func (s *Store) move(tx *registry.Tx, a call, r Report) error {
	do := r.action()
	if a.item.State == work.StateOpen && do != toCancel {
		if _, err := s.ClaimFor(tx, a.item, a.agent); err != nil {
			return err
		}
		var err error
		if a.item, err = work.ByID(tx, a.item.ID); err != nil {
			return err
		}
		if a.lease, err = lease.Get(tx, a.item.ID); err != nil {
			return err
		}
	}
	if do == toStart || do == toComplete {
		if err := refuseBlocked(tx, a.item); err != nil {
			return err
		}
	}
	if do == toRelease {
		return giveBack(tx, &a.item, a.event(r.Why))
	}
	if a.lease.Held() && a.caller().handsOver() {
		if err := a.handOver(tx, a.agent); err != nil {
			return err
		}
	}
	if do == toStart {
		if a.item.Status != InProgress {
			if err := work.SetStatus(tx, &a.item, work.Move{Status: InProgress, State: work.StateActive, Event: a.event(r.Why)}); err != nil {
				return err
			}
		}
		return SetActual(tx, a.item.ID, r.Took)
	}
	return finish(tx, a, r, a.event(r.Why))
}

// finish ends a task as completed or failed, and its lease with it; e holds the actor and the reason. The task is credited to its holder,
// or to the agent that canceled a task without a holder.
func finish(tx *registry.Tx, a call, r Report, e work.Event) error {
	state := work.StateDone
	if r.Status == Failed {
		state = work.StateDropped
	}
	if err := work.SetStatus(tx, &a.item, work.Move{Status: r.Status, State: state, Event: e}); err != nil {
		return err
	}
	if err := tx.Do(`UPDATE tasks SET result = ? WHERE item_id = ?`, registry.NullIfZero(r.Result), a.item.ID); err != nil {
		return err
	}
	took := r.Took
	if took == 0 && r.Status == Completed && !a.item.StartedAt.IsZero() {
		took = a.item.FinishedAt.Sub(a.item.StartedAt)
	}
	if err := SetActual(tx, a.item.ID, took); err != nil {
		return err
	}
	if credited := cmp.Or(a.lease.AgentID, a.agent.ID); credited != 0 {
		if err := work.Assign(tx, a.item.ID, credited); err != nil {
			return err
		}
	}
	return lease.End(tx, a.item.ID)
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

// blockedWhy returns why a task shows as blocked; "" when it does not.
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

// openBug is a bug as seen from the work that it blocks.
type openBug struct{ ref, title string }

// openBugs are the bugs that block a task, oldest first.
func openBugs(tx *registry.Tx, itemID int64) ([]openBug, error) {
	return registry.Collect(tx, func(row registry.Scanner) (b openBug, err error) { return b, row.Scan(&b.ref, &b.title) }, `SELECT b.ref, b.title FROM dependencies d JOIN items b ON b.id = d.source_id
		WHERE d.target_id = ? AND d.relation = 'blocks' AND b.kind = 'bug' AND b.state IN ('open', 'active') AND b.deleted_at IS NULL ORDER BY d.id`, itemID)
}

// giveBack returns a held task to the queue.
func giveBack(tx *registry.Tx, item *work.Item, e work.Event) error {
	if err := work.SetStatus(tx, item, work.Move{Status: Pending, State: work.StateOpen, Event: e}); err != nil {
		return err
	}
	return lease.End(tx, item.ID)
}

// change finds a task, checks that the caller may change it, and changes it. It leaves a task alone that is in the wanted state already.
func (s *Store) change(ctx context.Context, id string, c Caller, do action, work func(*registry.Tx, call) error) (Task, error) {
	return registry.Write(ctx, s.DB, registry.Named, func(tx *registry.Tx) (t Task, err error) {
		item, err := find(tx, id)
		if err != nil {
			return t, err
		}
		a, err := ask(tx, item, c)
		if err != nil {
			return t, err
		}
		done, err := a.may(tx, do)
		if err != nil {
			return t, err
		}
		if !done {
			if err := work(tx, a); err != nil {
				return t, err
			}
			tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
		}
		return load(tx, item.ID)
	})
}

// Reopen puts a finished task back into the queue, for anyone; its duration and its result are cleared.
func (s *Store) Reopen(ctx context.Context, id string, c Caller, why string) (Task, error) {
	return s.change(ctx, id, c, toReopen, func(tx *registry.Tx, a call) error {
		e := a.event(cmp.Or(why, "reopened"))
		e.Epoch = 0
		if err := work.SetStatus(tx, &a.item, work.Move{Status: Pending, State: work.StateOpen, Event: e}); err != nil {
			return err
		}
		if err := work.Assign(tx, a.item.ID, 0); err != nil {
			return err
		}
		return tx.Do(`UPDATE tasks SET result = NULL, actual_seconds = NULL WHERE item_id = ?`, a.item.ID)
	})
}

// Block holds a task back because a person wants that, until Unblock: it shows as blocked and no agent gets it. Its stored status and its
// holder stay as they are.
func (s *Store) Block(ctx context.Context, id string, c Caller, why string) (Task, error) {
	why, err := text.Body("why", why)
	if err != nil {
		return Task{}, err
	}
	return s.change(ctx, id, c, toBlock, func(tx *registry.Tx, a call) error {
		return work.HoldBack(tx, a.item, a.event(why))
	})
}

// Unblock releases a task that Block held back. A task that is not held back is a Conflict fault.
func (s *Store) Unblock(ctx context.Context, id string, c Caller, why string) (Task, error) {
	return s.change(ctx, id, c, toBlock, func(tx *registry.Tx, a call) error {
		held, err := work.LetGo(tx, a.item, a.event(why))
		if err == nil && !held {
			return fault.Conflict("task", a.item.Ref, "no person holds task %q back", a.item.Ref).
				WithHint("`agit tasks explain %s` shows what it waits for", a.item.Ref)
		}
		return err
	})
}
