package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/work"
)

type pmCreateTaskInput struct {
	TaskID               string         `json:"taskId" also:"task_id,id" is:"name"`
	Name                 string         `json:"name" is:"name"`
	Description          string         `json:"description,omitempty"`
	Priority             *work.Priority `json:"priority,omitempty"`
	EpicID               string         `json:"epicId" also:"epic_id,epic" is:"name"`
	Dependencies         []string       `json:"dependencies,omitempty" max:"1000" desc:"Waits for"`
	RequiredCapabilities []string       `json:"requiredCapabilities,omitempty" max:"50"`
	EstimatedDuration    string         `json:"estimatedDuration,omitempty" desc:"E.g. 30m"`
}

type pmCreateTaskOutput struct {
	graph.Planned
	BookedOn booking.Booking `json:"booked_on"`
}

func addPMCreateTask(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_create_task", Description: "Add a task to an epic.",
	}, func(ctx context.Context, c *mcpkit.Call, in pmCreateTaskInput) (out pmCreateTaskOutput, err error) {
		who, err := s.Desk.Caller(c, "", "")
		if err != nil {
			return out, err
		}
		out.Planned, err = s.stores.Graph.Plan(ctx, graph.NewTask{
			ID: in.TaskID, Name: in.Name, Description: in.Description, Priority: in.Priority.Or(work.PriorityMedium).String(), Epic: in.EpicID,
			Dependencies: in.Dependencies, Capabilities: in.RequiredCapabilities, Estimate: in.EstimatedDuration, Agent: who,
		})
		if err != nil {
			return out, err
		}
		out.BookedOn = s.Desk.Book(ctx, c, who, out.Project)
		return out, nil
	})
}

type nextTaskInput struct {
	AgentName    string         `json:"agentName,omitempty" also:"agent,agent_id" is:"name"`
	Capabilities []string       `json:"capabilities,omitempty" desc:"Default: registered"`
	Priority     *work.Priority `json:"priority,omitempty" desc:"At least"`
	ProjectID    string         `json:"projectId,omitempty" also:"project_id,project" desc:"* for all" is:"name"`
	Peek         bool           `json:"peek,omitempty"`
}

type nextTaskOutput struct {
	task.Offer
	BookedOn *booking.Booking `json:"booked_on,omitempty"`
}

func addGetNextTask(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "pm_get_next_task",
		Description: "Claim the next ready task. taskId null: reason counts why.",
	}, func(ctx context.Context, c *mcpkit.Call, in nextTaskInput) (out nextTaskOutput, err error) {
		ask := task.Ask{Capabilities: in.Capabilities, Project: in.ProjectID, Peek: in.Peek}
		switch in.ProjectID {
		case "*":
			ask.Project = ""
		case "":
			if ask.Repo, err = s.repoHere(ctx, c); err != nil {
				return out, err
			}
			if ask.Home, err = s.home(ctx, c); err != nil {
				return out, err
			}
		}
		ask.MinPriority = in.Priority.Or(work.PriorityNone)
		if ask.Agent, err = s.Desk.Caller(c, "agentName", in.AgentName); err != nil {
			return out, err
		}
		if out.Offer, err = s.stores.Tasks.Offer(ctx, ask); err != nil {
			return out, err
		}
		out.Description = cut(out.Description, offeredText)
		if out.TaskID == nil {
			c.Summarize("nothing ready")
			return out, nil
		}
		c.Summarize(*out.TaskID)
		if !in.Peek {
			s.claims.made(c, *out.Task)
			booked := s.Desk.Book(ctx, c, ask.Agent, out.Context.ProjectID)
			out.BookedOn = &booked
		}
		return out, nil
	})
}

// offeredText is longer than the text in a list: an agent is about to do the task.
const offeredText = 4000

type progressInput struct {
	AgentName  string          `json:"agentName,omitempty" also:"agent,agent_id" is:"name"`
	TaskID     string          `json:"taskId" also:"task_id,id" is:"name"`
	Status     string          `json:"status" enum:"in_progress,completed,failed"`
	Artifacts  []artifactInput `json:"artifacts,omitempty"`
	Metrics    map[string]any  `json:"metrics,omitempty" keys:"duration"`
	Notes      string          `json:"notes,omitempty"`
	ClaimToken int64           `json:"claimToken,omitempty" also:"claim_token"`
}

// artifactInput is a graph.Produced whose schema leaves out what is rarely given: spelled out, it would be a third of the tool. Its type is
// guessed from the path where it is left out.
type artifactInput graph.Produced

// MCPSchema is the part that clients check.
func (*artifactInput) MCPSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"type":{"type":"string"}}}`)
}

// UnmarshalJSON reads what a graph.Produced has, and nothing else.
func (a *artifactInput) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var given struct {
		Path string      `json:"path"`
		Type string      `json:"type"`
		Size json.Number `json:"size"` // which encoding/json reads in quotes too
	}
	err := d.Decode(&given)
	a.Path, a.Type = given.Path, given.Type
	if err == nil && given.Size != "" {
		a.Size, err = given.Size.Int64()
	}
	if err != nil {
		return fault.Validation("artifacts", "an artifact is an object with path, type and size: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

type progressOutput struct {
	graph.Moved
	BookedOn booking.Booking `json:"booked_on"`
}

func addReportProgress(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_report_progress", Description: "Report on a task; says what it unblocked.",
	}, func(ctx context.Context, c *mcpkit.Call, in progressInput) (out progressOutput, err error) {
		by, err := s.caller(c, "agentName", in.AgentName, in.TaskID, in.ClaimToken)
		if err != nil {
			return out, err
		}
		folder := ""
		if c.Session().Transport() == mcpkit.Stdio { // over HTTP the server's folder is not the client's
			folder = s.Env.Dir
		}
		artifacts := make([]graph.Produced, len(in.Artifacts))
		for i, a := range in.Artifacts {
			artifacts[i] = graph.Produced(a)
		}
		out.Moved, err = s.stores.Graph.Report(ctx, graph.Progress{
			Folder: folder, Task: in.TaskID, Status: in.Status, Caller: by, Artifacts: artifacts, Metrics: in.Metrics, Notes: in.Notes,
		})
		if err != nil {
			return out, err
		}
		if in.Status == task.InProgress && (out.Before == task.Pending || by.SessionToken != 0) {
			s.claims.made(c, out.Task)
		}
		c.Summarize(out.Before + " to " + out.After)
		out.BookedOn = s.Desk.Book(ctx, c, cmp.Or(by.Agent, out.Task.Agent), out.Task.Project)
		return out, nil
	})
}
