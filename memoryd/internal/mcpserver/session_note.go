package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type sessionNoteInput struct {
	SessionID  string         `json:"session_id" is:"name"`
	Type       string         `json:"event_type" enum:"decision,discovery,progress,blocker,note,error"`
	Content    string         `json:"content"`
	Importance string         `json:"importance,omitempty" enum:"low,medium,high" desc:"Default medium"`
	Context    map[string]any `json:"context,omitempty" desc:"symbols, related_items, code_snippet too" keys:"files[];symbols[],related_items[]"`
}

func addSessionNote(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "session_note",
		Description: "Record an event of the session as it happens. High ones, and decisions, become memories at its end.",
	}, func(ctx context.Context, c *mcpkit.Call, in sessionNoteInput) (session.Noted, error) {
		noted, err := s.stores.Sessions.Note(ctx, in.SessionID, session.NewEvent{Type: in.Type, Content: in.Content, Importance: in.Importance, Context: in.Context})
		c.BookedOn(noted.BookedOn.Agent)
		return noted, err
	})
}
