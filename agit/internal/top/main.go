package top

import (
	"bytes"
	"context"
	"fmt"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gdamore/tcell/v3"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/top/flags"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/idle"
	"github.com/agit-suite/agit/shared/term"
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

// onceWidth and onceHeight are the size of a printed screen when no size is known.
const onceWidth, onceHeight = 80, 24

// once prints the screen as it is now, after a scan, as text.
func once(ctx context.Context, env *cli.Env, over *overview.Store, project string) error {
	state, err := over.Scanned(ctx, project)
	if err != nil {
		return err
	}
	m := newModel(true)
	m.width, m.height = env.Streams.Columns, onceHeight
	if m.width <= 0 {
		m.width = onceWidth
	}
	if n, err := strconv.Atoi(env.Getenv("LINES")); err == nil && n > 0 {
		m.height = n + 1 // the line of keys is not printed
	}
	m.update(state, time.Now())
	for _, line := range printed(m, env.Streams.Paint) {
		if err := env.Streams.Row(line); err != nil {
			return err
		}
	}
	return nil
}

// printed returns the lines of a screen: without the line of keys, the mark of the selected row and the empty lines at its end.
func printed(m *model, paint func(term.Style, string) term.Painted) (painted []term.Painted) {
	lines := m.view()
	if len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	for _, l := range lines {
		var whole term.Painted
		for i, s := range trimmed(l.spans) {
			if rest, marked := strings.CutPrefix(s.text, ">"); marked && i == 0 && l.selected {
				s.text = " " + rest
			}
			whole += paint(s.look, s.text)
		}
		painted = append(painted, whole)
	}
	for len(painted) > 0 && strings.TrimSpace(string(painted[len(painted)-1])) == "" {
		painted = painted[:len(painted)-1]
	}
	return painted
}

// trimmed returns a line without the blanks at its end.
func trimmed(spans []span) []span {
	spans = slices.Clone(spans)
	for len(spans) > 0 {
		last := &spans[len(spans)-1]
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		spans = spans[:len(spans)-1]
	}
	return spans
}
