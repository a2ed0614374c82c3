// Package stores puts memoryd's stores together over one registry and one
// configuration, for the command line and the MCP server alike. It decides
// nothing itself. A Stores is safe for concurrent use.
package stores

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/registry"
)

// Port is where `memoryd serve` listens over HTTP unless told otherwise.
const Port = 3849

// Stores are all of them.
type Stores struct {
	DB       *registry.DB
	Config   *config.Config
	Sessions *session.Store
}

// Open opens the registry of a run and puts the stores together.
func Open(ctx context.Context, env *cli.Env) (*Stores, error) {
	cfg, err := env.Config(ctx)
	if err != nil {
		return nil, err
	}
	db, err := env.Registry(ctx)
	if err != nil {
		return nil, err
	}
	return New(db, cfg), nil
}

// New puts the stores together over a registry that is open.
func New(db *registry.DB, cfg *config.Config) *Stores {
	return &Stores{DB: db, Config: cfg, Sessions: &session.Store{DB: db}}
}
