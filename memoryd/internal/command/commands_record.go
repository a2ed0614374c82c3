package command

import (
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
)

// recordCommands are those of agents' records and prior art.
func recordCommands(_ *cli.Env) []command { return nil }

// recordHooks are the subcommands of hook that keep records.
func recordHooks(_ *cli.Env) []*cobra.Command { return nil }
