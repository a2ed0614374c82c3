package sync

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// turnTime is how long a turn lasts without renewal. It matters only for processes on other hosts: the end of one on this host is seen at
// once.
const turnTime = 5 * time.Minute

// turn is the right to pull or push a project.
type turn struct {
	e        *Engine
	presence *registry.Presence
}

// glance is how often a waiting process looks whether it has its turn.
const glance = 200 * time.Millisecond

// take makes the engine the one that syncs its project, until end. It waits up to Patience for another process that does, then returns a
// retryable Conflict fault.
func (e *Engine) take(ctx context.Context) (*turn, error) {
	p, err := e.DB.Announce()
	if err != nil {
		return nil, err
	}
	t := &turn{e, p}
	for end := e.clock().Now().Add(e.Patience); ; {
		err := e.write(ctx, t.claim)
		if err == nil {
			return t, nil
		}
		f := fault.From(err)
		if f == nil || f.Kind != fault.KindConflict || !e.clock().Now().Before(end) {
			p.Leave()
			return nil, err
		}
		if err := e.clock().Wait(ctx, glance); err != nil {
			p.Leave()
			return nil, err
		}
	}
}

func (t *turn) claim(tx *registry.Tx) error {
	e := t.e
	if err := e.ensure(tx); err != nil {
		return err
	}
	var holder string
	var until registry.Null[string]
	if err := tx.QueryRow(`SELECT lease_holder, lease_until FROM trackers WHERE project_id = ?`, e.Project).Scan(&holder, &until); err != nil {
		return err
	}
	if holder != "" && holder != t.presence.ID && until.V > tx.Stamp() && e.DB.Present(holder) {
		f := fault.Conflict("project", "", "another process is syncing this project with %s", e.Tracker.Name().Title()).
			WithHint("it takes a moment; `pmsync status` shows when it is done")
		f.Retryable = true
		return f
	}
	return tx.Do(`UPDATE trackers SET lease_holder = ?, lease_until = ? WHERE project_id = ?`,
		t.presence.ID, registry.FormatTime(tx.Now().Add(turnTime)), e.Project)
}

// renew extends the turn. When another process has taken over the turn, it returns a Conflict fault, so that nothing more is stored.
func (t *turn) renew(tx *registry.Tx) error {
	n, err := tx.Exec(`UPDATE trackers SET lease_until = ? WHERE project_id = ? AND lease_holder = ?`,
		registry.FormatTime(tx.Now().Add(turnTime)), t.e.Project, t.presence.ID)
	if err == nil && n == 0 {
		err = fault.Conflict("project", "", "another process has taken over syncing this project")
	}
	return err
}

// write runs a transaction of the turn.
func (t *turn) write(ctx context.Context, fn func(*registry.Tx) error) error {
	return t.e.write(ctx, func(tx *registry.Tx) error {
		if err := t.renew(tx); err != nil {
			return err
		}
		return fn(tx)
	})
}

// record is write for a transaction that counts in a result: each run of fn begins with the result as it is now, and one that fails leaves
// it so.
func (t *turn) record(ctx context.Context, r *Result, fn func(*registry.Tx) error) error {
	before := *r
	err := t.write(ctx, func(tx *registry.Tx) error {
		*r = before
		return fn(tx)
	})
	if err != nil {
		*r = before
	}
	return err
}

// end releases the turn, even when ctx is over.
func (t *turn) end(ctx context.Context) {
	_ = t.e.write(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
		return tx.Do(`UPDATE trackers SET lease_holder = '', lease_until = NULL WHERE project_id = ? AND lease_holder = ?`, t.e.Project, t.presence.ID)
	})
	t.presence.Leave()
}
