package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type claimFilesInput struct {
	Repo     string   `json:"repo,omitempty" is:"name"`
	Patterns []string `json:"patterns,omitempty" max:"100" also:"files" desc:"As in .gitignore"`
	Why      string   `json:"why,omitempty"`
	Release  bool     `json:"release,omitempty" desc:"End yours: these, or all"`
	Agent    string   `json:"agent_id,omitempty" also:"agent,agentName" is:"name"`
}

type claimFilesOutput struct {
	Claims   []conflict.Announcement `json:"claims"`
	Released int                     `json:"released,omitempty"`
	BookedOn booking.Booking         `json:"booked_on"`
}

func addClaimFiles(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_claim_files", Idempotent: true,
		Description: "Announce files you will edit; says who else did. Forbids nothing, expires.",
	}, func(ctx context.Context, c *mcpkit.Call, in claimFilesInput) (out claimFilesOutput, err error) {
		out.Claims = []conflict.Announcement{}
		name, err := s.repoOf(ctx, c, in.Repo)
		if err != nil {
			return out, err
		}
		r, err := s.stores.Repos.Get(ctx, name)
		if err != nil {
			return out, err
		}
		who, err := s.Desk.Caller(c, "agent_id", in.Agent)
		if err != nil {
			return out, err
		}
		by, err := s.stores.Roster.Caller(ctx, who)
		if err != nil {
			return out, err
		}
		if in.Release {
			out.Released, err = s.stores.Conflicts.Withdraw(ctx, r.ID, by.ID, in.Patterns)
			c.Summarize(fmt.Sprintf("%d released", out.Released))
		} else {
			out.Claims, err = s.stores.Conflicts.Announce(ctx, conflict.Announce{
				RepoID: r.ID, AgentID: by.ID, Patterns: in.Patterns, Why: in.Why, For: s.stores.Config.Files.ClaimTTL,
			})
			c.Summarize(fmt.Sprintf("%d announced", len(out.Claims)))
		}
		out.BookedOn = s.Desk.BookAt(ctx, c, who, r.ProjectID)
		return out, err
	})
}
