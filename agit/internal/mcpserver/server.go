// Package mcpserver is agit's MCP server: the tools by concern, the resources, and
// the prompts an orchestrator wants. Tools are thin faces of the same stores as
// the command line; they hold no SQL and never run agit again. The parts that
// all servers share are in shared/mcpkit and shared/mcpkit/server.
package mcpserver

import (
	"context"
	"regexp"
	"strings"
	"sync"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/server"
)

// The texts that clients give a model about the server; every conversation pays for them.
const (
	instructions = `agit coordinates several coding agents in one git repository: each works in a worktree of its own.
Work in this order: agit_begin claims the next ready task, makes its worktree and returns a brief: do what it says, only inside its path; agit_claim_files and agit_check_conflicts before and while editing; agit_finish when it is done, or to give it back; then agit_begin again, until its task is null.
Only the agent that claimed a task, or who has its claim_token, changes it.
A repo is named as in agit_list_repos; left out, it is the one the server stands in. A refused call says what to do next.`
	readInstructions = `agit coordinates several coding agents in one git repository: each works in a worktree of its own.
This server only looks: agit_list_repos names the repositories, agit_repo_status says how one stands, agit_check_conflicts which worktrees get in each other's way.`
)

// Server is what `agit serve` starts.
var Server = server.Spec[*service]{
	Name: "agit", Port: stores.Port, Instructions: instructions, ReadOnlyInstructions: readInstructions,
	Core: []string{ // the rest is an orchestrator's
		"agit_begin", "agit_finish", "agit_list_repos", "agit_create_task", "pm_report_progress",
		"agit_check_conflicts", "agit_claim_files",
	},
	Hint: hint, Readers: 5,
	Open: open, While: (*service).renewClaims,
	Offers: []func(*service){
		addBegin, addFinish, addListRepos, addAddRepo, addRepoStatus, addSpawnWorktree, addListWorktrees, addRemoveWorktree, addMergeWorktree,
		addCheckConflicts, addClaimFiles, addListTasks, addCreateTask, addClaimTask, addUpdateTask, addCompleteTask, addFailTask,
		addRegisterAgent, addHeartbeat,
		addGetNextTask, addReportProgress, addPMCreateTask, addReportBug, addResolveBug, addProjectStatus, addQueryGraph,
		addCreateProject, addCreateEpic, addRecordScenario, addResources, addPrompts,
	},
}

// service is what the tools work with.
type service struct {
	*server.Base
	stores *stores.Stores
	claims claims
	partly sync.Map // ids of repositories last scanned less deep than the watch needs
}

func open(ctx context.Context, b *server.Base) (*service, error) {
	st, err := stores.Open(ctx, b.Env, b.Env.Streams.ErrWriter())
	if err != nil {
		return nil, err
	}
	if b.Transport != mcpkit.Stdio { // clients stand elsewhere than the server
		st.Worktrees.Nowhere()
	}
	return &service{Base: b, stores: st}, nil
}

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
	"`agit tasks` lists the open ones", "agit_list_tasks and pm_query_graph list the open ones",
	"`agit begin` with it, in", "agit_begin with it as task_id, in",
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
	"`agit spawn` makes one", "agit_spawn_worktree makes one",
	"`agit merge` merges it", "agit_merge_worktree merges it",
	"`agit agents` lists the registered ones", "the resource agit://agents lists the registered ones",
)
