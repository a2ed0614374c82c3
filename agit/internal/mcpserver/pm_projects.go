package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/graph/graphquery"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/work"
)

type createProjectInput struct {
	ID          string `json:"id" is:"name"`
	Name        string `json:"name" is:"name"`
	Description string `json:"description,omitempty"`
	Status      string `json:"status,omitempty" enum:"active,completed,on_hold"`
	Path        string `json:"path,omitempty" desc:"Folder whose project gets the id"`
}

type projectOutput struct {
	Success bool `json:"success"`
	project.Project
	BookedOn booking.Booking `json:"booked_on"`
}

func addCreateProject(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_create_project", Description: "Make a project.",
	}, func(ctx context.Context, c *mcpkit.Call, in createProjectInput) (out projectOutput, err error) {
		n := graph.NewProject{ID: in.ID, Name: in.Name, Description: in.Description, Status: in.Status}
		if in.Path != "" {
			if n.Path, err = s.path(c, in.Path); err != nil {
				return out, err
			}
		}
		if n.Agent, err = s.Desk.Caller(c, "", ""); err != nil {
			return out, err
		}
		if out.Project, err = s.stores.Graph.CreateProject(ctx, n); err != nil {
			return out, err
		}
		out.Success, out.BookedOn = true, s.Desk.Book(ctx, c, n.Agent, out.UID)
		return out, nil
	})
}

type createEpicInput struct {
	EpicID      string         `json:"epicId" is:"name"`
	ProjectID   string         `json:"projectId" is:"name"`
	Name        string         `json:"name" is:"name"`
	Description string         `json:"description,omitempty"`
	Priority    *work.Priority `json:"priority,omitempty"`
}

type epicOutput struct {
	Success bool `json:"success"`
	graph.Epic
	BookedOn booking.Booking `json:"booked_on"`
}

func addCreateEpic(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_create_epic", Description: "Make an epic: tasks of a project that belong together.",
	}, func(ctx context.Context, c *mcpkit.Call, in createEpicInput) (out epicOutput, err error) {
		n := graph.NewEpic{ID: in.EpicID, Project: in.ProjectID, Name: in.Name, Description: in.Description, Priority: in.Priority.Or(work.PriorityMedium)}
		if n.Agent, err = s.Desk.Caller(c, "", ""); err != nil {
			return out, err
		}
		if out.Epic, err = s.stores.Graph.CreateEpic(ctx, n); err != nil {
			return out, err
		}
		out.Success, out.BookedOn = true, s.Desk.Book(ctx, c, n.Agent, out.Project)
		return out, nil
	})
}

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

type queryGraphInput struct {
	Query      string         `json:"query" desc:"openCypher; labels Project, Epic, Task, Agent, Artifact, Bug, TestScenario" max:"20000"`
	Parameters map[string]any `json:"parameters,omitempty" desc:"Values of $names" keys:"id"`
	MaxBytes   int            `json:"maxBytes,omitempty" desc:"Of the answer; default 32000" min:"1000" max:"1000000"`
}

// answerBytes is how long an answer may be unless the caller asks for more: about
// eight thousand tokens.
const answerBytes = 32_000

func addQueryGraph(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_query_graph", ReadOnly: true,
		Description: "Read the project graph with openCypher, e.g. MATCH (t:Task)-[:DEPENDS_ON]->(d) RETURN t.id, d.id. Writing is refused.",
	}, func(ctx context.Context, c *mcpkit.Call, in queryGraphInput) (graphquery.Answer, error) {
		a, err := s.stores.Queries.Query(ctx, graphquery.Ask{Text: in.Query, Params: in.Parameters, MaxBytes: cmp.Or(in.MaxBytes, answerBytes)})
		c.Summarize(fmt.Sprintf("%d rows", len(a.Results)))
		return a, err
	})
}
