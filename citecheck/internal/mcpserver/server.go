// Package mcpserver is citecheck's MCP server: its tools, and the resources for a
// memory and for the health of all. Tools are thin faces of internal/check, as
// the command line is; they hold no SQL and never run citecheck again.
//
// What the server is made of (schemas, validation, transports, sessions) is
// shared/mcpkit's.
package mcpserver

import (
	"context"
	"strings"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/mcpkit"
)

// What clients tell a model about the server; every conversation pays for it.
const (
	instructions = `citecheck says whether what a memory claims about the code is still true.
Before acting on a memory: cite_verify. Believe valid citations, follow found_path and found_line of moved ones, and read the code again where one is changed or gone.
When a memory proved right or wrong: cite_confirm. When you write one: cite_add cites the lines it rests on.`
	readInstructions = `citecheck says whether what a memory claims about the code is still true.
Before acting on a memory: cite_verify. Believe valid citations, follow found_path and found_line of moved ones, and read the code again where one is changed or gone.`
)

// coreTools are what an agent uses in its loop.
var coreTools = []string{"cite_verify", "cite_search", "cite_add", "cite_confirm", "cite_fix"}

// readers is how many reads of the registry run at once: tool calls are short,
// and every reader keeps a page cache of its own.
const readers = 2

// hints says in tools what internal/check says in commands.
var hints = strings.NewReplacer(
	"`citecheck health` lists the memories", "cite_search finds the memories",
	", or name the folder of your memories with --dir", "; its folder is set by citecheck.dir in .agit.toml",
	", or check what memoryd remembers with --registry", "; memoryd's memories are named by id or key, or checked by cite_verify_all with registry",
	"name the folder of your memories with --dir", "set its folder by citecheck.dir in .agit.toml",
)

// Root is the command line of the server program: the flags of `citecheck serve`.
func Root(env *cli.Env) *cli.Command {
	return cli.NewServer(env, "Serve citecheck to MCP clients (started by citecheck serve)", stores.Port,
		func(ctx context.Context, o *cli.ServeOptions) error { return serve(ctx, env, o) })
}

func serve(ctx context.Context, env *cli.Env, o *cli.ServeOptions) error {
	env.Readers = readers
	cfg, err := env.Config(ctx)
	if err != nil {
		return err
	}
	s := newService(env, o.ReadOnly)
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
	env *cli.Env
	mcp *mcpkit.Server
	now func() time.Time
}

func newService(env *cli.Env, readOnly bool) *service {
	s := &service{env: env, now: time.Now}
	told := instructions
	if readOnly {
		told = readInstructions
	}
	s.mcp = mcpkit.New(
		mcpkit.Info{Name: "citecheck", Title: "citecheck", Version: env.Version, Instructions: told},
		mcpkit.Options{Logger: env.Logger(), Sets: map[string][]string{"core": coreTools}, Quiet: s.rest, Hint: hints.Replace},
	)
	for _, register := range []func(*service){
		addVerify, addVerifyAll, addAdd, addGraph, addRelated, addHealth, addSearch, addConfirm, addFix, addAdopt, addDiff, addHistory, addResources,
	} {
		register(s)
	}
	return s
}

// rest returns what the registry's connections cache.
func (s *service) rest() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if !stores.Exists(ctx, s.env) {
		return
	}
	if db, err := s.env.Registry(ctx); err == nil {
		mcpkit.RestRegistry(db, s.env.Logger())
	}
}
