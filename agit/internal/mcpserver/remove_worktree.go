package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type removeInput struct {
	Repo       string `json:"repo,omitempty" is:"name"`
	WorktreeID string `json:"worktree_id" also:"worktree" desc:"Id, branch, agent or folder" is:"name"`
}

type removeOutput struct {
	remove.Removal
	BookedOn booking.Booking `json:"booked_on"`
}

func addRemoveWorktree(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_remove_worktree", Destructive: true,
		Description: "Remove a finished worktree. Refuses, saying why, when anything would be lost; restorable for 30 days.",
	}, func(ctx context.Context, c *mcpkit.Call, in removeInput) (removeOutput, error) {
		who, name, err := s.callerIn(ctx, c, "", "", in.Repo)
		if err != nil {
			return removeOutput{}, err
		}
		removal, err := s.stores.Removals.Remove(ctx, remove.Request{Repo: name, Worktree: in.WorktreeID, By: who})
		if err != nil {
			return removeOutput{}, err
		}
		removal.Worktree = briefTree(removal.Worktree)
		return removeOutput{removal, s.Desk.BookAt(ctx, c, who, removal.Worktree.ProjectID)}, nil
	})
}
