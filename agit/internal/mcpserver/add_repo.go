package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type addRepoInput struct {
	Path string `json:"path" desc:"Absolute path of a git repository"`
	Name string `json:"name,omitempty" desc:"Name to register it under"`
}

type addRepoOutput struct {
	repo.Addition
	BookedOn booking.Booking `json:"booked_on"`
}

func addAddRepo(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_add_repo", Idempotent: true,
		Description: "Register a git repository; its name, remote and default branch are detected.",
	}, func(ctx context.Context, c *mcpkit.Call, in addRepoInput) (addRepoOutput, error) {
		path, err := s.path(c, in.Path)
		if err != nil {
			return addRepoOutput{}, err
		}
		who, err := s.Desk.Caller(c, "", "")
		if err != nil {
			return addRepoOutput{}, err
		}
		added, err := s.stores.AddRepo(ctx, repo.New{Path: path, Name: in.Name})
		if err != nil {
			return addRepoOutput{}, err
		}
		_, _ = s.stores.Roster.Caller(ctx, who) // a repository keeps no agent; the call is its heartbeat
		c.Summarize(string(added.Outcome))
		return addRepoOutput{added, s.Desk.BookAt(ctx, c, who, added.ProjectID)}, nil
	})
}
