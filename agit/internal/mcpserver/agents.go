package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/roster"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type registerInput struct {
	Name         string   `json:"name" desc:"Unique name; an existing one is revived"`
	Type         string   `json:"type" desc:"Kind of agent, e.g. claude, codex, custom"`
	Capabilities []string `json:"capabilities,omitempty" max:"50"`
}

// registered is an agent under the field name that other tools take.
type registered struct {
	AgentID string `json:"agent_id"`
	roster.Entry
}

func addRegisterAgent(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_register_agent", Idempotent: true,
		Description: "Register the agent you are; later calls of this session are booked on it.",
	}, func(ctx context.Context, c *mcpkit.Call, in registerInput) (registered, error) {
		e, err := s.stores.Roster.Register(ctx, agent.Registration{Name: in.Name, Type: in.Type, Capabilities: in.Capabilities})
		if err != nil {
			return registered{}, err
		}
		c.Session().SetAgent(e.Name)
		c.BookedOn(e.Name)
		return registered{e.UID, e}, nil
	})
}

type heartbeatInput struct {
	AgentID string `json:"agent_id" desc:"Agent id or name"`
}

func addHeartbeat(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_heartbeat", Idempotent: true,
		Description: "Say that an agent is alive; any call that names it does so too.",
	}, func(ctx context.Context, c *mcpkit.Call, in heartbeatInput) (registered, error) {
		c.BookedOn(in.AgentID)
		e, err := s.stores.Roster.Heartbeat(ctx, in.AgentID)
		return registered{e.UID, e}, err
	})
}

type agentsOutput struct {
	Agents []roster.Entry `json:"agents"`
}

func (s *service) agents(ctx context.Context, c *mcpkit.Call) (agentsOutput, error) {
	agents, err := s.stores.Roster.List(ctx)
	c.Summarize(fmt.Sprintf("%d agents", len(agents)))
	return agentsOutput{agents}, err
}
