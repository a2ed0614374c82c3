package command

import (
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/web/flags"
	"github.com/agit-suite/agit/shared/cli"
)

func newWeb(env *cli.Env) *cobra.Command {
	o := &flags.Flags{}
	cmd := &cobra.Command{
		Use:        "web [REPO] [flags]",
		SuggestFor: []string{"dashboard", "ui", "page", "browser"},
		Short:      "Show what is going on as a page in the browser",
		Long: `Serve a page on 127.0.0.1 that shows a project live: what waits for you, agents,
landings, tasks as a board and as a graph, conflicts, sessions, memories, sprint and
records. It answers only the user who started it. Open the address that is printed:
it holds a token, made anew at each start. The page changes nothing unless --actions
allows it. Ctrl-C ends it.

Without a name it shows the current folder's project first; the page can show all.`,
		Example: "agit web --open\nagit web app --port 0\nagit web --actions",
		Args:    cli.Args("[REPO]"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.Check(); err != nil {
				return err
			}
			return env.Become("agit-web", append(o.Args(), args...))
		},
	}
	o.Bind(cmd.Flags())
	cmd.ValidArgsFunction = repoNames(env)
	return cmd
}
