// Package command is citecheck's command line: for each command the flags, an
// options struct, and a function that runs it. Commands hold no SQL and decide
// nothing that the MCP server decides too; both are faces of internal/check.
// It must not import mcpkit or mcpserver, whose start-up every command would
// pay for.
package command

import (
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output/jq"
)

// The groups of `citecheck --help`.
const (
	groupCheck = "check"
	groupWrite = "write"
	groupGraph = "graph"
	groupCI    = "ci"
	groupCare  = "care"
)

// Root builds the command tree for the arguments of a run; it opens nothing. When
// they begin with the name of a command only that one is made.
func Root(env *cli.Env, args []string) *cobra.Command {
	env.JQ = jq.Compile
	root := cli.NewRoot(env, "Check that what memories say about the code is still true",
		cli.Group{ID: groupCheck, Title: "Checking"},
		cli.Group{ID: groupWrite, Title: "Writing citations"},
		cli.Group{ID: groupGraph, Title: "Memories and their links"},
		cli.Group{ID: groupCI, Title: "Hooks and CI"},
		cli.Group{ID: groupCare, Title: "Set-up and care"},
	)
	root.Example = "citecheck adopt\ncitecheck verify-all\ncitecheck fix"
	cli.AddLazy(root, args, commands(env))
	return root
}

func commands(env *cli.Env) []cli.LazyCommand {
	return []cli.LazyCommand{
		cli.Lazy(groupCheck, "verify", func() *cobra.Command { return newVerify(env) }),
		cli.Lazy(groupCheck, "verify-all", func() *cobra.Command { return newVerifyAll(env) }),
		cli.Lazy(groupCheck, "diff", func() *cobra.Command { return newDiff(env) }),
		cli.Lazy(groupCheck, "filter", func() *cobra.Command { return newFilter(env) }),
		cli.Lazy(groupCheck, "search", func() *cobra.Command { return newSearch(env) }),
		cli.Lazy(groupCheck, "history", func() *cobra.Command { return newHistory(env) }),
		cli.Lazy(groupCheck, "confirm", func() *cobra.Command { return newConfirm(env) }),
		cli.Lazy(groupCheck, "dispute", func() *cobra.Command { return newDispute(env) }),
		cli.Lazy(groupWrite, "add", func() *cobra.Command { return newAdd(env) }),
		cli.Lazy(groupWrite, "adopt", func() *cobra.Command { return newAdopt(env) }),
		cli.Lazy(groupWrite, "fix", func() *cobra.Command { return newFix(env) }),
		cli.Lazy(groupGraph, "graph", func() *cobra.Command { return newGraph(env) }),
		cli.Lazy(groupGraph, "related", func() *cobra.Command { return newRelated(env) }),
		cli.Lazy(groupGraph, "roots", func() *cobra.Command { return newRoots(env) }),
		cli.Lazy(groupGraph, "health", func() *cobra.Command { return newHealth(env) }),
		cli.Lazy(groupCI, "hook", func() *cobra.Command { return newHook(env) }),
		cli.Lazy(groupCI, "ci", func() *cobra.Command { return newCI(env) }),
		cli.Lazy(groupCare, "serve", func() *cobra.Command { return cli.ServeCommand(env, stores.Port) }),
		cli.Lazy(groupCare, "config", func() *cobra.Command { return cli.ConfigCommand(env) }),
	}
}
