package mcpserver

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type spawnInput struct {
	Repo   string `json:"repo,omitempty" is:"name"`
	Task   string `json:"task,omitempty" also:"task_id,taskId" desc:"Task's id, ticket's key, or a new task's name"`
	Branch string `json:"branch,omitempty" desc:"Made from the task" is:"name"`
	PR     int64  `json:"pr,omitempty"`
	Agent  string `json:"agent,omitempty" also:"agent_id,agentName" desc:"Yours by default" is:"name"`
}

type spawnOutput struct {
	worktree.Worktree
	BookedOn booking.Booking `json:"booked_on"`
}

func addSpawnWorktree(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "agit_spawn_worktree",
		Description: "Make an agent's worktree on a new branch or a pull request's. Work only in the returned path.",
	}, func(ctx context.Context, c *mcpkit.Call, in spawnInput) (spawnOutput, error) {
		who, name, err := s.callerIn(ctx, c, "agent", in.Agent, in.Repo)
		if err != nil {
			return spawnOutput{}, err
		}
		request := spawn.Request{Repo: name, Task: in.Task, Branch: in.Branch, Agent: who}
		var w worktree.Worktree
		if in.PR != 0 {
			var notes []string
			w, err = s.stores.Forges.Spawn(ctx, s.stores.Spawns, request, in.PR, func(note string) { notes = append(notes, note) })
			if w.Note != "" {
				notes = append(notes, w.Note)
			}
			w.Note = strings.Join(notes, "; ")
		} else {
			w, err = s.stores.Spawns.Spawn(ctx, request)
		}
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
