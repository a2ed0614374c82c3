// Package stores opens memoryd's stores over one registry and one configuration, for the command line and the MCP server alike. It decides
// nothing itself. A Stores is safe for concurrent use.
package stores

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/embedding"
	"github.com/agit-suite/agit/memoryd/internal/history"
	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/memoryd/internal/others"
	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/sibling"
)

// Port is where `memoryd serve` listens over HTTP by default.
const Port = 3849

// Stores are memoryd's stores.
type Stores struct {
	DB       *registry.DB
	Config   *config.Config
	Sessions *session.Store
	Memories *memory.Store
	Records  *record.Store
	History  *history.Store
	Others   *others.Store
}

// Open opens the registry of a run and its stores.
func Open(ctx context.Context, env *cli.Env) (*Stores, error) {
	cfg, err := env.Config(ctx)
	if err != nil {
		return nil, err
	}
	db, err := env.Registry(ctx)
	if err != nil {
		return nil, err
	}
	s := New(db, cfg)
	s.Sessions.Settings = func(ctx context.Context, folder string) *config.Config {
		if folder == "" {
			return cfg
		}
		there, err := env.ConfigNow(ctx, folder)
		if err != nil {
			env.Streams.Warn("the configuration of %q is ignored: %v", folder, err)
			return cfg
		}
		return there
	}
	s.Sessions.Find = func(program string) bool {
		_, err := sibling.Find(program)
		return err == nil
	}
	s.Sessions.Run = sibling.Run
	home, err := config.HomeFolder(env.Getenv("AGIT_HOME"), env.UserHome)
	if err != nil {
		return nil, err
	}
	switch endpoint, err := embedding.New(cfg.Recall); {
	case err != nil:
		s.Memories.Refused = err
		env.Streams.Warn("memories are found by their words alone: %v", err)
	case endpoint != nil:
		s.Memories.Embedder = endpoint
	}
	s.History = &history.Store{DB: db, Kept: index.For(home, env.UserHome, env.Getenv, cfg.Sources.Off)}
	s.Others = &others.Store{DB: db, Memories: s.Memories, Home: s.History.Kept.Home, Off: cfg.Sources.Off}
	s.Sessions.Others = s.Others.Counts
	s.Sessions.Seen = func(ctx context.Context, place project.Place, about string) (string, []string) {
		last, bears, _ := s.History.Beside().Begin(ctx, place, about) // a session starts without it
		return last, bears
	}
	return s, nil
}

// New makes the stores over an open registry. They start no programs.
func New(db *registry.DB, cfg *config.Config) *Stores {
	memories := &memory.Store{DB: db, MaxPerType: cfg.Memory.MaxItemsPerType}
	return &Stores{
		DB: db, Config: cfg,
		Sessions: &session.Store{DB: db, MaxPerType: memories.MaxPerType},
		Memories: memories,
		Records:  &record.Store{DB: db},
	}
}
