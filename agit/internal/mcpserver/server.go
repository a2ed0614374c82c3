// Package mcpserver is agit's MCP server: one file a tool, the resources, and
// the prompts an orchestrator wants. Tools are thin faces of the same stores as
// the command line; they hold no SQL and never run agit again.
//
// What the server is made of (schemas, validation, transports, sessions) is
// shared/mcpkit's.
package mcpserver

import (
	"context"
	"sync"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

// What clients tell a model about the server; every conversation pays for it.
const (
	instructions = `agit coordinates several coding agents in one git repository: each works in a worktree of its own.
Work in this order: agit_register_agent once; pm_get_next_task claims the next ready task; agit_spawn_worktree with its id, and edit only inside its path; agit_claim_files and agit_check_conflicts before and while editing; commit; agit_merge_worktree, which completes the task. pm_report_progress says how it goes where nothing is merged.
Only the agent that claimed a task, or who has its claim_token, changes it.
A repo is named as in agit_list_repos; left out, it is the one the server stands in. A refused call says what to do next.`
	readInstructions = `agit coordinates several coding agents in one git repository: each works in a worktree of its own.
This server only looks: agit_list_repos names the repositories, agit_repo_status says how one stands, agit_check_conflicts which worktrees get in each other's way.`
)

// coreTools are what an agent uses in its loop; the rest is an orchestrator's.
var coreTools = []string{
	"agit_register_agent", "agit_list_repos", "agit_create_task", "pm_get_next_task", "pm_report_progress",
	"agit_spawn_worktree", "agit_check_conflicts", "agit_claim_files", "agit_merge_worktree",
}

// readers is how many reads of the registry run at once: tool calls are short,
// and every reader keeps a page cache of its own.
const readers = 5

// Root is the command line of the server program: the flags of `agit serve`.
func Root(env *cli.Env) *cli.Command {
	return cli.NewServer(env, "Serve agit to MCP clients (started by agit serve)", stores.Port,
		func(ctx context.Context, o *cli.ServeOptions) error { return serve(ctx, env, o) })
}

func serve(ctx context.Context, env *cli.Env, o *cli.ServeOptions) error {
	env.Readers = readers
	st, err := stores.Open(ctx, env, env.Streams.ErrWriter())
	if err != nil {
		return err
	}
	if o.Transport != cli.Stdio { // clients stand elsewhere than the server
		st.Worktrees = st.Worktrees.Nowhere()
	}
	s := newService(env, st, o.ReadOnly)
	if err := s.mcp.Select(o.Tools, o.ReadOnly); err != nil {
		return err
	}
	if o.Transport == cli.Stdio {
		ctx, stop := context.WithCancel(ctx)
		defer s.renewing(ctx)()
		defer stop()
	}
	return s.mcp.Serve(ctx, mcpkit.ServeOptions{
		Transport: o.Transport, Port: o.ListenPort(st.Config.Server.Port),
		TokenFile: cli.TokenFile(st.Config.Home()), Listening: env.Listening,
	})
}

// service is what the tools work with.
type service struct {
	env    *cli.Env
	stores *stores.Stores
	desk   booking.Desk
	mcp    *mcpkit.Server
	claims claims
	partly sync.Map // ids of repositories last scanned less deep than the watch needs
}

func newService(env *cli.Env, st *stores.Stores, readOnly bool) *service {
	s := &service{env: env, stores: st, desk: booking.Desk{DB: st.DB, Getenv: env.Getenv, Dir: env.Dir}}
	told := instructions
	if readOnly {
		told = readInstructions
	}
	s.mcp = mcpkit.New(
		mcpkit.Info{Name: "agit", Title: "agit", Version: env.Version, Instructions: told},
		mcpkit.Options{Logger: env.Logger(), Sets: map[string][]string{"core": coreTools}, Quiet: s.rest, Hint: hint},
	)
	for _, register := range []func(*service){
		addListRepos, addAddRepo, addRepoStatus, addSpawnWorktree, addListWorktrees, addRemoveWorktree, addMergeWorktree,
		addCheckConflicts, addClaimFiles, addListTasks, addCreateTask, addClaimTask, addUpdateTask, addCompleteTask, addFailTask,
		addRegisterAgent, addHeartbeat,
		addGetNextTask, addReportProgress, addPMCreateTask, addReportBug, addResolveBug, addProjectStatus, addQueryGraph,
		addCreateProject, addCreateEpic, addRecordScenario, addResources, addPrompts,
	} {
		register(s)
	}
	return s
}

// rest returns what the registry's connections cache.
func (s *service) rest() { mcpkit.RestRegistry(s.stores.DB, s.env.Logger()) }
