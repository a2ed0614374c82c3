package web

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/web/flags"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/sibling"
)

// readers is how many reads of the registry may run at once. A page requests two documents, and every reader has a cache of its own.
const readers = 2

// Main runs the program agit-web with its arguments and returns the status to exit with.
func Main(ctx context.Context, args []string) int {
	env := cli.NewEnv("agit-web", cli.Version, cli.Commit)
	env.Readers = readers
	o := &flags.Flags{}
	root := cli.NewProgram(env, "Serve the page (started by agit web)", "REPO", o.Bind,
		func(ctx context.Context, args []string) error { return servePage(ctx, env, o, args) })
	return cli.Main(ctx, env, root, args)
}

func servePage(ctx context.Context, env *cli.Env, o *flags.Flags, args []string) error {
	if err := o.Check(); err != nil {
		return err
	}
	env.OnlyLooks() // a landing reads the settings of its branch itself
	s, err := stores.Open(ctx, env, env.Streams.ErrWriter())
	if err != nil {
		return err
	}
	project, err := s.ProjectFor(ctx, env.Dir, args)
	if err != nil {
		return err
	}
	return New(NewModel(s, land.Asker{Agent: env.Getenv("AGIT_AGENT"), Run: env.Getenv(worker.RunVariable)}), Options{
		Port: o.Port, Project: project, Actions: o.Actions, Log: env.Logger(),
		Listening: func(address, once string) {
			_ = env.Streams.Line(address) // the output; whoever closed the pipe has the page anyway
			if o.Open {
				if err := sibling.Browse(env.Environ, once); err != nil {
					env.Streams.Warn("%v", err)
				}
			}
			env.Streams.Notice("Ctrl-C ends the page")
		},
	}).Serve(ctx)
}
