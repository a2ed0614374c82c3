package command

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
)

// open opens the stores of a run.
func open(ctx context.Context, env *cli.Env) (*stores.Stores, error) { return stores.Open(ctx, env) }
