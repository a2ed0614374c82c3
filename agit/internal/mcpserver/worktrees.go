package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type spawnInput struct {
	Repo   string `json:"repo" desc:"Repository name"`
	Task   string `json:"task,omitempty" desc:"A task's id (links and claims it), or what is to be done"`
	Branch string `json:"branch,omitempty" desc:"New branch; made from the task by default"`
	Agent  string `json:"agent,omitempty" desc:"Agent name or id; yours by default"`
}

func addSpawnWorktree(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name:        "agit_spawn_worktree",
		Description: "Make a worktree on a new branch for an agent. Work only inside the returned path.",
	}, func(ctx context.Context, c *mcpkit.Call, in spawnInput) (worktree.Worktree, error) {
		agent := s.knownAgent(c, in.Agent)
		w, err := s.stores.Worktrees.Spawn(ctx, worktree.Spawn{Repo: in.Repo, Task: in.Task, Branch: in.Branch, Agent: agent})
		if err == nil && w.TaskID != "" && agent != "" {
			s.claims.made(agent)
		}
		return w, err
	})
}

type worktreesInput struct {
	Repo string `json:"repo,omitempty" desc:"Repository name; all by default"`
}

type worktreesOutput struct {
	Worktrees []worktree.Worktree `json:"worktrees"`
}

func addListWorktrees(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_list_worktrees", ReadOnly: true,
		Description: "List worktrees with branch, status, agent and task.",
	}, func(ctx context.Context, c *mcpkit.Call, in worktreesInput) (worktreesOutput, error) {
		list, err := s.stores.Worktrees.List(ctx, in.Repo, false)
		c.Summarize(fmt.Sprintf("%d worktrees", len(list)))
		return worktreesOutput{list}, err
	})
}

type removeInput struct {
	Repo       string `json:"repo" desc:"Repository name"`
	WorktreeID string `json:"worktree_id" desc:"Worktree id or branch"`
}

func addRemoveWorktree(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_remove_worktree", Destructive: true,
		Description: "Remove a finished worktree. Refuses, saying why, when anything would be lost; restorable for 30 days.",
	}, func(ctx context.Context, c *mcpkit.Call, in removeInput) (worktree.Removal, error) {
		return s.stores.Worktrees.Remove(ctx, worktree.Remove{Repo: in.Repo, Worktree: in.WorktreeID, By: s.knownAgent(c, "")})
	})
}

type mergeInput struct {
	Repo       string `json:"repo" desc:"Repository name"`
	WorktreeID string `json:"worktree_id" desc:"Worktree id or branch"`
	Message    string `json:"message,omitempty" desc:"Message of the merge commit"`
	KeepTask   bool   `json:"keep_task,omitempty" desc:"Do not complete its task"`
}

func addMergeWorktree(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_merge_worktree", Destructive: true,
		Description: "Merge a worktree's committed branch into the default branch (--no-ff), complete its task and remove the worktree. On conflict nothing changes and the files are named.",
	}, func(ctx context.Context, c *mcpkit.Call, in mergeInput) (worktree.Merged, error) {
		return s.stores.Worktrees.Merge(ctx, worktree.Merge{
			Repo: in.Repo, Worktree: in.WorktreeID, Message: in.Message, KeepTask: in.KeepTask, By: s.knownAgent(c, ""),
		})
	})
}
