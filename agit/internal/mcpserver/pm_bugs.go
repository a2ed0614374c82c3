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

type resolveInput struct {
	BugID  string `json:"bugId" is:"name"`
	Status string `json:"status" enum:"fixed,wont_fix"`
}

type resolveOutput struct {
	graph.Resolution
	BookedOn booking.Booking `json:"booked_on"`
}

func addResolveBug(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_resolve_bug", Idempotent: true, Description: "Resolve a bug; returns the tasks that no bug blocks any more.",
	}, func(ctx context.Context, c *mcpkit.Call, in resolveInput) (out resolveOutput, err error) {
		who, err := s.Desk.Caller(c, "", "")
		if err != nil {
			return out, err
		}
		if out.Resolution, err = s.stores.Graph.SetBugStatus(ctx, in.BugID, in.Status, who); err != nil {
			return out, err
		}
		out.BookedOn = s.Desk.Book(ctx, c, who, out.Project)
		return out, nil
	})
}

type scenarioInput struct {
	ScenarioID string   `json:"scenarioId" is:"name"`
	Name       string   `json:"name" is:"name"`
	Status     string   `json:"status" enum:"pending,running,passed,failed"`
	PassRate   *float64 `json:"passRate,omitempty" min:"0" max:"100"`
	Validates  []string `json:"validates,omitempty" max:"1000" desc:"Task ids"`
	ProjectID  string   `json:"projectId,omitempty" is:"name"`
}

type scenarioOutput struct {
	Success bool `json:"success"`
	graph.Scenario
	BookedOn booking.Booking `json:"booked_on"`
}

func addRecordScenario(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_record_scenario", Idempotent: true, Description: "Record how a test scenario went.",
	}, func(ctx context.Context, c *mcpkit.Call, in scenarioInput) (out scenarioOutput, err error) {
		r := graph.ScenarioRecord{ID: in.ScenarioID, Name: in.Name, Status: in.Status, PassRate: in.PassRate, Validates: in.Validates, Project: in.ProjectID}
		if r.Project == "" && len(r.Validates) == 0 {
			if r.Project, err = s.home(ctx, c); err != nil {
				return out, err
			}
		}
		if r.Agent, err = s.Desk.Caller(c, "", ""); err != nil {
			return out, err
		}
		if out.Scenario, err = s.stores.Graph.RecordScenario(ctx, r); err != nil {
			return out, err
		}
		out.Success, out.BookedOn = true, s.Desk.Book(ctx, c, r.Agent, out.Project)
		return out, nil
	})
}
