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
	Outcome   string `json:"outcome,omitempty" enum:"success,partial,blocked,failed"`
	Notes     string `json:"outcome_notes,omitempty"`

	Verified []string `json:"ac_verified,omitempty" desc:"Ids of criteria met"`
	Failed   []string `json:"ac_failed,omitempty"`
	Status   string   `json:"ticket_status,omitempty"`
}

func addSessionEnd(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "session_end", OpenWorld: true,
		Description: "Call when you finish: keeps its summary, files, commits and memories; pushes queued changes.",
	}, func(ctx context.Context, c *mcpkit.Call, in sessionEndInput) (session.Ended, error) {
		s.flushRecords()
		ended, err := s.stores.Sessions.End(ctx, session.End{ID: in.SessionID, Summary: in.Summary, Outcome: in.Outcome, Notes: in.Notes,
			Verified: in.Verified, Failed: in.Failed, Status: in.Status})
		c.BookedOn(ended.BookedOn.Agent)
		c.Summarize(fmt.Sprintf("%d memories, %d pushed", ended.Memories, ended.Pushed))
		return ended, err
	})
}
