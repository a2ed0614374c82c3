// Package command is memoryd's command line: for each command the flags, an
// options struct, and a function that runs it. Commands hold no SQL and decide
// nothing that the MCP server decides too; both are faces of the same stores.
// It must not import mcpkit or mcpserver, whose start-up every command would
// pay for.
package command

import (
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output/jq"
)

const shows = "did you mean `memoryd recall \"…\"`, `memoryd session show` or `memoryd agent sheet NAME`?"

// Root builds the command tree for the arguments of a run, without opening a store.
func Root(env *cli.Env, args []string) *cobra.Command {
	return cli.Tree{
		Short:   "Keep agents' sessions, long-term memory and records",
		Example: "memoryd session start --agent ann\nmemoryd remember \"Dates are stored in UTC\" --key utc-dates\nmemoryd recall \"how do we store dates?\"",
		JQ:      jq.Compile,
		Flags:   flagWords,
		Words:   map[string]string{"search": "recall", "find": "recall", "list": "recall", "ls": "recall", "add": "remember", "store": "remember", "save": "remember", "delete": "forget", "rm": "forget", "remove": "forget", "query": "recall", "edit": "update", "end": "session end", "ask": "recall", "dump": "export", "backup": "export"},
		Instead: map[string]string{
			"show": shows, "get": shows, "note": "`memoryd remember TEXT` keeps a memory, `memoryd session note TEXT` notes what happens in a session",
			"tag":     "a memory has a type and a key: `memoryd remember TEXT --type decision --key KEY`; both are found by recall",
			"log":     "`memoryd history` finds what agents' clients did here, `memoryd agent sheet NAME` shows an agent's record",
			"archive": "`memoryd forget KEY` archives one memory, `memoryd decay --apply` those that faded",
			"prune":   "`memoryd decay` lists what has faded, and archives it with --apply", "run": "`memoryd serve` is the MCP server", "init": "nothing needs to be set up: `memoryd remember TEXT` keeps what is worth knowing",
		},
		Sections: []cli.Section{
			{Title: "Sessions", Commands: []cli.Entry{cli.Branch("session", newSession)}},
			{Title: "Memory", Commands: []cli.Entry{
				cli.Leaf("remember", newRemember, runRemember),
				cli.Leaf("recall", newRecall, runRecall),
				cli.Leaf("update", newUpdate, runUpdate),
				cli.Leaf("forget", newForget, runForget),
				cli.Leaf("restore", newRestore, runRestore),
				cli.Leaf("decay", newDecay, runDecay),
				cli.Leaf("embed", newEmbed, runEmbed),
				cli.Leaf("stats", newStats, runStats),
				cli.Branch("history", newHistory),
			}},
			{Title: "Agents' records", Commands: []cli.Entry{
				cli.Branch("agent", newAgent),
				cli.Leaf("prior-art", newPriorArt, runPriorArt),
			}},
			{Title: "Set-up and care", Commands: []cli.Entry{
				cli.Leaf("export", newExport, runExport),
				cli.Leaf("import", newImport, runImport),
				cli.Branch("hook", newHook),
				cli.Serve(stores.Port),
				cli.Config(),
			}},
		},
	}.Root(env, args)
}

// newHook groups the commands that git and the clients of agents run by themselves.
func newHook(env *cli.Env) *cobra.Command {
	cmd := cli.Parent(&cobra.Command{
		Use:   "hook",
		Short: "The commands for hooks of git and of agents' clients, which never fail their caller",
	}, newHookSessionStart(env, runHookSessionStart), newHookSessionEnd(env, runHookSessionEnd), newHookPostCommit(env, runHookPostCommit),
		newHookPrePush(env, runHookPrePush), newHookTool(env, runHookTool), newHookSheet(env, runHookSheet),
		newHookInstall(env, runHookInstall), newHookRemove(env, runHookInstall))
	known := cmd.RunE
	cmd.RunE = func(c *cobra.Command, args []string) error {
		if err := known(c, args); err != nil {
			env.Streams.Notice("%v", err)
		}
		return nil
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		env.Streams.Notice("%v", err) // a malformed hook must not stop a commit
		return nil
	})
	return cmd
}
