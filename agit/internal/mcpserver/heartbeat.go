package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/shared/mcpkit"
)

type heartbeatInput struct {
	AgentID string `json:"agent_id" also:"agent,agentName" desc:"Agent id or name" is:"name"`
}

func addHeartbeat(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_heartbeat", Idempotent: true,
		Description: "Say that an agent is alive; any call that names it does so too.",
	}, func(ctx context.Context, c *mcpkit.Call, in heartbeatInput) (agentOutput, error) {
		c.BookedOn(in.AgentID)
		e, err := s.stores.Roster.Heartbeat(ctx, in.AgentID)
		if err != nil {
			return agentOutput{}, err
		}
		return agentOutput{e.UID, e, s.Desk.Book(ctx, c, e.Name, "")}, nil
	})
}
