package unattended

import (
	"cmp"
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/pull"
	"github.com/agit-suite/agit/shared/fault"
)

// followPulls looks at the repository's open pull requests again and again. The worker of a task that is handed back hears of it.
func (c *Crew) followPulls(ctx context.Context) {
	if c.store.Pulls == nil {
		return
	}
	for wait := c.store.Pulls.Interval; ; {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-c.stop:
			timer.Stop()
			return
		case <-timer.C:
		}
		if wait = c.store.Pulls.Pause(wait, c.pulls(ctx, true)); ctx.Err() != nil {
			return
		}
	}
}

// pulls looks once; lately leaves out what any process asked about within the interval.
func (c *Crew) pulls(ctx context.Context, lately bool) (limited bool) {
	if c.store.Pulls == nil {
		return false
	}
	events, limited, err := c.store.Pulls.Follow(ctx, pull.Options{Repo: c.o.Repo, Attempts: c.o.Attempts, Lately: lately})
	for _, e := range events {
		c.tellPull(e)
	}
	if err != nil && ctx.Err() == nil {
		c.tell(Event{What: EventNote, Why: "pull requests could not be followed: " + fault.From(err).Message})
	}
	return limited
}

// tellPull reports an event of a pull request, under the name of its worktree's agent.
func (c *Crew) tellPull(e pull.Event) {
	told := Event{Agent: e.Pull.Agent, TaskID: e.Task, Worktree: e.Pull.Worktree, Why: e.Pull.Stands()}
	if e.Why != "" {
		told.Why += "; " + e.Why
	}
	told.What = cmp.Or(map[string]string{pull.Handed: EventReturned, pull.GaveUp: EventFailed, pull.Merged: EventLanded}[e.What], EventNote)
	c.tell(told)
}
