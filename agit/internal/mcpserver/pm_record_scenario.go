package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

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
