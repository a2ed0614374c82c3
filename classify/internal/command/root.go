// Package command is classify's command line: for each command the flags, an
// options struct, and a function that runs it. Commands hold no SQL and decide
// nothing that the MCP server decides too; both are faces of the same catalogue.
// It must not import mcpkit or mcpserver, whose start-up every command would pay
// for.
package command

import (
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/classify/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output/jq"
)

// The groups of `classify --help`.
const (
	groupProfile = "profiles"
	groupCompare = "compare"
	groupCare    = "care"
)

// Root builds the command tree for the arguments of a run; it opens nothing. When
// they begin with the name of a command only that one is made.
func Root(env *cli.Env, args []string) *cobra.Command {
	env.JQ = jq.Compile
	root := cli.NewRoot(env, "Say what projects are, and which ones are alike",
		cli.Group{ID: groupProfile, Title: "Profiles"},
		cli.Group{ID: groupCompare, Title: "Comparing"},
		cli.Group{ID: groupCare, Title: "Set-up and care"},
	)
	root.Example = "classify init .\nclassify similar\nclassify explain"
	cli.AddLazy(root, args, commands(env))
	return root
}

func commands(env *cli.Env) []cli.LazyCommand {
	return []cli.LazyCommand{
		cli.Lazy(groupProfile, "init", func() *cobra.Command { return newInit(env) }),
		cli.Lazy(groupProfile, "show", func() *cobra.Command { return newShow(env) }),
		cli.Lazy(groupProfile, "list", func() *cobra.Command { return newList(env) }),
		cli.Lazy(groupProfile, "search", func() *cobra.Command { return newSearch(env) }),
		cli.Lazy(groupProfile, "forget", func() *cobra.Command { return newForget(env) }),
		cli.Lazy(groupCompare, "similar", func() *cobra.Command { return newSimilar(env) }),
		cli.Lazy(groupCompare, "explain", func() *cobra.Command { return newExplain(env) }),
		cli.Lazy(groupCare, "serve", func() *cobra.Command { return cli.ServeCommand(env, stores.Port) }),
		cli.Lazy(groupCare, "config", func() *cobra.Command { return cli.ConfigCommand(env) }),
	}
}
