package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
)

// newSessionChores is what a start runs beside itself: chores that it took
// for a project and that go on when its command has ended.
func newSessionChores(env *cli.Env) *cobra.Command {
	folder := ""
	cmd := &cobra.Command{
		Use:    "chores PROJECT NAME=TOKEN...",
		Short:  "Do what a start of a session left to do (started by session start)",
		Hidden: true,
		Args:   cli.Args("PROJECT", "NAME=TOKEN..."),
		RunE: func(c *cobra.Command, args []string) error {
			st, err := open(c.Context(), env)
			if err != nil {
				return err
			}
			chores := map[string]string{}
			for _, arg := range args[1:] {
				name, token, _ := strings.Cut(arg, "=")
				chores[name] = token
			}
			return st.Sessions.Do(c.Context(), args[0], folder, chores)
		},
	}
	cmd.Flags().StringVar(&folder, "folder", "", "`folder` of the project")
	return cmd
}
