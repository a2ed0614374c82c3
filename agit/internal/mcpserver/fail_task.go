package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/mcpkit"
)

func addFailTask(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_fail_task", Description: "Report a task as failed; result says why. Result canceled closes one not wanted.",
	}, func(ctx context.Context, c *mcpkit.Call, in reportInput) (taskOutput, error) {
		return s.report(ctx, c, in, task.Failed)
	})
}
