package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type agentStatusInput struct {
	Agent string `json:"agent_id,omitempty" also:"agent" desc:"Name or id; you by default" is:"name"`
}

func addAgentStatus(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agent_status", ReadOnly: true,
		Description: "How an agent stands: tier, SP, XP, CS, commits, bugs, halted.",
	}, func(ctx context.Context, c *mcpkit.Call, in agentStatusInput) (st record.Status, err error) {
		if err := booking.Check("agent_id", in.Agent); err != nil {
			return st, err
		}
		who := s.Desk.Named(c, in.Agent)
		if who == "" {
			who = booking.OwnName(c.Session())
		}
		st, err = s.records.Status(ctx, who)
		if err == nil {
			c.Summarize(st.Tier)
		}
		return st, err
	})
}

// by says whom a write of a call is booked on, and where.
func (s *service) by(c *mcpkit.Call, who, project, scope string) (by record.By, err error) {
	if by.Agent, err = s.Desk.Caller(c, "agent_id", who); err != nil {
		return by, err
	}
	by.Scope = scope
	by.Place, err = s.Desk.Place(c, project)
	return by, err
}

// folder is the folder whose repository knows the commits that a call names, ""
// when none is known.
func (s *service) folder(c *mcpkit.Call, by record.By, project string) string {
	switch {
	case by.Place.At == nil:
		return ""
	case project == "" && c.Session().Transport() == mcpkit.Stdio:
		return s.Desk.Dir // which may be a worktree of it
	}
	return by.Place.At.Folder
}
