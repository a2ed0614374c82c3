package mcpserver

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/registry"
)

// The resources: read-only state, the same documents as the tools return.
const (
	uriRepos     = "agit://repos"
	uriRepo      = "agit://repos/{name}"
	uriConflicts = "agit://repos/{name}/conflicts"
	uriTasks     = "agit://repos/{name}/tasks"
	uriAgents    = "agit://agents"
)

func addResources(s *service) {
	complete := map[string]mcpkit.Completer{"name": s.repoNames}
	s.MCP.AddResource(mcpkit.Resource{URI: uriRepos, Name: "repos", Description: "All registered repositories"},
		func(ctx context.Context, c *mcpkit.Call, _ map[string]string) (any, error) {
			return s.repos(ctx, c)
		})
	s.MCP.AddResource(mcpkit.Resource{URI: uriRepo, Name: "repo", Description: "One repository with its counts, worktrees, tasks and agents", Complete: complete},
		func(ctx context.Context, _ *mcpkit.Call, vars map[string]string) (any, error) {
			return s.state(ctx, vars["name"], false)
		})
	s.MCP.AddResource(mcpkit.Resource{URI: uriConflicts, Name: "conflicts", Description: "Conflicts between its worktrees and with the default branch, scanned now, the deepest 200; agit_check_conflicts pages through all", Complete: complete},
		func(ctx context.Context, c *mcpkit.Call, vars map[string]string) (any, error) {
			return s.conflicts(ctx, c, conflictsInput{Repo: vars["name"]}, resourcePage)
		})
	s.MCP.AddResource(mcpkit.Resource{URI: uriTasks, Name: "tasks", Description: "Its tasks of every status, at most 200; agit_list_tasks pages through all", Complete: complete},
		func(ctx context.Context, c *mcpkit.Call, vars map[string]string) (any, error) {
			return s.tasks(ctx, c, task.Filter{Repo: vars["name"], Statuses: task.Statuses, Limit: resourcePage})
		})
	s.MCP.AddResource(mcpkit.Resource{URI: uriAgents, Name: "agents", Description: "All registered agents"},
		func(ctx context.Context, c *mcpkit.Call, _ map[string]string) (any, error) {
			return s.agents(ctx, c)
		})

	s.MCP.Notify(mcpkit.Updates{
		Sources: []mcpkit.Changes{mcpkit.RegistryChanges{DB: s.stores.DB}, worktreeSweep{s}},
		Topics: map[string][]string{
			registry.TopicRepos:     {uriRepos, uriRepo},
			registry.TopicWorktrees: {uriRepos, uriRepo, uriConflicts, uriTasks, uriAgents},
			registry.TopicTasks:     {uriTasks, uriRepo, uriRepos, uriAgents},
			registry.TopicAgents:    {uriAgents, uriRepo, uriRepos},
			registry.TopicConflicts: {uriConflicts, uriRepo},
		},
		Match: s.concerns,
	})
}

// concerns narrows a change of one project down to its repositories.
func (s *service) concerns(ctx context.Context, change mcpkit.Change, _ string, vars map[string]string) bool {
	if change.ProjectID == 0 || vars["name"] == "" {
		return true
	}
	r, err := s.stores.Repos.Get(ctx, vars["name"])
	return err != nil || r.ProjectID == change.ProjectID
}

func (s *service) repoNames(ctx context.Context, prefix string, _ map[string]string) (names []string, err error) {
	all, err := registry.Read(ctx, s.stores.DB, repo.All)
	for _, r := range all {
		if strings.HasPrefix(strings.ToLower(r.Name), strings.ToLower(prefix)) {
			names = append(names, r.Name)
		}
	}
	return names, err
}
