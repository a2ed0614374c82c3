package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type spawnInput struct {
	Repo   string `json:"repo,omitempty" is:"name"`
	Task   string `json:"task,omitempty" also:"task_id,taskId" desc:"A task's id, a ticket's key, or a text that a new task is named for"`
	Branch string `json:"branch,omitempty" desc:"New branch; made from the task" is:"name"`
	Agent  string `json:"agent,omitempty" also:"agent_id,agentName" desc:"Yours by default" is:"name"`
}

type spawnOutput struct {
	worktree.Worktree
	BookedOn booking.Booking `json:"booked_on"`
}

func addSpawnWorktree(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "agit_spawn_worktree",
		Description: "Make a worktree on a new branch for an agent. Work only inside the returned path.",
	}, func(ctx context.Context, c *mcpkit.Call, in spawnInput) (spawnOutput, error) {
		who, err := s.Desk.Caller(c, "agent", in.Agent)
		if err != nil {
			return spawnOutput{}, err
		}
		name, err := s.repoOf(ctx, c, in.Repo)
		if err != nil {
			return spawnOutput{}, err
		}
		w, err := s.stores.Spawns.Spawn(ctx, spawn.Request{Repo: name, Task: in.Task, Branch: in.Branch, Agent: who})
		if err != nil {
			return spawnOutput{}, err
		}
		if w.TaskID != "" {
			if d, err := s.stores.Tasks.Get(ctx, w.TaskID); err == nil {
				s.claims.made(c, d.Task)
			}
		}
		return spawnOutput{briefTree(w), s.Desk.BookAt(ctx, c, who, w.ProjectID)}, nil
	})
}
