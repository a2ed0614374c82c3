package command

import (
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
)

// recordCommands are those of agents' records and prior art.
func recordCommands(env *cli.Env) []cli.LazyCommand {
	return []cli.LazyCommand{
		cli.Lazy(groupRecords, "agent", func() *cobra.Command { return newAgent(env) }),
		cli.Lazy(groupRecords, "prior-art", func() *cobra.Command { return newPriorArt(env) }),
	}
}

// recordHooks are the subcommands of hook that keep records.
func recordHooks(env *cli.Env) []*cobra.Command {
	return []*cobra.Command{newHookPostCommit(env), newHookPrePush(env), newHookTool(env),
		newHookInstall(env), newHookRemove(env)}
}
