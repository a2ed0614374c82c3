package unattended

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/budget"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/shared/registry"
)

// spent returns the first budget that is used up, from what this machine's attempts took today and what those of a task took; nil for none.
// itemID 0 means no task.
func spent(tx *registry.Tx, budgets []budget.Budget, itemID int64) (*spentBudget, error) {
	day, err := takenToday(tx)
	if err != nil {
		return nil, err
	}
	var ofTask budget.Spent
	if itemID != 0 {
		if ofTask, err = taken(tx, `item_id = ?`, itemID); err != nil {
			return nil, err
		}
	} else {
		budgets = budget.Of(budgets, budget.Day)
	}
	b := budget.First(budgets, day, ofTask)
	if b == nil {
		return nil, nil
	}
	return &spentBudget{*b, b.Words(day, ofTask)}, nil
}

// takenToday returns what this machine's attempts took that ended today or still run.
func takenToday(tx *registry.Tx) (budget.Spent, error) {
	return taken(tx, `host = ? AND (ended_at IS NULL OR ended_at >= ?)`, registry.Host(), registry.FormatTime(costs.Midnight(tx.Now())))
}

// taken sums what the selected attempts took.
func taken(tx *registry.Tx, where string, args ...any) (s budget.Spent, err error) {
	s.Money = map[string]int64{}
	err = registry.Each(tx, func(row registry.Scanner) error {
		var currency string
		var micros, tokens int64
		err := row.Scan(&currency, &micros, &tokens)
		s.Tokens += tokens
		s.Money[currency] += micros
		return err
	}, `SELECT currency, SUM(cost), SUM(tokens_in + tokens_out + tokens_cached) FROM attempts WHERE `+where+` GROUP BY currency`, args...)
	return s, err
}

// afford reports whether the worker may begin a task. When the budget of the day is spent, it waits some time towards the next day's
// budget. ended reports that the worker ends instead, because it was started to end when nothing is ready.
func (m *member) afford(ctx context.Context) (may, ended bool, err error) {
	if len(m.crew.o.Budgets) == 0 {
		return true, false, nil
	}
	over, err := registry.Read(ctx, m.DB, func(tx *registry.Tx) (*spentBudget, error) { return spent(tx, m.crew.o.Budgets, 0) })
	if err != nil || over == nil {
		return err == nil, false, err
	}
	if m.crew.o.UntilEmpty {
		m.tell(Event{What: EventNote, Why: over.Error() + "; it ends"})
		return false, true, nil
	}
	now := time.Now()
	next := costs.Midnight(now).AddDate(0, 0, 1)
	m.wait(ctx, nil, min(next.Sub(now), longestLook), over.Error()+", until "+clock(next, now))
	return false, false, nil
}

// readOverdrawn finds the unfinished tasks of the repository's project that have spent the budget of a task: they are not begun.
func (m *member) readOverdrawn(ctx context.Context) error {
	budgets := budget.Of(m.crew.o.Budgets, budget.Task)
	m.overdrawn = nil
	if len(budgets) == 0 {
		return nil
	}
	return m.DB.Read(ctx, func(tx *registry.Tx) error {
		m.overdrawn = map[string]string{}
		items, err := registry.Map[int64, string](tx, `SELECT id, ref FROM items WHERE project_id = ? AND deleted_at IS NULL
			AND status NOT IN ('completed', 'failed') AND id IN (SELECT item_id FROM attempts)`, m.crew.o.Repo.ProjectID)
		if err != nil {
			return err
		}
		for id, ref := range items {
			over, err := spent(tx, budgets, id)
			if err != nil {
				return err
			}
			if over != nil {
				m.overdrawn[ref] = over.words
			}
		}
		return nil
	})
}

// turnAway returns a task that the agent holds to the queue without a run, when the task has spent its budget.
func (t *on) turnAway(ctx context.Context) (away bool, err error) {
	words, over := t.overdrawn[t.b.Task.ID]
	if !over {
		return false, nil
	}
	t.uncount = true
	why := "budget spent: " + words
	if _, err := t.Assign.Finish(ctx, t.giveBack(why)); err != nil && ctx.Err() == nil {
		return true, err
	}
	t.tell(Event{What: EventReleased, TaskID: t.b.Task.ID, Task: t.b.Task.Name, Worktree: t.w.Ref, Why: why + " (not counted)"})
	return true, nil
}

// tellBudgets reports what is left of the budgets of the day.
func (c *Crew) tellBudgets(ctx context.Context) error {
	for _, b := range budget.Of(c.o.Budgets, budget.Day) {
		day, err := registry.Read(ctx, c.store.DB, takenToday)
		if err != nil {
			return err
		}
		c.tell(Event{Agent: c.members[0].agent, What: EventNote, Why: "budget: " + b.Words(day, budget.Spent{})})
	}
	return nil
}

// once passes an event on the first time only.
func (c *Crew) once(e Event) {
	if _, said := c.said.LoadOrStore(e.Why, true); !said {
		c.tell(e)
	}
}
