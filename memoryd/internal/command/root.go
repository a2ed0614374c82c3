// Package command is memoryd's command line: for each command the flags, an
// options struct, and a function that runs it. Commands hold no SQL and decide
// nothing that the MCP server decides too; both are faces of the same stores.
// It must not import mcpkit or mcpserver, whose start-up every command would
// pay for.
package command

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output/jq"
)

// The groups of `memoryd --help`.
const (
	groupSessions = "sessions"
	groupMemory   = "memory"
	groupRecords  = "records"
	groupCare     = "care"
)

// Root builds the command tree for the arguments of a run; it opens nothing. When
// they begin with the name of a command only that one is made: all of them, with
// their flags, take as long as a query.
func Root(env *cli.Env, args []string) *cobra.Command {
	env.JQ = jq.Compile
	root := cli.NewRoot(env, "Keep agents' sessions, long-term memory and records",
		cli.Group{ID: groupSessions, Title: "Sessions"},
		cli.Group{ID: groupMemory, Title: "Memory"},
		cli.Group{ID: groupRecords, Title: "Agents' records"},
		cli.Group{ID: groupCare, Title: "Set-up and care"},
	)
	root.Example = "memoryd session start --agent ann\nmemoryd remember \"Dates are stored in UTC\" --key utc-dates\nmemoryd recall \"in which zone do we keep dates?\""
	cli.AddLazy(root, args, slices.Concat(sessionCommands(env), memoryCommands(env), recordCommands(env), careCommands(env)))
	return root
}

func careCommands(env *cli.Env) []cli.LazyCommand {
	return []cli.LazyCommand{
		cli.Lazy(groupCare, "hook", func() *cobra.Command { return newHook(env) }),
		cli.Lazy(groupCare, "serve", func() *cobra.Command { return cli.ServeCommand(env, stores.Port) }),
		cli.Lazy(groupCare, "config", func() *cobra.Command { return cli.ConfigCommand(env) }),
	}
}

// newHook groups what git and the clients of agents run by themselves.
func newHook(env *cli.Env) *cobra.Command {
	cmd := cli.Parent(&cobra.Command{
		Use:   "hook",
		Short: "What hooks of git and of agents' clients run; never fails its caller",
	}, slices.Concat(sessionHooks(env), recordHooks(env))...)
	known := cmd.RunE
	cmd.RunE = func(c *cobra.Command, args []string) error {
		if err := known(c, args); err != nil {
			env.Streams.Notice("%v", err)
		}
		return nil
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		env.Streams.Notice("%v", err) // a hook written wrongly must not stop a commit
		return nil
	})
	return cmd
}
