package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/status"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type noInput struct{}

type reposOutput struct {
	Repos []repo.Summary `json:"repos"`
}

func (s *service) repos(ctx context.Context, c *mcpkit.Call) (reposOutput, error) {
	repos, err := s.stores.Repos.List(ctx, s.stores.Config.Agent.StaleAfter)
	c.Summarize(fmt.Sprintf("%d repos", len(repos)))
	return reposOutput{repos}, err
}

func addListRepos(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_list_repos", ReadOnly: true,
		Description: "List the registered repositories with their worktree, task and active agent counts.",
	}, func(ctx context.Context, c *mcpkit.Call, _ noInput) (reposOutput, error) { return s.repos(ctx, c) })
}

type addRepoInput struct {
	Path string `json:"path" desc:"Absolute path of a git repository"`
	Name string `json:"name,omitempty" desc:"Name to register it under"`
}

func addAddRepo(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_add_repo", Idempotent: true,
		Description: "Register a git repository; its name, remote and default branch are detected.",
	}, func(ctx context.Context, c *mcpkit.Call, in addRepoInput) (repo.Addition, error) {
		path, err := s.env.Path(in.Path)
		if err != nil {
			return repo.Addition{}, err
		}
		return s.stores.AddRepo(ctx, repo.New{Path: path, Name: in.Name})
	})
}

type repoInput struct {
	Repo string `json:"repo" desc:"Repository name"`
}

func addRepoStatus(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_repo_status", ReadOnly: true,
		Description: "One repository at a glance: worktrees, task counts, running tasks, agents, and conflicts scanned now.",
	}, func(ctx context.Context, c *mcpkit.Call, in repoInput) (status.Repo, error) {
		return s.stores.Status.One(ctx, in.Repo, true)
	})
}
