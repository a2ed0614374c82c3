package unattended

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// AtWork returns the running attempt of an agent, by its name, or in a worktree, by its ref; the newest of several. found is false where
// there is none.
func (s *Store) AtWork(ctx context.Context, agentName, worktree string) (a Attempt, found bool, err error) {
	return s.newest(ctx, agentName, worktree, 0)
}

// newest returns the newest running attempt with an id above after.
func (s *Store) newest(ctx context.Context, agentName, worktree string, after int64) (newest Attempt, found bool, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		running, err := registry.Collect(tx, scan, selection+`WHERE t.state = 'running' AND t.id > ? AND (a.name_key = ? OR w.ref = ?) ORDER BY t.id`, after, text.Key(agentName), worktree)
		for _, one := range running {
			if !one.gone() {
				newest, found = one, true
			}
		}
		return err
	})
	return newest, found, err
}

// attachEvery is how often to look for the next run of an agent.
const attachEvery = 500 * time.Millisecond

// Following returns how a run ended, and waits for the next run of its agent as long as the process that runs the agent lives. found is
// false when that process has ended, or is on another host.
func (s *Store) Following(ctx context.Context, a Attempt) (ended, next Attempt, found bool, err error) {
	tick := time.NewTicker(attachEvery)
	defer tick.Stop()
	for {
		alive := a.host == registry.Host() && process.Alive(a.pid, a.mark, a.StartedAt.Time) // before looking
		ended, err = registry.Read(ctx, s.DB, func(tx *registry.Tx) (Attempt, error) {
			return scan(tx.QueryRow(selection+`WHERE t.id = ?`, a.ID))
		})
		if err == nil && (ended.State != Running || !alive) {
			next, found, err = s.newest(ctx, a.Agent, "", a.ID)
		}
		if err != nil || found || !alive {
			return ended, next, found, err
		}
		select {
		case <-ctx.Done():
			return ended, next, false, ctx.Err()
		case <-tick.C:
		}
	}
}
