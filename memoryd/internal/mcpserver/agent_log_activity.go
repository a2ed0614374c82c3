package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/timestamp"
)

type agentActivityInput struct {
	Agent     string         `json:"agent_id,omitempty" also:"agent" is:"name"`
	Timestamp timestamp.Time `json:"timestamp,omitzero"`
	Task      string         `json:"task"`
	Actions   string         `json:"actions,omitempty"`
	Outcome   string         `json:"outcome,omitempty"`
	Decisions string         `json:"decisions,omitempty"`
	Project   string         `json:"project_path,omitempty" also:"project" is:"name"`
	Scope     string         `json:"scope,omitempty" is:"name"`
}

func addAgentLogActivity(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "agent_log_activity",
		Description: "Journal what was done, its outcome and decisions.",
	}, func(ctx context.Context, c *mcpkit.Call, in agentActivityInput) (out record.Logged, err error) {
		by, err := s.by(ctx, c, in.Agent, in.Project, in.Scope)
		if err != nil {
			return out, err
		}
		a := record.Activity{By: by, At: in.Timestamp.Time, Task: in.Task, Actions: in.Actions, Outcome: in.Outcome, Decisions: in.Decisions}
		if out, err = s.records.Log(ctx, a); err != nil {
			return out, err
		}
		s.Desk.Book(ctx, c, by.Agent, out.BookedOn.Project)
		return out, nil
	})
}
