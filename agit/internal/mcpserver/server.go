// Package mcpserver is agit's MCP server: the tools by concern, the resources, and
// the prompts an orchestrator wants. Tools are thin faces of the same stores as
// the command line; they hold no SQL and never run agit again. The parts that
// all servers share are in shared/mcpkit and shared/mcpkit/server.
package mcpserver

import (
	"context"
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
