package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/text"
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

type addRepoInput struct {
	Path string `json:"path" desc:"Absolute path of a git repository"`
	Name string `json:"name,omitempty" desc:"Name to register it under"`
}

type addRepoOutput struct {
	repo.Addition
	BookedOn booking.Booking `json:"booked_on"`
}

func addAddRepo(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_add_repo", Idempotent: true,
		Description: "Register a git repository; its name, remote and default branch are detected.",
	}, func(ctx context.Context, c *mcpkit.Call, in addRepoInput) (addRepoOutput, error) {
		path, err := s.path(c, in.Path)
		if err != nil {
			return addRepoOutput{}, err
		}
		who, err := s.Desk.Caller(c, "", "")
		if err != nil {
			return addRepoOutput{}, err
		}
		added, err := s.stores.AddRepo(ctx, repo.New{Path: path, Name: in.Name})
		if err != nil {
			return addRepoOutput{}, err
		}
		_, _ = s.stores.Roster.Caller(ctx, who) // a repository keeps no agent; the call is its heartbeat
		c.Summarize(string(added.Outcome))
		return addRepoOutput{added, s.Desk.BookAt(ctx, c, who, added.ProjectID)}, nil
	})
}

type repoInput struct {
	Repo string `json:"repo,omitempty" is:"name"`
}

// repoState is overview.RepoStatus with its long lists cut to a page.
type repoState struct {
	repo.Summary
	Worktrees []worktree.Worktree    `json:"worktrees"`
	Tasks     map[string]int         `json:"tasks"`
	Active    []task.Task            `json:"active_tasks"`
	Agents    []overview.AgentStatus `json:"agents"`
	Landings  []land.Landing         `json:"landings"` // in the queue, and returned by it
	Conflicts *conflictsOutput       `json:"conflicts,omitempty"`
	Trial     *trial.Trial           `json:"trial,omitempty"` // the last one
	Spent     *spentToday            `json:"spent_today,omitempty"`
	Problem   string                 `json:"problem,omitempty"`
}

// spentToday is what agents took today in a repository, and each agent of the suite in words.
type spentToday struct {
	costs.Sum
	Agents map[string]string `json:"agents,omitempty"`
}

func addRepoStatus(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_repo_status", ReadOnly: true,
		Description: "One repository at a glance: worktrees, landings, task counts, running tasks, agents, and the deepest conflicts, scanned now.",
	}, func(ctx context.Context, c *mcpkit.Call, in repoInput) (repoState, error) {
		name, err := s.repoOf(ctx, c, in.Repo)
		if err != nil {
			return repoState{}, err
		}
		return s.state(ctx, name, true)
	})
}

func (s *service) state(ctx context.Context, name string, scan bool) (repoState, error) {
	now, err := s.stores.Overview.Status(ctx, name, scan)
	if err != nil {
		return repoState{}, err
	}
	r := repoState{
		Summary: now.Summary, Worktrees: make([]worktree.Worktree, min(len(now.Worktrees), worktreesPage)),
		Tasks: now.Tasks, Active: briefAll(now.Active), Agents: now.Agents, Trial: now.Trial, Problem: now.Problem,
	}
	for i := range r.Active {
		r.Active[i].Description = cut(text.FirstLine(r.Active[i].Description, listedTask+1), listedTask)
	}
	for i := range r.Worktrees {
		r.Worktrees[i] = briefTree(now.Worktrees[i].Worktree)
	}
	r.Landings = briefLandings(now.Landings[:min(len(now.Landings), worktreesPage)])
	if today, err := s.stores.Costs.Today(ctx, []string{now.Name}); err == nil && today.Total.Tokens.Total > 0 {
		r.Spent = &spentToday{Sum: today.Total, Agents: map[string]string{}}
		for name, one := range today.Agents {
			r.Spent.Agents[name] = one.Words()
		}
	}
	if now.Conflicts != nil {
		page, _ := conflictsOf(now.Conflicts, conflictsInput{}, glancePage)
		r.Conflicts = &page
	}
	return r, nil
}
