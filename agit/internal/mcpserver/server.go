// Package mcpserver is agit's MCP server: one file a tool, the resources, and
// the prompts an orchestrator wants. Tools are thin faces of the same stores as
// the command line; they hold no SQL and never run agit again.
//
// What the server is made of (schemas, validation, transports, sessions) is
// shared/mcpkit's.
package mcpserver

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/mcpkit"
)

const instructions = `agit coordinates several coding agents in one git repository: each works in a worktree of its own.
Work in this order: agit_register_agent once; agit_list_tasks, then agit_claim_task; agit_spawn_worktree with the task's id and edit only inside its path; agit_check_conflicts before and while editing; commit; agit_merge_worktree, which completes the task.
A repo is named as in agit_list_repos. A refused call says what to do next.`

// coreTools are what an agent uses in its loop; the rest is an orchestrator's.
var coreTools = []string{
	"agit_list_tasks", "agit_claim_task", "agit_complete_task", "agit_spawn_worktree",
	"agit_check_conflicts", "agit_merge_worktree",
}

// readers is how many reads of the registry run at once: tool calls are short,
// and every reader keeps a page cache of its own.
const readers = 3

// Root is the command line of the server program: the flags of `agit serve`.
func Root(env *cli.Env) *cobra.Command {
	return cli.NewServer(env, "Serve agit to MCP clients (started by agit serve)", stores.Port,
		func(ctx context.Context, o *cli.ServeOptions) error { return serve(ctx, env, o) })
}

func serve(ctx context.Context, env *cli.Env, o *cli.ServeOptions) error {
	env.Readers = readers
	st, err := stores.Open(ctx, env, env.Streams.ErrWriter())
	if err != nil {
		return err
	}
	s := newService(env, st)
	if err := s.mcp.Select(o.Tools, o.ReadOnly); err != nil {
		return err
	}
	if o.Transport == cli.Stdio {
		ctx, stop := context.WithCancel(ctx)
		defer s.claims.renewing(ctx, st)()
		defer stop()
	}
	return s.mcp.Serve(ctx, mcpkit.ServeOptions{
		Transport: o.Transport, Port: o.ListenPort(st.Config.Server.Port),
		Listening: func(url string) { env.Streams.Notice("listening on %s", url) },
	})
}

// service is what the tools work with.
type service struct {
	env    *cli.Env
	stores *stores.Stores
	mcp    *mcpkit.Server
	claims claims
}

func newService(env *cli.Env, st *stores.Stores) *service {
	s := &service{env: env, stores: st}
	s.mcp = mcpkit.New(
		mcpkit.Info{Name: "agit", Title: "agit", Version: env.Version, Instructions: instructions},
		mcpkit.Options{Logger: env.Logger(), Sets: map[string][]string{"core": coreTools}},
	)
	for _, add := range []func(*service){
		addListRepos, addAddRepo, addRepoStatus, addSpawnWorktree, addListWorktrees, addRemoveWorktree, addMergeWorktree,
		addCheckConflicts, addListTasks, addCreateTask, addClaimTask, addCompleteTask, addFailTask,
		addRegisterAgent, addHeartbeat, addResources, addPrompts,
	} {
		add(s)
	}
	return s
}

// agentOf is the agent a call is booked on: the one it names, else the one
// registered in this session, else AGIT_AGENT, else client and session.
func (s *service) agentOf(c *mcpkit.Call, given string) string {
	for _, name := range []string{given, c.Session().Agent(), s.env.Getenv("AGIT_AGENT")} {
		if name != "" {
			c.BookedOn(name)
			return name
		}
	}
	client, _ := c.Session().Client()
	if client == "" {
		client = "client"
	}
	name := strings.ToLower(strings.Join(strings.Fields(client), "-")) + "-" + strings.ToLower(c.Session().ID()[:6])
	c.BookedOn(name)
	return name
}

// knownAgent is agentOf for calls that need not be booked on anybody: "" when
// nobody was named or registered.
func (s *service) knownAgent(c *mcpkit.Call, given string) string {
	for _, name := range []string{given, c.Session().Agent(), s.env.Getenv("AGIT_AGENT")} {
		if name != "" {
			c.BookedOn(name)
			return name
		}
	}
	return ""
}
