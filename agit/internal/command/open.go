package command

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
)

// open puts the stores of a run together. What hooks print goes to standard error.
func open(ctx context.Context, env *cli.Env) (*stores.Stores, error) {
	return stores.Open(ctx, env, env.Streams.ErrWriter())
}

// asker is who runs a command, where a person decides.
func asker(env *cli.Env) land.Asker {
	return land.Asker{Agent: env.Getenv("AGIT_AGENT"), Run: env.Getenv(worker.RunVariable)}
}
