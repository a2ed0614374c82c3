package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type listSessionsInput struct {
	ProjectPath string `json:"project_path,omitempty" also:"project" desc:"Id, name or path" is:"name"`
	Item        string `json:"external_item_id,omitempty" is:"name"`
	Agent       string `json:"agent,omitempty" is:"name"`
	Status      string `json:"status,omitempty" enum:"active,completed,abandoned,interrupted"`
	Limit       int    `json:"limit,omitempty" min:"1" max:"200" desc:"Default 20"`
	Offset      int    `json:"offset,omitempty" min:"0"`
}

func addListSessions(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "list_sessions", ReadOnly: true,
		Description: "Past sessions of a project or ticket, the newest first.",
	}, func(ctx context.Context, c *mcpkit.Call, in listSessionsInput) (session.List, error) {
		place, err := s.Desk.Place(ctx, c, in.ProjectPath)
		if err != nil {
			return session.List{}, err
		}
		list, err := s.stores.Sessions.List(ctx, session.Filter{Place: place, Item: in.Item, Agent: in.Agent, Status: in.Status, Limit: in.Limit, Offset: in.Offset})
		c.Summarize(fmt.Sprintf("%d sessions", len(list.Sessions)))
		return list, err
	})
}
