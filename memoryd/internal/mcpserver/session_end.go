package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type sessionEndInput struct {
	SessionID string `json:"session_id" is:"name"`
	Summary   string `json:"summary,omitempty" desc:"Default made from the events"`
	Outcome   string `json:"outcome,omitempty" enum:"success,partial,blocked,failed" desc:"Default success"`
	Notes     string `json:"outcome_notes,omitempty"`
}

func addSessionEnd(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "session_end", OpenWorld: true,
		Description: "Call when you finish: keeps a summary, files, commits and memories of the session, and pushes queued ticket changes.",
	}, func(ctx context.Context, c *mcpkit.Call, in sessionEndInput) (session.Ended, error) {
		s.flushRecords()
		ended, err := s.stores.Sessions.End(ctx, session.End{ID: in.SessionID, Summary: in.Summary, Outcome: in.Outcome, Notes: in.Notes})
		c.BookedOn(ended.BookedOn.Agent)
		c.Summarize(fmt.Sprintf("%d memories, %d pushed", ended.Memories, ended.Pushed))
		return ended, err
	})
}
