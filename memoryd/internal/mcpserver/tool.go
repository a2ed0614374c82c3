package mcpserver

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/mcpkit"
)

// Each concern lists its tools in a file of its own (tools_*.go).

// add registers a tool of the service. What holds for each of them is here: a
// call is a sign of life of the session's agent.
func add[In, Out any](s *service, t mcpkit.Tool, run func(context.Context, *mcpkit.Call, In) (Out, error)) {
	mcpkit.AddTool(s.mcp, t, func(ctx context.Context, c *mcpkit.Call, in In) (Out, error) {
		if t.ReadOnly {
			s.desk.Alive(ctx, c, s.beat()) // a write says it in its own transaction
		}
		return run(ctx, c, in)
	})
}

// beat is how often an agent at work has to be heard of: three times within the
// silence that a sweep takes for its end.
func (s *service) beat() time.Duration {
	return max(s.stores.Config.Agent.StaleAfter/3, time.Second)
}
