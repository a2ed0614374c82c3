// Package mcpserver is memoryd's MCP server: one file a tool, the resources, and
// the prompts. Tools are thin faces of the same stores as the command line; they
// hold no SQL and never run memoryd again.
//
// What the server is made of (schemas, validation, transports, sessions) is
// shared/mcpkit's.
package mcpserver

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

// What clients tell a model about the server; every conversation pays for it.
const instructions = `memoryd keeps agents' sessions and memory of a project.`

// coreTools are what an agent uses in its loop.
var coreTools = []string{"list_sessions"}

// hints says in tools what the stores say in commands.
var hints = strings.NewReplacer()

// readers is how many reads of the registry run at once: tool calls are short,
// and every reader keeps a page cache of its own.
const readers = 3

// Root is the command line of the server program: the flags of `memoryd serve`.
func Root(env *cli.Env) *cli.Command {
	return cli.NewServer(env, "Serve memoryd to MCP clients (started by memoryd serve)", stores.Port,
		func(ctx context.Context, o *cli.ServeOptions) error { return serve(ctx, env, o) })
}

func serve(ctx context.Context, env *cli.Env, o *cli.ServeOptions) error {
	env.Readers = readers
	st, err := stores.Open(ctx, env)
	if err != nil {
		return err
	}
	s := newService(env, st)
	if err := s.mcp.Select(o.Tools, o.ReadOnly); err != nil {
		return err
	}
	return s.mcp.Serve(ctx, mcpkit.ServeOptions{
		Transport: o.Transport, Port: o.ListenPort(st.Config.Server.Port),
		Listening: func(url string) { env.Streams.Notice("listening on %s", url) },
	})
}

// service is what the tools work with.
type service struct {
	env    *cli.Env
	stores *stores.Stores
	mcp    *mcpkit.Server
	desk   booking.Desk
}

func newService(env *cli.Env, st *stores.Stores) *service {
	s := &service{env: env, stores: st, desk: booking.Desk{DB: st.DB, Getenv: env.Getenv, Dir: env.Dir}}
	s.mcp = mcpkit.New(
		mcpkit.Info{Name: "memoryd", Title: "memoryd", Version: env.Version, Instructions: instructions},
		mcpkit.Options{Logger: env.Logger(), Sets: map[string][]string{"core": coreTools}, Quiet: s.rest, Hint: hints.Replace},
	)
	for _, register := range slices.Concat(sessionTools, memoryTools, recordTools) {
		register(s)
	}
	return s
}

// rest gives back what the registry's connections cache.
func (s *service) rest() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.stores.DB.Rest(ctx); err != nil {
		s.env.Logger().Debug("giving back caches", "error", err)
	}
}
