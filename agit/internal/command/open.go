package command

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/registry"
)

// open puts the stores of a run together. The output of hooks goes to standard error.
func open(ctx context.Context, env *cli.Env) (*stores.Stores, error) {
	return stores.Open(ctx, env, env.Streams.ErrWriter())
}

// look is open for a run that only looks: unreadable settings of a project cause a warning, and do not stop it.
func look(ctx context.Context, env *cli.Env) (*stores.Stores, error) {
	env.OnlyLooks()
	return open(ctx, env)
}

// changing makes the function of a command out of one that needs the stores.
func changing[O any](env *cli.Env, run func(context.Context, *O, *stores.Stores) error) cli.Func[O] {
	return func(ctx context.Context, o *O) error {
		s, err := open(ctx, env)
		if err != nil {
			return err
		}
		return run(ctx, o, s)
	}
}

// looking is changing for a command that only looks.
func looking[O any](env *cli.Env, run func(context.Context, *O, *stores.Stores) error) cli.Func[O] {
	return func(ctx context.Context, o *O) error {
		env.OnlyLooks()
		return changing(env, run)(ctx, o)
	}
}

// stored makes the function of a command out of one that needs the registry.
func stored[O any](env *cli.Env, run func(context.Context, *O, *registry.DB) error) cli.Func[O] {
	return func(ctx context.Context, o *O) error {
		db, err := env.Registry(ctx)
		if err != nil {
			return err
		}
		return run(ctx, o, db)
	}
}

// action is what the flags of a command stand for: one of its subcommands, with its options.
type action struct {
	options any
	run     func(context.Context) error
}

func actionOf[O any](run cli.Func[O], o *O) action {
	return action{o, func(ctx context.Context) error { return run(ctx, o) }}
}

// openTo is look when the run only looks, else open.
func openTo(ctx context.Context, env *cli.Env, onlyLooks bool) (*stores.Stores, error) {
	if onlyLooks {
		return look(ctx, env)
	}
	return open(ctx, env)
}

// asker is who runs a command, where a person decides.
func asker(env *cli.Env) land.Asker {
	return land.Asker{Agent: env.Getenv("AGIT_AGENT"), Run: env.Getenv(worker.RunVariable)}
}
