// Package command is citecheck's command line: for each command the flags, an
// options struct, and a function that runs it. Commands hold no SQL and decide
// nothing that the MCP server decides too; both are faces of internal/check.
// It must not import mcpkit or mcpserver, whose start-up every command would
// pay for.
package command

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
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
	root := cli.NewRoot(env, "Check that what memories say about the code is still true",
		cli.Group{ID: groupCheck, Title: "Checking"},
		cli.Group{ID: groupWrite, Title: "Writing citations"},
		cli.Group{ID: groupGraph, Title: "Memories and their links"},
		cli.Group{ID: groupCI, Title: "Hooks and CI"},
		cli.Group{ID: groupCare, Title: "Set-up and care"},
	)
	all := commands(env)
	if len(args) > 0 {
		if i := slices.IndexFunc(all, func(c command) bool { return c.name == args[0] }); i >= 0 {
			all = all[i : i+1]
		}
	}
	for _, c := range all {
		made := c.make()
		made.GroupID = c.group
		root.AddCommand(made)
	}
	return root
}

// command is one that `citecheck --help` lists.
type command struct {
	group, name string
	make        func() *cobra.Command
}

func commands(env *cli.Env) []command {
	return []command{
		{groupCheck, "verify", func() *cobra.Command { return newVerify(env, runVerify) }},
		{groupCheck, "verify-all", func() *cobra.Command { return newVerifyAll(env, runVerifyAll) }},
		{groupCheck, "diff", func() *cobra.Command { return newDiff(env, runDiff) }},
		{groupCheck, "filter", func() *cobra.Command { return newFilter(env, runFilter) }},
		{groupCheck, "search", func() *cobra.Command { return newSearch(env, runSearch) }},
		{groupCheck, "history", func() *cobra.Command { return newHistory(env, runHistory) }},
		{groupCheck, "confirm", func() *cobra.Command { return newConfirm(env, runVote) }},
		{groupCheck, "dispute", func() *cobra.Command { return newDispute(env, runVote) }},
		{groupWrite, "add", func() *cobra.Command { return newAdd(env, runAdd) }},
		{groupWrite, "adopt", func() *cobra.Command { return newAdopt(env, runAdopt) }},
		{groupWrite, "fix", func() *cobra.Command { return newFix(env, runFix) }},
		{groupGraph, "graph", func() *cobra.Command { return newGraph(env, runGraph) }},
		{groupGraph, "related", func() *cobra.Command { return newRelated(env, runRelated) }},
		{groupGraph, "roots", func() *cobra.Command { return newRoots(env, runRoots) }},
		{groupGraph, "health", func() *cobra.Command { return newHealth(env, runHealth) }},
		{groupCI, "hook", func() *cobra.Command { return newHook(env) }},
		{groupCI, "ci", func() *cobra.Command { return newCI(env, runCI) }},
		{groupCare, "serve", func() *cobra.Command { return cli.ServeCommand(env, "citecheck-mcp", stores.Port) }},
		{groupCare, "config", func() *cobra.Command { return cli.ConfigCommand(env) }},
	}
}
