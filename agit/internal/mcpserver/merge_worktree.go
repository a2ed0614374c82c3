package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type mergeInput struct {
	Repo       string `json:"repo,omitempty" is:"name"`
	WorktreeID string `json:"worktree_id" also:"worktree" desc:"Id, branch, agent, folder" is:"name"`
	Message    string `json:"message,omitempty"`
	KeepTask   bool   `json:"keep_task,omitempty"`
	Into       string `json:"into,omitempty" is:"name"`
	How        string `json:"how,omitempty" enum:"merge,squash,rebase"`
}

type mergeOutput struct {
	land.Merged
	Pull     *assignment.Pull `json:"pull,omitempty"`
	BookedOn booking.Booking  `json:"booked_on"`
}

func addMergeWorktree(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_merge_worktree", Destructive: true,
		Description: "Merge a worktree, complete its task, remove it. On conflict or a red gate nothing changes.",
	}, func(ctx context.Context, c *mcpkit.Call, in mergeInput) (mergeOutput, error) {
		who, name, err := s.callerIn(ctx, c, "", "", in.Repo)
		if err != nil {
			return mergeOutput{}, err
		}
		q := land.Request{
			Repo: name, Worktree: in.WorktreeID, Message: in.Message, KeepTask: in.KeepTask, By: who, Asker: land.Asker{Agent: who, Tool: true},
			Into: in.Into, Strategy: land.Strategy(in.How),
		}
		if q.Plain() {
			done, proposed, err := s.stores.Assign.Propose(ctx, q)
			if err != nil {
				return mergeOutput{}, err
			}
			if proposed {
				w, err := s.stores.Worktrees.Get(ctx, name, done.Worktree.ID)
				return mergeOutput{land.Merged{Worktree: briefTree(w), Into: done.Worktree.Into}, done.Pull, s.Desk.BookAt(ctx, c, who, done.ProjectID)}, err
			}
		}
		merged, err := s.stores.Landings.Land(ctx, q)
		if err != nil {
			return mergeOutput{}, err
		}
		merged.Worktree = briefTree(merged.Worktree)
		return mergeOutput{merged, nil, s.Desk.BookAt(ctx, c, who, merged.Worktree.ProjectID)}, nil
	})
}
