package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type listSessionsInput struct {
	Project string `json:"project,omitempty" desc:"Id, name or path"`
	Limit   int    `json:"limit,omitempty" min:"1" max:"200" desc:"Default 10"`
}

type sessionsOutput struct {
	Sessions []session.Entry `json:"sessions"`
}

func addListSessions(s *service) {
	add(s, mcpkit.Tool{
		Name: "list_sessions", ReadOnly: true,
		Description: "List past sessions, the newest first.",
	}, func(ctx context.Context, c *mcpkit.Call, in listSessionsInput) (out sessionsOutput, err error) {
		place, err := s.desk.Place(c, in.Project)
		if err != nil {
			return out, err
		}
		if in.Limit == 0 {
			in.Limit = 10
		}
		out.Sessions, err = s.stores.Sessions.List(ctx, session.Filter{Place: place, Limit: in.Limit})
		return out, err
	})
}
