package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
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

func addPrompts(s *service) {
	repo := mcpkit.Arg{Name: "repo", Description: "Repository name", Required: true, Complete: s.repoNames}
	s.MCP.AddPrompt(mcpkit.Prompt{
		Name: "orchestrate", Title: "Split a goal over several agents",
		Description: "Plan tasks for a goal, give each agent one, watch conflicts, land the work.",
		Args:        []mcpkit.Arg{repo, {Name: "goal", Description: "What is to be achieved", Required: true}},
	}, s.orchestrate)
	s.MCP.AddPrompt(mcpkit.Prompt{
		Name: "work_on_task", Title: "Work on one task",
		Description: "Begin a task, work in a worktree of its own, finish it.",
		Args:        []mcpkit.Arg{repo, {Name: "task_id", Description: "The task; the first pending one by default", Complete: s.taskIDs}},
	}, s.workOnTask)
	s.MCP.AddPrompt(mcpkit.Prompt{
		Name: "resolve_conflicts", Title: "Settle conflicts between worktrees",
		Description: "The conflicts there are now, and how to settle them before they are merged.",
		Args:        []mcpkit.Arg{repo},
	}, s.resolveConflicts)
}

func (s *service) orchestrate(ctx context.Context, c *mcpkit.Call, args map[string]string) ([]mcpkit.Content, error) {
	state, err := s.stores.Overview.Status(ctx, args["repo"], false)
	if err != nil {
		return nil, err
	}
	return []mcpkit.Content{mcpkit.TextContent(fmt.Sprintf(`Goal for the repository %q: %s

Worktrees there: %d. Tasks by status: %s.

1. Split the goal into tasks that touch different files where that is possible; name the files in each description, since agit judges from them what can run in parallel. Create each with agit_create_task.
2. For every agent you start: agit_begin with the agent's name, and the task's id where it matters. Hand it the brief: it works only inside the path there, and commits.
3. While they work, call agit_check_conflicts. Where two worktrees conflict at depth merge or lines, tell the later one to wait or to work on other files.
4. When an agent is done, agit_finish with its worktree's id and a summary; what waits for review after that is a person's to accept. A refusal names the files and the other worktree: have the agent merge the default branch into its branch, settle it, commit, and finish again.
5. Stop when agit_list_tasks shows nothing open.`, state.Name, args["goal"], len(state.Worktrees), compact(state.Tasks)))}, nil
}

func (s *service) workOnTask(ctx context.Context, c *mcpkit.Call, args map[string]string) ([]mcpkit.Content, error) {
	r, err := s.stores.Repos.Get(ctx, args["repo"])
	if err != nil {
		return nil, err
	}
	what, begin := "the next ready task.", "agit_begin"
	if args["task_id"] != "" {
		page, err := s.wholeTask(ctx, c, listTasksInput{Repo: r.Name, TaskID: args["task_id"]})
		if err != nil {
			return nil, err
		}
		what = fmt.Sprintf("task %s:\n\n%s", page.Tasks[0].ID, page.Tasks[0].Description)
		begin += " with the task's id"
	}
	return []mcpkit.Content{mcpkit.TextContent(fmt.Sprintf(`In the repository %q, work on %s

1. agit_register_agent, then %s. If the claim is refused, begin another task.
2. Do what the brief says. Read and edit only inside the path there.
3. agit_check_conflicts before you edit, and again before you commit.
4. Commit everything, then agit_finish with a summary. If the work cannot be done, agit_finish with status failed and the reason.`, r.Name, what, begin))}, nil
}

func (s *service) resolveConflicts(ctx context.Context, c *mcpkit.Call, args map[string]string) ([]mcpkit.Content, error) {
	report, err := s.conflicts(ctx, c, conflictsInput{Repo: args["repo"]}, conflictsPage)
	if err != nil {
		return nil, err
	}
	rest := ""
	if len(report.Skipped) > 0 {
		rest = fmt.Sprintf(" These worktrees were not scanned, so that their conflicts are not known: %s. Tell the person; `agit doctor` shows what is wrong with them.", compact(report.Skipped))
	}
	if report.MergeUnavailable != "" {
		rest += fmt.Sprintf(" Not every merge was tried: %s.", report.MergeUnavailable)
	}
	if len(report.Conflicts) == 0 {
		return []mcpkit.Content{mcpkit.TextContent(fmt.Sprintf("No worktrees of %q conflict (%d were compared).%s", report.Repo, report.ScannedWorktrees, cmp.Or(rest, " Nothing is to be done.")))}, nil
	}
	return []mcpkit.Content{mcpkit.TextContent(fmt.Sprintf(`These are the conflicts between the worktrees of %q now, uncommitted work included:

%s

Shown are %d of %d, the deepest first.%s For each file decide which worktree is merged first (the one that is closer to done), and what the other has to change: usually to merge the default branch after the first is in, settle the file, and commit. Conflicts at depth file may merge by themselves. Then call agit_merge_worktree in that order, and agit_check_conflicts after each.`,
		report.Repo, compact(report.Conflicts), len(report.Conflicts), report.Total, rest))}, nil
}

// taskIDs offers the open tasks of the chosen repository, or of all while none is chosen.
func (s *service) taskIDs(ctx context.Context, prefix string, others map[string]string) (ids []string, err error) {
	const most = 1000
	page, err := s.stores.Tasks.List(ctx, task.Filter{Repo: others["repo"], Limit: most})
	if fault.Is(err, fault.KindNotFound) {
		return nil, nil // that repository has none
	}
	for _, t := range page.Tasks {
		if strings.HasPrefix(text.Key(t.ID), text.Key(prefix)) {
			ids = append(ids, t.ID)
		}
	}
	return ids, err
}

// compact is a value as JSON, which models read well.
func compact(v any) string {
	encoded, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(encoded)
}
