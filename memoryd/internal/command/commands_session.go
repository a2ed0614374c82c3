package command

import (
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
)

// sessionCommands are those of sessions.
func sessionCommands(env *cli.Env) []command {
	return []command{
		{groupSessions, "session", func() *cobra.Command { return newSession(env) }},
	}
}

// newSession groups the verbs of sessions.
func newSession(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "session",
		Short: "Start, resume, note, end and look at work sessions",
	}, newSessionList(env, runSessionList))
}

// sessionHooks are the subcommands of hook for clients of agents.
func sessionHooks(_ *cli.Env) []*cobra.Command { return nil }
