package top

import (
	"bytes"
	"context"
	"fmt"
	"os/signal"
	"syscall"

	"github.com/gdamore/tcell/v3"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/top/flags"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/idle"
)

// readers is the number of concurrent reads of the registry; each keeps a page cache.
const readers = 2

// Main runs the program agit-top with its arguments and returns the status to exit with.
func Main(ctx context.Context, args []string) int {
	env := cli.NewEnv("agit-top", cli.Version, cli.Commit)
	env.Readers = readers
	o := &flags.Flags{}
	root := cli.NewProgram(env, "Show the screen (started by agit top)", "REPO", o.Bind,
		func(ctx context.Context, args []string) error { return Run(ctx, env, o, args) })
	return cli.Main(ctx, env, root, args)
}

// Run shows the screen until a person or a signal ends it. Messages of the stores are printed after that, when the terminal is free again.
func Run(ctx context.Context, env *cli.Env, o *flags.Flags, args []string) (err error) {
	env.SetLogDefault("warn") // only commands print a line after each use
	idle.Tune()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	var later bytes.Buffer
	errs := env.Streams.Err
	env.Streams.Err = &later
	defer func() {
		env.Streams.Err = errs
		_, _ = errs.Write(later.Bytes())
	}()
	env.OnlyLooks() // a landing reads the settings of its branch itself
	s, err := stores.Open(ctx, env, &later)
	if err != nil {
		return err
	}
	project := ""
	if !o.All {
		if project, err = s.ProjectFor(ctx, env.Dir, args); err != nil {
			return err
		}
	}
	if o.Once {
		return once(ctx, env, s.Overview, project)
	}
	screen, err := tcell.NewTerminfoScreen(tcell.OptNegotiation(false))
	if err == nil {
		err = screen.Init()
	}
	if err != nil {
		return fault.Operation(err, "no screen can be shown here").WithHint("`agit status` prints the same once")
	}
	defer func() {
		screen.Fini() // also before a panic is printed
		if p := recover(); p != nil {
			panic(fmt.Sprint(p))
		}
	}()
	screen.EnablePaste()
	over := s.Overview
	watched, unwatch := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- over.Run(watched) }()
	a := &app{screen: screen, model: newModel(o.ReadOnly), over: over, project: project, states: make(chan overview.State), results: make(chan result)}
	asker := land.Asker{Agent: env.Agent, Run: env.Getenv(worker.RunVariable)}
	a.does = &doer{stores: s, pages: s.Pages(), home: s.Config.Home(), environ: env.Environ, by: env.Agent, asker: asker, send: a.send}
	err = a.run(watched)
	unwatch()
	screen.Fini()
	a.acting.Wait() // an interrupted landing first cleans up
	if watching := <-done; err == nil {
		err = watching
	}
	return err
}
