package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type sessionStartInput struct {
	ProjectPath string `json:"project_path,omitempty" also:"project" desc:"Id, name or path" is:"name"`
	Item        string `json:"external_item_id,omitempty" desc:"Ticket or task" is:"name"`
	ResumeLast  bool   `json:"resume_last,omitempty"`
	Resume      string `json:"resume,omitempty" desc:"Session to go on from" is:"name"`
	Agent       string `json:"agent,omitempty" desc:"Your name" is:"name"`
	Budget      int    `json:"budget,omitempty" desc:"Bytes, default 4000"`
}

func addSessionStart(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "session_start", Idempotent: true, OpenWorld: true, Kept: true,
		Description: "Call first: start or reopen your session; returns ticket, criteria, blockers, memories, what was done last.",
	}, func(ctx context.Context, c *mcpkit.Call, in sessionStartInput) (started session.Started, err error) {
		start := session.Start{Item: in.Item, ResumeLast: in.ResumeLast, Resume: in.Resume, Budget: in.Budget}
		if start.Place, err = s.Desk.Place(ctx, c, in.ProjectPath); err != nil {
			return started, err
		}
		if start.Agent, err = s.Desk.Caller(c, "agent", in.Agent); err != nil {
			return started, err
		}
		start.Made = s.Desk.Named(c, in.Agent) == ""
		start.Folder = s.workFolder(c, in.ProjectPath)
		if started, err = s.stores.Sessions.Start(ctx, start); err != nil {
			return started, err
		}
		for i, w := range started.Warnings {
			started.Warnings[i] = hints.Replace(w)
		}
		started.Seen, started.Others = hints.Replace(started.Seen), hints.Replace(started.Others)
		for i, line := range started.Bears {
			started.Bears[i] = hints.Replace(line)
		}
		s.Desk.SetProject(c, started.BookedOn.Project)
		started.BookedOn.Agent = s.Desk.Book(ctx, c, started.BookedOn.Agent, started.BookedOn.Project).Agent
		if !start.Made {
			c.Session().Adopt(started.BookedOn.Agent)
		}
		c.Summarize(fmt.Sprintf("new %t, %d memories", started.New, len(started.Memory)))
		return started, nil
	})
}
