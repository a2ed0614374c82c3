// Package stores assembles pmsync's stores over one registry and one configuration, for the command line and the MCP server alike. It makes
// no decisions itself. A Stores is safe for concurrent use.
package stores

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/criteria"
	"github.com/agit-suite/agit/pmsync/internal/dependency"
	"github.com/agit-suite/agit/pmsync/internal/plan"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/registry"
)

// Port is the default port of `pmsync serve` over HTTP.
const Port = 3848

// Stores holds all stores of pmsync.
type Stores struct {
	DB           *registry.DB
	Config       *config.Config
	Tickets      *ticket.Store
	Plans        *plan.Store
	Dependencies *dependency.Store
	Criteria     *criteria.Store
	Board        *worklist.Board
	Sync         *sync.Service
}

// Open opens the registry of a run and assembles the stores.
func Open(ctx context.Context, env *cli.Env) (*Stores, error) {
	cfg, err := env.Config(ctx)
	if err != nil {
		return nil, err
	}
	db, err := env.Registry(ctx)
	if err != nil {
		return nil, err
	}
	st := New(db, cfg)
	st.Sync = &sync.Service{DB: db, Config: env.ConfigNow, Log: env.Logger()}
	return st, nil
}

// As returns the stores under another configuration, over the same registry.
func (s *Stores) As(cfg *config.Config) *Stores {
	as := New(s.DB, cfg)
	as.Sync = s.Sync
	return as
}

// New assembles the stores over an open registry.
func New(db *registry.DB, cfg *config.Config) *Stores {
	return &Stores{
		DB: db, Config: cfg,
		Tickets:      &ticket.Store{DB: db, AutoParse: cfg.Criteria.AutoParse, Patterns: cfg.Criteria.Patterns, RefuseOffline: !cfg.Sync.QueueChangesWhenOffline, MaxQueued: cfg.Sync.MaxQueuedChanges, StateFor: sync.StateFor(cfg.Provider), Configured: cfg.IsSet},
		Plans:        &plan.Store{DB: db},
		Dependencies: &dependency.Store{DB: db},
		Criteria:     &criteria.Store{DB: db, NeedEvidence: cfg.Criteria.RequireEvidenceForVerification},
		Board:        &worklist.Board{DB: db, ReleaseAfter: cfg.Agent.ReleaseAfter},
	}
}
