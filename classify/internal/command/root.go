// Package command is classify's command line: for each command the flags, an
// options struct, and a function that runs it. Commands hold no SQL and decide
// nothing that the MCP server decides too; both are faces of the same catalogue.
// It must not import mcpkit or mcpserver, whose start-up every command would pay
// for.
package command

import (
	"github.com/agit-suite/agit/classify/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output/jq"
	"github.com/spf13/cobra"
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

// flagWords returns flags that people try, with the sentence that names what there is.
func flagWords() map[string]string {
	return map[string]string{
		"--verbose --debug":               "did you mean --log-level debug?",
		"--format":                        "did you mean -o, as in -o json?",
		"init --recursive --all -r":       "`classify init DIR...` profiles several folders; packages of a repository are found by themselves",
		"init --write --agents":           "did you mean --write-agents-md?",
		"similar --top --max --count":     "did you mean --limit?",
		"similar --threshold --min":       "did you mean --min-score?",
		"list --lang":                     "did you mean --language?",
		"list --type --kind":              "did you mean --framework?",
		"list --uses --package --depends": "did you mean --dependency?",
	}
}
