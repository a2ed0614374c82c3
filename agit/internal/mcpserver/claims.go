package mcpserver

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/text"
)

// claims are those made through this server, by task, each with its token. Over stdio the client is connected as long as the server lives,
// so the server keeps them alive.
type claims struct {
	mu   sync.Mutex
	held map[string]int64
}

func (c *claims) made(call *mcpkit.Call, t task.Task) {
	if t.ClaimToken == 0 {
		return // linked, but no one's
	}
	call.Session().Set(claimKey(text.Key(t.ID)), t.ClaimToken)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		c.held = map[string]int64{}
	}
	c.held[t.ID] = t.ClaimToken
}

// claimKey is where a session keeps the token of the claim that it made on a
// task.
type claimKey string

// ofSession is the token of the claim that a session made on a task, or 0.
func ofSession(session *mcpkit.Session, taskID string) int64 {
	token, _ := session.Get(claimKey(text.Key(taskID))).(int64)
	return token
}

// over forgets a claim, unless the task was claimed anew meanwhile.
func (c *claims) over(id string, token int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[id] == token {
		delete(c.held, id)
	}
}

// done forgets a claim on finished work: a task that waits for a review needs no heartbeats.
func (c *claims) done(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, id)
}

func (c *claims) all() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.held)
}

// renewClaims keeps the claims of a client over stdio alive until ctx ends.
func (s *service) renewClaims(ctx context.Context) {
	if s.Transport != mcpkit.Stdio {
		return
	}
	beat := time.NewTicker(s.Beat())
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			s.renew(ctx)
		}
	}
}

// renew sends a heartbeat of every agent that still holds what it claimed here. An agent without a claim is idle, and stays so.
func (s *service) renew(ctx context.Context) {
	holders := map[string]bool{}
	for id, token := range s.claims.all() {
		d, err := s.stores.Tasks.Get(ctx, id)
		switch {
		case fault.Is(err, fault.KindNotFound), err == nil && d.ClaimToken != token:
			s.claims.over(id, token)
		case err == nil:
			holders[d.Agent] = true
		}
	}
	for name := range holders {
		if _, err := s.stores.Roster.Heartbeat(ctx, name); err != nil && ctx.Err() == nil {
			s.Env.Logger().DebugContext(ctx, "renewing claims", "error", err)
		}
	}
}
