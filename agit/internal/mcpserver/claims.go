package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/stores"
)

// claims knows the agents that claimed something through this server. Over
// stdio the client is connected as long as the server lives, so their claims
// are kept alive for it.
type claims struct {
	mu     sync.Mutex
	agents map[string]bool
}

func (c *claims) made(agent string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.agents == nil {
		c.agents = map[string]bool{}
	}
	c.agents[agent] = true
}

func (c *claims) list() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := make([]string, 0, len(c.agents))
	for name := range c.agents {
		names = append(names, name)
	}
	return names
}

// renewing sends the agents' heartbeats until ctx ends; the function it gives
// waits for that.
func (c *claims) renewing(ctx context.Context, st *stores.Stores) (wait func()) {
	var running sync.WaitGroup
	running.Go(func() {
		// Three beats within the silence after which a sweep calls an agent gone.
		beat := time.NewTicker(max(st.Config.Agent.StaleAfter/3, time.Second))
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
			}
			for _, name := range c.list() {
				// An agent that was removed meanwhile is not revived by its server.
				_, _ = st.Roster.Heartbeat(ctx, name)
			}
		}
	})
	return running.Wait
}
