package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type bugInput struct {
	Title        string   `json:"title" is:"name"`
	Description  string   `json:"description,omitempty"`
	Severity     string   `json:"severity" enum:"low,medium,high,critical"`
	FoundBy      string   `json:"foundBy,omitempty" also:"agent,agentName,agent_id" is:"name"`
	FoundInTask  string   `json:"foundInTask,omitempty" is:"name"`
	BlockedTasks []string `json:"blockedTasks,omitempty"`
	Artifact     string   `json:"foundInArtifact,omitempty" desc:"Id or path" is:"name"`
	ProjectID    string   `json:"projectId,omitempty" also:"project_id,project" is:"name"`
}

type bugOutput struct {
	graph.Blocked
	BookedOn booking.Booking `json:"booked_on"`
}

func addReportBug(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_report_bug", Description: "Report a bug; open blockedTasks wait until it is resolved.",
	}, func(ctx context.Context, c *mcpkit.Call, in bugInput) (out bugOutput, err error) {
		who, err := s.Desk.Caller(c, "foundBy", in.FoundBy)
		if err != nil {
			return out, err
		}
		r := graph.BugReport{Title: in.Title, Description: in.Description, Severity: in.Severity, FoundBy: who,
			FoundIn: in.FoundInTask, Artifact: in.Artifact, Project: in.ProjectID, Blocks: in.BlockedTasks}
		if r.Project == "" && r.FoundIn == "" && len(r.Blocks) == 0 && r.Artifact == "" {
			if r.Project, err = s.home(ctx, c); err != nil {
				return out, err
			}
		}
		if out.Blocked, err = s.stores.Graph.ReportBug(ctx, r); err != nil {
			return out, err
		}
		c.Summarize(fmt.Sprintf("%s blocks %d", out.BugID, out.Count))
		out.BookedOn = s.Desk.Book(ctx, c, who, out.Project)
		return out, nil
	})
}
