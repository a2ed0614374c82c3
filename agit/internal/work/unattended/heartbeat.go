package unattended

import (
	"context"
	"errors"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work/lease"
)

var errTaken = errors.New("the task is no longer the agent's: a person or another agent took it")

// heartbeat keeps the claim alive while the client runs, and ends the run when another agent has the claim. The channel is closed when
// heartbeat has ended.
func (t *on) heartbeat(ctx context.Context, cancel context.CancelCauseFunc, run string) <-chan struct{} {
	every := beatsWithin(t.ReleaseAfter)
	done := make(chan struct{})
	beat := func() {
		t.mu.Lock()
		asks, id := t.asks, t.askID
		t.mu.Unlock()
		if asks != "" {
			t.sayAsks(ctx, run, asks, id)
		} else {
			t.say(ctx, presence.Working, t.b, run)
		}
		// When the registry is not readable just now, the claim counts as held: the next beat asks again.
		if lost, err := t.claimLost(ctx); ctx.Err() == nil && err == nil && lost {
			cancel(errTaken)
		}
	}
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		beat()
		news := t.crew.heard()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				beat()
			case <-news: // the task may have been taken away
				news = t.crew.heard()
				if lost, err := t.claimLost(ctx); err == nil && lost {
					beat()
				}
			}
		}
	}()
	return done
}

// beatsWithin returns how often to send a sign of life so that a claim is not released, which happens after some silence; 0 is never.
func beatsWithin(releaseAfter time.Duration) time.Duration {
	if releaseAfter <= 0 {
		return beatEvery
	}
	return min(beatEvery, releaseAfter/4)
}

// claimLost reports whether the task was taken from the agent: another agent has the claim, or someone other than the agent gave the task
// back or finished it.
func (t *on) claimLost(ctx context.Context) (lost bool, err error) {
	err = t.DB.Read(ctx, func(tx *registry.Tx) error {
		l, err := lease.Get(tx, t.w.ItemID)
		if err != nil {
			return err
		}
		if l.Held() {
			lost = l.Token != t.b.Task.ClaimToken || l.AgentID != t.claimant()
			return nil
		}
		by, err := registry.One[registry.Null[int64]](tx.QueryRow(`SELECT agent_id FROM item_history WHERE item_id = ? AND field = 'status' ORDER BY id DESC LIMIT 1`, t.w.ItemID))
		moved, err := registry.Found(err)
		lost = moved && by.V != t.claimant()
		return err
	})
	return lost, err
}

// claimant returns the agent that holds the claim.
func (t *on) claimant() int64 {
	if t.holder != 0 {
		return t.holder
	}
	return t.w.AgentID
}
