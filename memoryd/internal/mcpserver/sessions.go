package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/mcpkit"
)

// sessionTools registers the tools of work sessions.
var sessionTools = []func(*service){addSessionStart, addSessionNote, addSessionEnd, addSessionContext, addListSessions}

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

type sessionNoteInput struct {
	SessionID string `json:"session_id" is:"name"`
	session.NewEvent
}

func addSessionNote(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "session_note",
		Description: "Record an event of the session as it happens. High ones, and decisions, become memories at its end.",
	}, func(ctx context.Context, c *mcpkit.Call, in sessionNoteInput) (session.Noted, error) {
		noted, err := s.stores.Sessions.Note(ctx, in.SessionID, in.NewEvent)
		c.BookedOn(noted.BookedOn.Agent)
		return noted, err
	})
}

func addSessionEnd(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "session_end", OpenWorld: true,
		Description: "Call when you finish: keeps its summary, files, commits and memories; pushes queued changes.",
	}, func(ctx context.Context, c *mcpkit.Call, in session.End) (session.Ended, error) {
		s.flushRecords()
		ended, err := s.stores.Sessions.End(ctx, in)
		c.BookedOn(ended.BookedOn.Agent)
		c.Summarize(fmt.Sprintf("%d memories, %d pushed", ended.Memories, ended.Pushed))
		return ended, err
	})
}

type sessionContextInput struct {
	SessionID string `json:"session_id" is:"name"`
	Events    *bool  `json:"include_events,omitempty"`
	Memory    *bool  `json:"include_memory,omitempty"`
	Criteria  *bool  `json:"include_ac,omitempty"`
	Limit     int    `json:"events_limit,omitempty" min:"1" max:"1000" desc:"Default 50"`
}

func addSessionContext(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "get_session_context", ReadOnly: true, Kept: true,
		Description: "Everything about a session, yours or another: events, memories, criteria, blockers, files, commits. Parts are included unless false.",
	}, func(ctx context.Context, c *mcpkit.Call, in sessionContextInput) (session.Context, error) {
		no := func(include *bool) bool { return include != nil && !*include }
		return s.stores.Sessions.Context(ctx, session.ContextQuery{
			ID: in.SessionID, NoEvents: no(in.Events), NoMemory: no(in.Memory), NoCriteria: no(in.Criteria), Limit: in.Limit,
		})
	})
}

type listSessionsInput struct {
	ProjectPath string `json:"project_path,omitempty" also:"project" desc:"Id, name or path" is:"name"`
	session.Filter
}

func addListSessions(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "list_sessions", ReadOnly: true,
		Description: "Past sessions of a project or ticket, the newest first.",
	}, func(ctx context.Context, c *mcpkit.Call, in listSessionsInput) (list session.List, err error) {
		if in.Place, err = s.Desk.Place(ctx, c, in.ProjectPath); err != nil {
			return list, err
		}
		list, err = s.stores.Sessions.List(ctx, in.Filter)
		c.Summarize(fmt.Sprintf("%d sessions", len(list.Sessions)))
		return list, err
	})
}
