// Package command is pmsync's command line: for each command the flags, an options
// struct, and a function that runs it. Commands hold no SQL and decide nothing
// that the MCP server decides too; both are faces of the same stores. It must not
// import mcpkit or mcpserver, whose start-up every command would pay for.
package command

import (
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output/jq"
)

// The groups of `pmsync --help`.
const (
	groupNext    = "next"
	groupTickets = "tickets"
	groupTracker = "tracker"
	groupCare    = "care"
)

// Root builds the command tree for the arguments of a run; it opens nothing. When
// they begin with the name of a command only that one is made.
func Root(env *cli.Env, args []string) *cobra.Command {
	env.JQ = jq.Compile
	root := cli.NewRoot(env, "Keep tickets, plans and acceptance criteria, and say what is ready",
		cli.Group{ID: groupNext, Title: "What to do"},
		cli.Group{ID: groupTickets, Title: "Tickets and plans"},
		cli.Group{ID: groupTracker, Title: "Linear, Jira, Asana and Azure DevOps"},
		cli.Group{ID: groupCare, Title: "Set-up and care"},
	)
	root.Example = "pmsync ticket import issues.csv\npmsync connect linear --team SEM\npmsync ready\npmsync suggest"
	cli.AddLazy(root, args, commands(env))
	return root
}

func commands(env *cli.Env) []cli.LazyCommand {
	return []cli.LazyCommand{
		cli.Lazy(groupNext, "ready", func() *cobra.Command { return newReady(env) }),
		cli.Lazy(groupNext, "suggest", func() *cobra.Command { return newSuggest(env) }),
		cli.Lazy(groupNext, "sprint", func() *cobra.Command { return newSprint(env) }),
		cli.Lazy(groupTickets, "ticket", func() *cobra.Command { return newTicket(env) }),
		cli.Lazy(groupTickets, "ac", func() *cobra.Command { return newAC(env) }),
		cli.Lazy(groupTickets, "plan", func() *cobra.Command { return newPlan(env) }),
		cli.Lazy(groupTickets, "dep", func() *cobra.Command { return newDep(env) }),
		cli.Lazy(groupTracker, "connect", func() *cobra.Command { return newConnect(env) }),
		cli.Lazy(groupTracker, "pull", func() *cobra.Command { return newPull(env) }),
		cli.Lazy(groupTracker, "push", func() *cobra.Command { return newPush(env) }),
		cli.Lazy(groupTracker, "sync", func() *cobra.Command { return newSync(env) }),
		cli.Lazy(groupTracker, "status", func() *cobra.Command { return newStatus(env) }),
		cli.Lazy(groupTracker, "conflicts", func() *cobra.Command { return newConflicts(env) }),
		cli.Lazy(groupTracker, "resolve", func() *cobra.Command { return newResolve(env) }),
		cli.Lazy(groupTracker, "watch", func() *cobra.Command { return newWatch(env) }),
		cli.Lazy(groupTracker, "providers", func() *cobra.Command { return newProviders(env) }),
		cli.Lazy(groupCare, "me", func() *cobra.Command { return newMe(env) }),
		cli.Lazy(groupCare, "serve", func() *cobra.Command { return cli.ServeCommand(env, stores.Port) }),
		cli.Lazy(groupCare, "config", func() *cobra.Command { return cli.ConfigCommand(env) }),
	}
}
