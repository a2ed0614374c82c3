package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/web/flags"
	"github.com/agit-suite/agit/shared/cli"
)

type webOptions struct {
	flags.Flags
	env  *cli.Env
	line []string
}

func newWeb(env *cli.Env, run cli.Func[webOptions]) *cobra.Command {
	o := &webOptions{env: env}
	cmd := cli.Command(&cobra.Command{
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
	}, o, o.take, run)
	o.Bind(cmd.Flags())
	cmd.ValidArgsFunction = repoNames(env)
	return cmd
}

func (o *webOptions) take(g cli.Given) error {
	o.line = g.Line()
	return o.Check()
}

func runWeb(_ context.Context, o *webOptions) error { return o.env.Become("agit-web", o.line) }
