package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type agentStatusInput struct {
	Agent   string `json:"agent_id,omitempty" also:"agent" desc:"Name or id; you by default" is:"name"`
	Journal int    `json:"journal,omitempty" min:"1" max:"200" desc:"So many entries, newest first"`
}

// agentStatus is the status of an agent, on request with its journal.
type agentStatus struct {
	record.Status
	Journal []record.Entry `json:"journal,omitempty" wire:"-"`
}

func addAgentStatus(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agent_status", ReadOnly: true,
		Description: "How an agent stands: tier, SP, XP, CS, commits, bugs, halted.",
	}, func(ctx context.Context, c *mcpkit.Call, in agentStatusInput) (out agentStatus, err error) {
		if err := booking.Check("agent_id", in.Agent); err != nil {
			return out, err
		}
		who := s.Desk.Named(c, in.Agent)
		if who == "" {
			who = s.Desk.Own(c.Session())
		}
		if in.Journal > 0 {
			_ = s.records.Flush(ctx) // so that buffered writes are read too; Flush has reported a failure
			if out.Journal, err = s.stores.Records.Journal(ctx, who, in.Journal); err != nil {
				return out, err
			}
		}
		if out.Status, err = s.records.Status(ctx, who); err == nil {
			c.Summarize(out.Tier)
		}
		return out, err
	})
}

// by returns the agent and project of a call's write.
func (s *service) by(ctx context.Context, c *mcpkit.Call, who, project, scope string) (by record.By, err error) {
	if by.Agent, err = s.Desk.Caller(c, "agent_id", who); err != nil {
		return by, err
	}
	by.Scope = scope
	by.Place, err = s.Desk.Place(ctx, c, project)
	return by, err
}
