package unattended

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// pickUp puts in order what killed processes of `agit work` on this host left. It ends the processes of their attempts that still run, also
// those of other agents, since nothing watches them any more. The claims stay with their agents, which take them up again when they begin.
func (c *Crew) pickUp(ctx context.Context) error {
	s := c.store
	var left []Attempt
	err := s.DB.Read(ctx, func(tx *registry.Tx) error {
		running, err := registry.Collect(tx, scan, selection+`WHERE t.state = 'running' AND t.host = ? ORDER BY t.id`, registry.Host())
		for _, a := range running {
			if a.gone() {
				left = append(left, a)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, a := range left {
		n := c.endKilled(ctx, a)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a = a.lost(n)
		if err := s.ended(ctx, a); err != nil {
			return err
		}
		c.tell(Event{Agent: a.Agent, What: EventPicked, TaskID: a.TaskID, Worktree: a.Worktree, Why: a.Why})
	}
	return nil
}

// endKilled ends what still runs of an attempt whose process was killed, and returns how many processes that were.
func (c *Crew) endKilled(ctx context.Context, a Attempt) int {
	c.o.Wall.End(ctx, a.Run)
	n := worker.EndRun(ctx, a.Run, a.childPID, a.childMark, c.o.Grace)
	tidy(ctx, a)
	return n
}

// endLast ends the attempt before, whose process was killed.
func (t *on) endLast(ctx context.Context) error {
	t.crew.endKilled(ctx, t.last)
	t.last = t.last.lost(0)
	return t.ended(ctx, t.last)
}

// lost returns the attempt as its killed process left it; n processes of it still ran.
func (a Attempt) lost(n int) Attempt {
	a.State = Lost
	if a.Why == finishing {
		a.Why = cutInFinish
		return a
	}
	a.Why = "its `agit work` was killed"
	if n > 0 {
		a.Why += fmt.Sprintf("; %d processes of it still ran and were ended", n)
	}
	return a
}

// tidy removes the locks that a killed git of an attempt left; no process of the attempt runs any more. Anything else half done, such as a
// rebase, is named in the next brief, since only the agent knows what it wanted.
func tidy(ctx context.Context, a Attempt) {
	if a.path == "" {
		return
	}
	if g, err := git.Find(a.path); err == nil && g.Linked() && checkout.SameFolder(g.WorkTree, a.path) {
		checkout.ClearWorkLocks(ctx, g, a.StartedAt.Time)
	}
}
