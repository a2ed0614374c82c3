package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type noInput struct{}

type reposOutput struct {
	Repos []repo.Summary `json:"repos"`
}

func addListRepos(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_list_repos", ReadOnly: true,
		Description: "List the registered repositories with their worktree, task and active agent counts.",
	}, func(ctx context.Context, c *mcpkit.Call, _ noInput) (reposOutput, error) { return s.repos(ctx, c) })
}

func (s *service) repos(ctx context.Context, c *mcpkit.Call) (reposOutput, error) {
	repos, err := s.stores.Repos.List(ctx, s.stores.Config.Agent.StaleAfter)
	c.Summarize(fmt.Sprintf("%d repos", len(repos)))
	return reposOutput{repos}, err
}
