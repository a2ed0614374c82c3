package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type projectStatusInput struct {
	ProjectID string `json:"projectId,omitempty" desc:"Default: the session's" is:"name"`
}

func addProjectStatus(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_get_project_status", ReadOnly: true, Description: "A project's counts, progress and critical path.",
	}, func(ctx context.Context, c *mcpkit.Call, in projectStatusInput) (out graph.Status, err error) {
		if in.ProjectID == "" {
			if in.ProjectID, err = s.home(ctx, c); err != nil {
				return out, err
			}
		}
		if in.ProjectID == "" {
			return out, fault.Validation("projectId", "no project is named").WithHint("give projectId, or project_id once with agit_register_agent")
		}
		out, err = s.stores.Graph.ProjectStatus(ctx, in.ProjectID)
		c.Summarize(fmt.Sprintf("%.1f %%", out.Progress))
		return out, err
	})
}
