package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type mergeInput struct {
	Repo       string `json:"repo,omitempty" is:"name"`
	WorktreeID string `json:"worktree_id" also:"worktree" desc:"Id, branch, agent or folder" is:"name"`
	Message    string `json:"message,omitempty" desc:"Message of the merge commit"`
	KeepTask   bool   `json:"keep_task,omitempty"`
}

type mergeOutput struct {
	land.Merged
	BookedOn booking.Booking `json:"booked_on"`
}

func addMergeWorktree(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_merge_worktree", Destructive: true,
		Description: "Merge a worktree's commits into the default branch (--no-ff), complete its task, remove it. On conflict nothing changes and the files are named.",
	}, func(ctx context.Context, c *mcpkit.Call, in mergeInput) (mergeOutput, error) {
		who, err := s.Desk.Caller(c, "", "")
		if err != nil {
			return mergeOutput{}, err
		}
		name, err := s.repoOf(ctx, c, in.Repo)
		if err != nil {
			return mergeOutput{}, err
		}
		merged, err := s.stores.Landings.Land(ctx, land.Request{
			Repo: name, Worktree: in.WorktreeID, Message: in.Message, KeepTask: in.KeepTask, By: who,
		})
		if err != nil {
			return mergeOutput{}, err
		}
		merged.Worktree = briefTree(merged.Worktree)
		return mergeOutput{merged, s.Desk.BookAt(ctx, c, who, merged.Worktree.ProjectID)}, nil
	})
}
