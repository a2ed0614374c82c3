package mcpserver

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/mcpkit"
)

// add registers a tool of the service. What holds for each of them is here: a
// call is a sign of life of the session's agent, and an error says what to do
// next in terms of tools.
func add[In, Out any](s *service, t mcpkit.Tool, run func(context.Context, *mcpkit.Call, In) (Out, error)) {
	mcpkit.AddTool(s.mcp, t, func(ctx context.Context, c *mcpkit.Call, in In) (Out, error) {
		if t.ReadOnly {
			s.alive(ctx, c) // a write says it in its own transaction
		}
		out, err := run(ctx, c, in)
		return out, forTools(err)
	})
}

// aliveKey keeps in a session when its agent was last said to be alive.
type aliveKey struct{}

// alive is a heartbeat of the agent that the session is known by. Reads come
// in bursts, so that it writes three times at most within the silence after
// which an agent counts as gone.
func (s *service) alive(ctx context.Context, c *mcpkit.Call) {
	name := s.named(c, "")
	if own, _ := c.Session().Get(ownKey{}).(bool); own && name == "" {
		name = ownName(c.Session())
	}
	last, _ := c.Session().Get(aliveKey{}).(time.Time)
	if name == "" || time.Since(last) < s.beat() {
		return
	}
	c.Session().Set(aliveKey{}, time.Now())
	// One that was removed, or never registered, stays so: looking changes nothing.
	_, _ = s.stores.Roster.Heartbeat(ctx, name)
}

// beat is how often an agent at work has to be heard of: three times within the
// silence that a sweep, or another one's claim, takes for its end.
func (s *service) beat() time.Duration {
	silence := s.stores.Config.Agent.StaleAfter
	if release := s.stores.Config.Agent.ReleaseAfter; release > 0 {
		silence = min(silence, release)
	}
	return max(silence/3, time.Second)
}
