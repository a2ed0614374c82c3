package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

// stopTime is how long Stop may take.
const stopTime = 5 * time.Second

// Main runs the server program with its arguments and returns the status to exit
// with.
func (spec Spec[S]) Main(args []string) int {
	env := cli.NewEnv(spec.Name+"-mcp", cli.Version, cli.Commit)
	root := cli.NewServer(env, fmt.Sprintf("Serve %[1]s to MCP clients (started by %[1]s serve)", spec.Name), spec.Port,
		func(ctx context.Context, o *cli.ServeOptions) error { return spec.serve(ctx, env, o) })
	return cli.Main(context.Background(), env, root, args)
}

// Build opens the server's resources and declares what it offers, as far as o selects it. It serves nothing yet.
func (spec Spec[S]) Build(ctx context.Context, env *cli.Env, o *cli.ServeOptions) (s S, b *Base, err error) {
	env.Readers = spec.Readers
	b = &Base{Env: env, Transport: o.Transport}
	if b.Config, err = env.ConfigToServe(ctx); err != nil {
		return s, nil, err
	}
	instructions := spec.Instructions
	if o.ReadOnly {
		instructions = spec.ReadOnlyInstructions
	}
	options := mcpkit.Options{
		Logger: env.Logger(), Sets: map[string][]string{"core": spec.Core}, Hint: spec.Hint, Reading: b.Alive, Quiet: b.rest,
	}
	if spec.SessionEnd != nil {
		options.SessionEnd = func(*mcpkit.Session) { spec.SessionEnd(s) }
	}
	b.MCP = mcpkit.New(mcpkit.Info{Name: spec.Name, Title: spec.Name, Version: env.Version, Instructions: instructions}, options)
	if s, err = spec.Open(ctx, b); err != nil {
		return s, nil, err
	}
	b.Desk = booking.Desk{DB: env.OpenedRegistry(), Getenv: env.Getenv, Dir: env.Dir}
	for _, offer := range spec.Offers {
		offer(s)
	}
	return s, b, b.MCP.Select(o.Tools, o.ReadOnly)
}

func (spec Spec[S]) serve(ctx context.Context, env *cli.Env, o *cli.ServeOptions) error {
	s, b, err := spec.Build(ctx, env, o)
	if err != nil {
		return err
	}
	if spec.Present != nil {
		present, err := b.Desk.DB.Announce()
		if err != nil {
			return err
		}
		defer present.Leave()
		spec.Present(s, present.ID)
	}
	beside, end := context.WithCancel(ctx)
	defer end()
	var running sync.WaitGroup
	if spec.While != nil {
		running.Go(func() { spec.While(s, beside) })
	}
	err = b.MCP.Serve(ctx, mcpkit.ServeOptions{
		Transport: o.Transport, Port: o.ListenPort(b.Config.Server.Port),
		TokenFile: cli.TokenFile(b.Config.Home()), Listening: env.Listening,
	})
	end()
	running.Wait()
	if spec.Stop != nil {
		ctx, done := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer done()
		err = errors.Join(err, spec.Stop(s, ctx))
	}
	return err
}
