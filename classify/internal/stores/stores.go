// Package stores opens classify's stores over one registry, for the command line and the MCP server alike. It decides nothing itself. A
// Stores is safe for concurrent use.
package stores

import (
	"context"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/shared/cli"
)

// Port is where `classify serve` listens over HTTP by default.
const Port = 3851

// Stores are classify's stores.
type Stores struct {
	Profiles  *profile.Store
	Catalogue *catalogue.Catalogue
}

// Open opens the registry of a run and its stores.
func Open(ctx context.Context, env *cli.Env) (*Stores, error) {
	env.OnlyLooks() // no setting of a project changes a profile
	db, err := env.Registry(ctx)
	if err != nil {
		return nil, err
	}
	profiles := &profile.Store{DB: db}
	return &Stores{profiles, &catalogue.Catalogue{DB: db, Profiles: profiles}}, nil
}
