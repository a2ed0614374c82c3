package command

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/sibling"
)

// open opens the stores of a run. Work that outlives the command is done by another process of memoryd.
func open(ctx context.Context, env *cli.Env) (*stores.Stores, error) {
	st, err := stores.Open(ctx, env)
	if err != nil {
		return nil, err
	}
	st.Sessions.Detach = func(folder string, args []string) error {
		all := append(env.Globals.Args(), "session", "chores", "--folder="+folder)
		return sibling.Detach("memoryd", append(all, args...), env.Dir, env.Environ)
	}
	return st, nil
}
