package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type sessionContextInput struct {
	SessionID string `json:"session_id" is:"name"`
	Events    *bool  `json:"include_events,omitempty"`
	Memory    *bool  `json:"include_memory,omitempty"`
	Criteria  *bool  `json:"include_ac,omitempty"`
	Limit     int    `json:"events_limit,omitempty" min:"1" max:"1000" desc:"Default 50"`
}

func addSessionContext(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "get_session_context", ReadOnly: true, Kept: true,
		Description: "Everything about a session, yours or another: events, memories, criteria, blockers, files, commits. Parts are included unless false.",
	}, func(ctx context.Context, c *mcpkit.Call, in sessionContextInput) (session.Context, error) {
		no := func(include *bool) bool { return include != nil && !*include }
		return s.stores.Sessions.Context(ctx, session.ContextQuery{
			ID: in.SessionID, NoEvents: no(in.Events), NoMemory: no(in.Memory), NoCriteria: no(in.Criteria), Limit: in.Limit,
		})
	})
}
