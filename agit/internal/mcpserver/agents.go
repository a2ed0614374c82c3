package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/agents"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type registerInput struct {
	Name         string   `json:"name" desc:"Unique; an existing one is revived" is:"name"`
	Type         string   `json:"type" desc:"E.g. claude, codex, custom" is:"name"`
	Capabilities []string `json:"capabilities,omitempty" max:"50"`
	ProjectID    string   `json:"project_id,omitempty" desc:"Of later calls that name none" is:"name"`
}

// agentOutput is an agent under the field name that other tools take.
type agentOutput struct {
	AgentID string `json:"agent_id"`
	agents.Entry
	BookedOn booking.Booking `json:"booked_on"`
}

func addRegisterAgent(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_register_agent", Idempotent: true,
		Description: "Register the agent you are; later calls of this session are booked on it.",
	}, func(ctx context.Context, c *mcpkit.Call, in registerInput) (agentOutput, error) {
		if in.ProjectID != "" {
			var err error
			if in.ProjectID, err = s.stores.Graph.ProjectID(ctx, in.ProjectID); err != nil {
				return agentOutput{}, err
			}
		}
		e, err := s.stores.Roster.Register(ctx, agent.Registration{Name: in.Name, Type: in.Type, Capabilities: in.Capabilities})
		if err != nil {
			return agentOutput{}, err
		}
		c.Session().SetAgent(e.Name)
		if in.ProjectID != "" {
			s.Desk.SetProject(c, in.ProjectID)
		}
		return agentOutput{e.UID, e, s.Desk.Book(ctx, c, e.Name, in.ProjectID)}, nil
	})
}

type agentsOutput struct {
	Agents []agents.Entry `json:"agents"`
}

// agents is the resource; no tool lists them.
func (s *service) agents(ctx context.Context, c *mcpkit.Call) (agentsOutput, error) {
	agents, err := s.stores.Roster.List(ctx)
	c.Summarize(fmt.Sprintf("%d agents", len(agents)))
	return agentsOutput{agents}, err
}

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
