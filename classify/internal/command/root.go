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

// Root builds the command tree for the arguments of a run, without opening a store.
func Root(env *cli.Env, args []string) *cobra.Command {
	return cli.Tree{
		Short:   "Find out what projects are, and which ones are alike",
		Example: "classify init .\nclassify similar\nclassify explain",
		JQ:      jq.Compile,
		Folder:  "init",
		Flags:   flagWords,
		Words:   map[string]string{"detect": "init", "profile": "init", "scan": "init", "analyze": "init", "analyse": "init", "run": "init", "ls": "list", "info": "show", "get": "show", "rm": "forget", "delete": "forget"},
		Sections: []cli.Section{
			{Title: "Profiles", Commands: []cli.Entry{
				cli.Leaf("init", newInit, runInit),
				cli.Leaf("show", newShow, runShow),
				cli.Leaf("list", newList, runList),
				cli.Leaf("search", newSearch, runSearch),
				cli.Leaf("forget", newForget, runForget),
			}},
			{Title: "Comparing", Commands: []cli.Entry{
				cli.Leaf("similar", newSimilar, runSimilar),
				cli.Leaf("explain", newExplain, runExplain),
			}},
			{Title: "Set-up and care", Commands: []cli.Entry{cli.Serve(stores.Port), cli.Config()}},
		},
	}.Root(env, args)
}
