package mcpserver

import (
	"regexp"
	"strings"
)

// oneTask matches the commands that show one task.
var oneTask = regexp.MustCompile("`agit tasks (show|explain) [^`]+`")

// hint translates a hint of the stores from commands to tools.
func hint(s string) string {
	return oneTask.ReplaceAllString(hints.Replace(s), "agit_list_tasks with its task_id")
}

// hints translates hints of the stores from commands to tools. Commands without a tool (doctor, restore, configuration) stay commands.
var hints = strings.NewReplacer(
	"`agit repos` lists", "agit_list_repos lists",
	"no repository is registered yet: `agit add PATH`", "no repository is registered yet: agit_add_repo registers one",
	"`agit add PATH` registers", "agit_add_repo registers",
	"`agit add NEWPATH` links", "agit_add_repo with its new path links",
	"--name NAME", "the parameter name",
	"for instance --name ", "for instance name ",
	"`agit tasks --all` lists them", "agit_list_tasks and pm_query_graph list them",
	"`agit epic list` lists them", "pm_query_graph lists them",
	"`agit bug list --all` lists them", "pm_query_graph lists them",
	"`agit scenario list` lists them", "pm_query_graph lists them",
	"`agit artifact list` lists them", "pm_query_graph lists them",
	"`agit tasks REPO` lists the open ones", "agit_list_tasks and pm_query_graph list the open ones",
	"take another one with `agit begin`", "agit_begin without one takes another",
	"`agit begin` takes the next one", "agit_begin takes the next one",
	"`agit begin` makes one; `agit tasks complete`, `agit tasks fail` and `agit tasks release` end a task without one",
	"agit_begin makes one; agit_complete_task, agit_fail_task and agit_update_task end a task without one",
	"commit what belongs to the task, or let --commit do it", "commit what belongs to the task, or give commit",
	"where nothing had to change, say so: `agit finish --no-changes --summary WHY`", "where nothing had to change, give the status no_changes and a summary",
	"leave out --no-changes to", "give the status done to",
	"give one with --summary WHY", "give one in summary",
	"name one of `agit status`", "name one of agit_list_worktrees",
	"take another one with `agit next`", "take another one, from agit_list_tasks or with pm_get_next_task",
	"with --agent NAME", "in agent_id or agentName",
	"give --agent NAME, or set AGIT_AGENT", "name it in agent_id or agentName, or register with agit_register_agent first",
	"name the agent with --agent NAME, or give the claim token", "name it in agent_id or agentName, or give claim_token",
	"`agit status` lists", "agit_list_worktrees lists",
	"`agit spawn REPO` makes one", "agit_spawn_worktree makes one",
	"`agit merge` merges it", "agit_merge_worktree merges it",
	"`agit agents` lists the registered ones", "the resource agit://agents lists the registered ones",
)
