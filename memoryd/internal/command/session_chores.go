package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
)

type sessionChoresOptions struct {
	env     *cli.Env
	Project string
	Folder  string
	Chores  map[string]string // the token of each, by name
}

// newSessionChores makes the command that a session start runs in the background: it does the chores that the start took for a project, and
// outlives it.
func newSessionChores(env *cli.Env, run cli.Func[sessionChoresOptions]) *cobra.Command {
	o := &sessionChoresOptions{env: env, Chores: map[string]string{}}
	cmd := cli.Command(&cobra.Command{
		Use:    "chores PROJECT NAME=TOKEN...",
		Short:  "Do what a start of a session left to do (started by session start)",
		Hidden: true,
	}, o, o.take, run)
	cmd.Flags().StringVar(&o.Folder, "folder", "", "`folder` of the project")
	return cmd
}

func (o *sessionChoresOptions) take(g cli.Given) error {
	o.Project = g.Args[0]
	for _, arg := range g.Args[1:] {
		name, token, _ := strings.Cut(arg, "=")
		o.Chores[name] = token
	}
	return nil
}

func runSessionChores(ctx context.Context, o *sessionChoresOptions) error {
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	return st.Sessions.Do(ctx, o.Project, o.Folder, o.Chores)
}
