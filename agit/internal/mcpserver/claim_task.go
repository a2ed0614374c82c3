package mcpserver

import (
	"cmp"
	"context"

	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type claimTaskInput struct {
	TaskID     string `json:"task_id" also:"taskId,id" is:"name"`
	AgentID    string `json:"agent_id,omitempty" also:"agent,agentName" desc:"Agent id or name; yours by default" is:"name"`
	HandOverTo string `json:"hand_over_to,omitempty" also:"handOverTo" desc:"Agent that goes on with a task you hold" is:"name"`
	ClaimToken int64  `json:"claim_token,omitempty" also:"claimToken"`
}

func addClaimTask(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_claim_task", Idempotent: true,
		Description: "Claim a pending task; exactly one caller wins. Returns a claim_token for later reports.",
	}, func(ctx context.Context, c *mcpkit.Call, in claimTaskInput) (taskOutput, error) {
		if in.HandOverTo != "" {
			return s.handOver(ctx, c, in)
		}
		who, err := s.Desk.Caller(c, "agent_id", in.AgentID)
		if err != nil {
			return taskOutput{}, err
		}
		t, err := s.stores.Tasks.Claim(ctx, in.TaskID, who)
		if err != nil {
			return taskOutput{}, err
		}
		s.claims.made(c, t)
		return taskOutput{t, s.Desk.Book(ctx, c, who, t.Project)}, nil
	})
}

// handOver returns a claim for another agent. That agent's own calls keep it alive.
func (s *service) handOver(ctx context.Context, c *mcpkit.Call, in claimTaskInput) (taskOutput, error) {
	if err := booking.Check("hand_over_to", in.HandOverTo); err != nil {
		return taskOutput{}, err
	}
	by, err := s.caller(c, "agent_id", in.AgentID, in.TaskID, in.ClaimToken)
	if err != nil {
		return taskOutput{}, err
	}
	t, err := s.stores.Tasks.HandOver(ctx, in.TaskID, in.HandOverTo, by)
	if err != nil {
		return taskOutput{}, err
	}
	return taskOutput{briefTask(t), s.Desk.Book(ctx, c, cmp.Or(by.Agent, by.Client), t.Project)}, nil
}
