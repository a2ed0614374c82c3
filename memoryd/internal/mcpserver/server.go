// Package mcpserver is memoryd's MCP server: one file a tool, the resources, and
// the prompts. Tools are thin faces of the same stores as the command line; they
// hold no SQL and never run memoryd again.
//
// What the server is made of (schemas, validation, transports, sessions) is
// shared/mcpkit's.
package mcpserver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

// What clients tell a model about the server; every conversation pays for it.
const (
	instructions = `memoryd keeps what agents do and know across sessions: work sessions, long-term memory, each agent's record.
Work in this order: session_start first (resume_last after an interruption); session_note for each decision, discovery, blocker and error as it happens; memory_recall with a plain question before you search or decide; memory_store for what will still matter in weeks; session_end when you finish, also when you did not succeed.
What is recalled is from another time: its age, project and verdict say how far to trust it, and your present task comes first. A refused call says what to do next.`
	readInstructions = `memoryd keeps what agents do and know across sessions: work sessions, long-term memory, each agent's record.
This server only looks: list_sessions and get_session_context show what was done, prior_art what was tried before, agent_status how an agent stands.`
)

// coreTools are what an agent uses in its loop.
var coreTools = []string{"session_start", "session_note", "session_end", "get_session_context", "memory_store", "memory_recall"}

// hints says in tools what the stores say in commands.
var hints = strings.NewReplacer(
	"`memoryd recall` finds", "memory_recall finds",
	"memoryd restore", "memory_update with restore, key",
	"`memoryd session list` lists", "list_sessions lists",
	"`memoryd session start` starts one", "session_start starts one",
	"resume_last (--resume-last)", "resume_last",
)

// readers is how many reads of the registry run at once: tool calls are short,
// and every reader keeps a page cache of its own.
const readers = 3

// stopTime is how long a server that ends may take to store what it still holds.
const stopTime = 5 * time.Second

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
	present, err := st.DB.Announce()
	if err != nil {
		return err
	}
	defer present.Leave()
	st.Sessions.Server = present.ID
	s := newService(env, st, o.ReadOnly)
	if err := s.mcp.Select(o.Tools, o.ReadOnly); err != nil {
		return err
	}
	err = s.mcp.Serve(ctx, mcpkit.ServeOptions{
		Transport: o.Transport, Port: o.ListenPort(st.Config.Server.Port),
		TokenFile: cli.TokenFile(st.Config.Home()), Listening: env.Listening,
	})
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer done()
	return errors.Join(err, s.records.Close(ctx), st.Sessions.Stop(ctx))
}

// service is what the tools work with.
type service struct {
	env    *cli.Env
	stores *stores.Stores
	mcp    *mcpkit.Server
	desk   booking.Desk
	// records keeps what agents earn and do, buffered: serve closes it.
	records *record.Buffer
}

func newService(env *cli.Env, st *stores.Stores, readOnly bool) *service {
	told := instructions
	if readOnly {
		told = readInstructions
	}
	s := &service{env: env, stores: st, desk: booking.Desk{DB: st.DB, Getenv: env.Getenv, Dir: env.Dir}}
	s.records = newRecords(env, st)
	s.mcp = mcpkit.New(
		mcpkit.Info{Name: "memoryd", Title: "memoryd", Version: env.Version, Instructions: told},
		mcpkit.Options{Logger: env.Logger(), Sets: map[string][]string{"core": coreTools}, Quiet: s.rest, Hint: hints.Replace, SessionEnd: s.flushRecords},
	)
	for _, register := range slices.Concat(sessionTools, memoryTools, recordTools) {
		register(s)
	}
	addResources(s)
	addPrompts(s)
	return s
}

// rest returns what the registry's connections cache.
func (s *service) rest() { mcpkit.RestRegistry(s.stores.DB, s.env.Logger()) }
