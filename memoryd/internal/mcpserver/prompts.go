package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/mcpkit"
)

func addPrompts(s *service) {
	s.MCP.AddPrompt(mcpkit.Prompt{
		Name: "go_on", Title: "Go on from an earlier session",
		Description: "What a session did, decided and left open, to go on from it.",
		Args:        []mcpkit.Arg{{Name: "session_id", Description: "The session; see list_sessions", Required: true, Complete: s.sessionIDs}},
	}, s.goOn)
}

func (s *service) goOn(ctx context.Context, _ *mcpkit.Call, args map[string]string) ([]mcpkit.Content, error) {
	found, err := s.stores.Sessions.Context(ctx, session.ContextQuery{ID: args["session_id"]})
	if err != nil {
		return nil, err
	}
	return []mcpkit.Content{mcpkit.TextContent(fmt.Sprintf(`This is what an earlier session of this project was about:

%s
Call session_start (with resume_last when the session was interrupted or abandoned), check with the files and commits above how far it came, then go on with what it left open. Where the code says otherwise than the session, the code is right.`, found.Text()))}, nil
}
