package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/shared/mcpkit"
)

type claimTaskInput struct {
	TaskID  string `json:"task_id" is:"name"`
	AgentID string `json:"agent_id,omitempty" desc:"Agent id or name; yours by default" is:"name"`
}

func addClaimTask(s *service) {
	add(s, mcpkit.Tool{
		Name: "agit_claim_task", Idempotent: true,
		Description: "Claim a pending task; exactly one caller wins. Returns a claim_token for later reports.",
	}, func(ctx context.Context, c *mcpkit.Call, in claimTaskInput) (taskOutput, error) {
		who, err := s.desk.Caller(c, "agent_id", in.AgentID)
		if err != nil {
			return taskOutput{}, err
		}
		t, err := s.stores.Tasks.Claim(ctx, in.TaskID, who)
		if err != nil {
			return taskOutput{}, err
		}
		s.claims.made(t)
		return taskOutput{t, s.desk.Book(ctx, c, who, t.Project)}, nil
	})
}
