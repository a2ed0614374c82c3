// Package command is citecheck's command line: for each command the flags, an
// options struct, and a function that runs it. Commands hold no SQL and decide
// nothing that the MCP server decides too; both are faces of internal/check.
// It must not import mcpkit or mcpserver, whose start-up every command would
// pay for.
package command

import (
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output/jq"
	"github.com/spf13/cobra"
)

// Root builds the command tree for the arguments of a run, without opening a store.
func Root(env *cli.Env, args []string) *cobra.Command {
	return cli.Tree{
		Short:   "Check that what memories say about the code is still true",
		Example: "citecheck\ncitecheck instructions\ncitecheck adopt\ncitecheck verify-all\ncitecheck fix",
		JQ:      jq.Compile,
		Alone:   overview,
		Words:   map[string]string{"check": "verify-all", "list": "verify-all", "ls": "verify-all", "update": "fix", "repair": "fix"},
		Flags:   flagWords,
		Path:    "`citecheck` alone checks the project, `citecheck instructions FILE` one file that tells agents what to do",
		Instead: map[string]string{"verify-all .": checks, "run": checks, "scan": checks, "lint": checks, "validate": checks, "status": checks, "report": checks, "test": checks, "init": "nothing needs to be set up: `citecheck verify-all` checks what exists, `citecheck add` cites a place"},
		Sections: []cli.Section{
			{Title: "Checking", Commands: []cli.Entry{
				cli.Leaf("verify", newVerify, runVerify),
				cli.Leaf("verify-all", newVerifyAll, runVerifyAll),
				cli.Leaf("instructions", newInstructions, runInstructions),
				cli.Leaf("diff", newDiff, runDiff),
				cli.Leaf("filter", newFilter, runFilter),
				cli.Leaf("search", newSearch, runSearch),
				cli.Leaf("history", newHistory, runHistory),
				cli.Leaf("confirm", newConfirm, runVote),
				cli.Leaf("dispute", newDispute, runVote),
			}},
			{Title: "Writing citations", Commands: []cli.Entry{
				cli.Leaf("add", newAdd, runAdd),
				cli.Leaf("adopt", newAdopt, runAdopt),
				cli.Leaf("fix", newFix, runFix),
			}},
			{Title: "Memories and their links", Commands: []cli.Entry{
				cli.Leaf("graph", newGraph, runGraph),
				cli.Leaf("related", newRelated, runRelated),
				cli.Leaf("roots", newRoots, runRoots),
				cli.Leaf("health", newHealth, runHealth),
			}},
			{Title: "Hooks and CI", Commands: []cli.Entry{
				cli.Branch("hook", newHook),
				cli.Leaf("ci", newCI, runCI),
			}},
			{Title: "Set-up and care", Commands: []cli.Entry{
				cli.Serve(stores.Port),
				cli.Config(),
			}},
		},
	}.Root(env, args)
}

const (
	checks  = "`citecheck` alone checks the instructions for agents here, `citecheck verify-all` what memories cite"
	formats = "`citecheck ci --format sarif` has other formats, -o json works everywhere"
	written = "`citecheck fix` writes, unless --dry-run is given"
)

// flagWords returns flags that people try, with the sentence that names what there is.
func flagWords() map[string]string {
	return map[string]string{
		"--fix":                              "`citecheck fix` updates citations of code that moved",
		"--strict":                           checks,
		"--all":                              "`citecheck verify-all` checks all memories, `citecheck fix` mends all",
		"--verbose --debug":                  "did you mean --log-level debug?",
		"verify --format --output-format":    formats,
		"verify-all --format":                formats,
		"verify-all --changed --diff --base": "did you mean --since REVISION?",
		"verify-all --staged --cached":       "did you mean --index?",
		"ci --base --changed --diff":         "did you mean --since REVISION?",
		"fix --write --yes --force -y":       written,
		"add --text --code --content":        "did you mean --snippet?",
		"search --top --max":                 "did you mean --limit?",
		"instructions --format":              formats,
		"instructions --readme":              "did you mean --docs?",
	}
}
