// Package stores opens what classify works with over one registry, for the
// command line and the MCP server alike. It decides nothing itself.
package stores

import (
	"context"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/shared/cli"
)

// Port is where `classify serve` listens over HTTP unless told otherwise.
const Port = 3851

// Open opens the registry of a run and returns its catalogue.
func Open(ctx context.Context, env *cli.Env) (*catalogue.Catalogue, error) {
	db, err := env.Registry(ctx)
	if err != nil {
		return nil, err
	}
	return catalogue.New(db), nil
}
