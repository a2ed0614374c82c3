// Package mcpserver is classify's MCP server: one file a tool. Tools are thin
// faces of the same catalogue as the command line; they hold no SQL and never run
// classify again.
//
// What the server is made of (schemas, validation, transports, sessions) is
// shared/mcpkit's.
package mcpserver

import (
	"context"
	"strings"
	"time"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/classify/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

// What clients tell a model about the server; every conversation pays for it.
const (
	instructions = `classify knows what projects on this machine are: language, framework, scope, dependencies.
init_project records the one you work in; find_similar_projects names others like it, whose solutions may help.`
	readInstructions = `classify knows what projects on this machine are: language, framework, scope, dependencies.
project_profile says what one is; find_similar_projects names others like it, whose solutions may help.`
)

// coreTools are what an agent uses in its loop.
var coreTools = []string{"init_project", "project_profile", "find_similar_projects"}

// readers is how many reads of the registry run at once: tool calls are short,
// and every reader keeps a page cache of its own.
const readers = 2

// beat is how often a session that only reads tells that its agent is alive.
const beat = time.Minute

// hints says in tools what the catalogue says in commands.
func hints(hint string) string {
	return strings.NewReplacer(
		"`classify init DIR` makes one", "init_project with its path makes one",
		"`classify show ", "project_profile of ", "` lists the packages", " lists the packages",
	).Replace(hint)
}

// Root is the command line of the server program: the flags of `classify serve`.
func Root(env *cli.Env) *cli.Command {
	return cli.NewServer(env, "Serve classify to MCP clients (started by classify serve)", stores.Port,
		func(ctx context.Context, o *cli.ServeOptions) error { return serve(ctx, env, o) })
}

func serve(ctx context.Context, env *cli.Env, o *cli.ServeOptions) error {
	env.Readers = readers
	cfg, err := env.Config(ctx)
	if err != nil {
		return err
	}
	c, err := stores.Open(ctx, env)
	if err != nil {
		return err
	}
	s := newService(env, c, o.ReadOnly)
	if err := s.mcp.Select(o.Tools, o.ReadOnly); err != nil {
		return err
	}
	return s.mcp.Serve(ctx, mcpkit.ServeOptions{
		Transport: o.Transport, Port: o.ListenPort(cfg.Server.Port),
		TokenFile: cli.TokenFile(cfg.Home()), Listening: env.Listening,
	})
}

// service is what the tools work with.
type service struct {
	env       *cli.Env
	catalogue *catalogue.Catalogue
	mcp       *mcpkit.Server
	desk      booking.Desk
}

func newService(env *cli.Env, c *catalogue.Catalogue, readOnly bool) *service {
	s := &service{env: env, catalogue: c, desk: booking.Desk{DB: c.DB, Getenv: env.Getenv, Dir: env.Dir}}
	told := instructions
	if readOnly {
		told = readInstructions
	}
	s.mcp = mcpkit.New(
		mcpkit.Info{Name: "classify", Title: "classify", Version: env.Version, Instructions: told},
		mcpkit.Options{Logger: env.Logger(), Sets: map[string][]string{"core": coreTools}, Quiet: s.rest, Hint: hints},
	)
	for _, register := range []func(*service){addInitProject, addProjectProfile, addFindSimilarProjects, addSearchProjects} {
		register(s)
	}
	return s
}

// rest returns what the registry's connections cache.
func (s *service) rest() { mcpkit.RestRegistry(s.catalogue.DB, s.env.Logger()) }

// which reads whose profile a call is about: a path, a project's id or name, or
// nothing for the project of the session.
func (s *service) which(c *mcpkit.Call, given, pkg string) (catalogue.Which, error) {
	w := catalogue.Which{Package: pkg}
	place, err := s.desk.Place(c, given)
	if err != nil {
		return w, err
	}
	switch {
	case place.At == nil:
		w.Project = place.Named
	case given != "":
		w.Dir = catalogue.Abs(s.env.Dir, given)
	case c.Session().Transport() == mcpkit.Stdio:
		w.Dir = s.env.Dir
	default:
		w.Dir = place.At.Folder
	}
	return w, nil
}
