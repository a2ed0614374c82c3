package mcpserver

import "strings"

// hints says in tools what the stores say in commands. What no tool does
// (doctor, restore, configuration) stays a command.
var hints = strings.NewReplacer(
	"`agit repos` lists", "agit_list_repos lists",
	"no repository is registered yet: `agit add PATH`", "no repository is registered yet: agit_add_repo registers one",
	"`agit add PATH` registers", "agit_add_repo registers",
	"`agit add NEWPATH` links", "agit_add_repo with its new path links",
	"--name NAME", "the parameter name",
	"for instance --name ", "for instance name ",
	"`agit tasks REPO` lists the open ones", "agit_list_tasks and pm_query_graph list the open ones",
	"take another one with --next", "take another one, from agit_list_tasks or with pm_get_next_task",
	"with --agent NAME", "in agent_id or agentName",
	"give --agent NAME (over MCP the parameter agent, or register first), or set AGIT_AGENT", "name it in agent_id or agentName, or register with agit_register_agent first",
	"`agit status` lists", "agit_list_worktrees lists",
	"`agit spawn REPO` makes one", "agit_spawn_worktree makes one",
	"`agit merge` merges it", "agit_merge_worktree merges it",
	"`agit agents` lists the registered ones", "the resource agit://agents lists the registered ones",
)
