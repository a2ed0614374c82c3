package top

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/color"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/idle"
	"github.com/agit-suite/agit/shared/term"
)

// app is the loop between a terminal, the state of a project, and the model.
type app struct {
	screen  tcell.Screen
	model   *model
	does    *doer
	project string // "" for all
	over    *overview.Store

	states  chan overview.State
	results chan result
	again   chan os.Signal // receives a signal when the program continues after a stop
	pasting bool
	acting  sync.WaitGroup // actions begun by keys, which must end in order
}

// result is the result of an action that took a while.
type result struct {
	said    string
	err     error
	panel   *panel // to open
	to      *panel // to append text to
	text    string
	nothing bool // the action has ended: nothing is being done any more
	of      order
}

// clockEvery is how often ages and the clock are drawn again; the terminal receives only the differences.
const clockEvery = 10 * time.Second

// run shows the screen until a person quits, a signal comes or ctx ends.
func (a *app) run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	fed := make(chan error, 1)
	go func() { fed <- a.feed(ctx) }()
	defer func() {
		end()
		a.model.closePanel()
	}()
	var trim idle.Trimmer
	defer trim.Stop()
	clock := time.NewTicker(clockEvery)
	defer clock.Stop()
	a.again = goesOn()
	defer signal.Stop(a.again)
	a.draw()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-fed:
			return err
		case ev, open := <-a.screen.EventQ():
			if !open {
				return nil
			}
			if done := a.event(ctx, ev); done {
				return nil
			}
			trim.Touch()
		case s := <-a.states:
			a.model.update(s, time.Now())
			trim.Touch()
		case r := <-a.results:
			a.take(r)
		case now := <-clock.C:
			a.model.now = now
			a.model.arrange()
		case <-a.again: // another process stopped it, and the shell took the terminal
			if a.screen.Suspend() == nil {
				a.resume()
			}
		}
		a.show()
		a.draw()
	}
}

// feed reads the state whenever it changes. It ends with ctx, or when the project cannot be read at all.
func (a *app) feed(ctx context.Context) error {
	var version overview.Version
	for {
		change, err := a.over.Since(ctx, a.project, version)
		if err == nil {
			var s overview.State
			if s, err = a.over.State(ctx, a.project); err == nil {
				select {
				case a.states <- s:
				case <-ctx.Done():
				}
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		version = change.Version
	}
}

// event handles one event of the terminal; it returns true when the program should end.
func (a *app) event(ctx context.Context, ev tcell.Event) (done bool) {
	switch ev := ev.(type) {
	case *tcell.EventResize:
		a.model.width, a.model.height = ev.Size()
		a.screen.Sync()
	case *tcell.EventPaste:
		a.pasting = ev.Start()
	case *tcell.EventKey:
		name := keyName(ev)
		if name == "" || a.pasting && (a.model.ask == nil || utf8.RuneCountInString(name) > 1) {
			return false // a pasted text is not a command, and a pasted line end does not answer
		}
		return a.do(ctx, a.model.key(name))
	}
	return false
}

// keyName returns a character or the name of a key, or "" for a key to ignore.
func keyName(ev *tcell.EventKey) string {
	switch {
	case !ev.Pressed():
		return ""
	case ev.Key() == tcell.KeyRune && ev.Modifiers()&tcell.ModCtrl != 0:
		return "Ctrl-" + strings.ToUpper(ev.Str())
	case ev.Key() == tcell.KeyRune:
		return ev.Str()
	case ev.Key() == tcell.KeyBackspace2:
		return "Backspace"
	}
	return tcell.KeyNames[ev.Key()]
}

// do performs what a key asked for; it returns true when the program should end.
func (a *app) do(ctx context.Context, o order) (done bool) {
	switch o.do {
	case nothing:
	case quit:
		return true
	case suspend:
		a.suspend()
	case redraw:
		a.screen.Sync()
	case goThere:
		a.goThere(*o.about)
	default:
		a.begin(ctx, o)
	}
	return false
}

// begin starts an action for a row in the background.
func (a *app) begin(ctx context.Context, o order) {
	r := *o.about // what the model shows may change meanwhile
	a.model.busy = cmp.Or(r.worded(deeds[o.do].doing), "reading")
	a.acting.Go(func() {
		done := a.does.do(ctx, o.do, r, o.typed)
		done.nothing, done.of = true, o
		a.send(ctx, done)
	})
}

func (a *app) send(ctx context.Context, r result) {
	select {
	case a.results <- r:
	case <-ctx.Done():
	}
}

// take shows a result.
func (a *app) take(r result) {
	if r.nothing {
		a.model.busy = ""
	}
	if r.of.do == doReturn && r.err == nil {
		delete(a.model.unsaid, r.of.about.worktree)
	}
	switch {
	case r.err != nil:
		a.model.complain(sentence(r.err))
	case r.panel != nil:
		a.model.closePanel()
		a.model.open = r.panel
		if r.panel.feed != nil { // only now: text for a panel that is not open is dropped
			go r.panel.feed()
		}
	case r.to != nil:
		if a.model.open == r.to {
			r.to.add(r.text)
		}
	case r.said != "":
		a.model.say(r.said)
	}
}

// goThere runs a shell in a row's worktree, and returns when the shell ends.
func (a *app) goThere(r row) {
	if err := a.screen.Suspend(); err != nil {
		a.model.complain(err.Error())
		return
	}
	err := a.does.shell(a.model.state, r)
	a.resume()
	if err != nil {
		a.model.complain(sentence(err))
	}
}

// suspend stops the program, as Ctrl-Z stops other programs; fg continues it.
func (a *app) suspend() {
	if a.screen.Suspend() != nil {
		return
	}
	stopSelf(a.again)
	a.resume()
}

func (a *app) resume() {
	if err := a.screen.Resume(); err != nil {
		a.model.complain(err.Error())
	}
	a.screen.Sync()
}

// show reports which worktrees are in sight.
func (a *app) show() {
	if len(a.model.state.Worktrees) < 2 {
		return
	}
	var refs []string
	for _, s := range a.model.shown {
		for _, r := range s.rows {
			if r.worktree != "" && len(refs) < a.model.height {
				refs = append(refs, r.worktree)
			}
		}
	}
	a.over.Show(refs)
}

// draw brings the screen up to date. It sets every cell, and the terminal receives only the differences.
func (a *app) draw() {
	a.model.width, a.model.height = a.screen.Size()
	lines := a.model.view()
	for y := range a.model.height {
		x := 0
		style := tcell.StyleDefault
		if y < len(lines) {
			for _, s := range lines[y].spans {
				style = styleOf(s.look, lines[y].selected)
				for rest := s.text; rest != "" && x < a.model.width; {
					var n int
					if rest, n = a.screen.Put(x, y, rest, style); n == 0 {
						n = 1
					}
					x += n
				}
			}
			style = styleOf(term.Plain, lines[y].selected)
		}
		for ; x < a.model.width; x++ {
			a.screen.Put(x, y, " ", style)
		}
	}
	a.screen.HideCursor()
	a.screen.Show()
}

// styleOf returns a look's style on the terminal. The selected row is drawn in reverse besides its mark, since not every terminal has
// colours.
func styleOf(look term.Style, selected bool) tcell.Style {
	if selected { // reverse would turn a colour into a block of it
		return tcell.StyleDefault.Reverse(true).Bold(look == term.Bold || look == term.Yellow || look == term.Red)
	}
	return styles[look]
}

var styles = map[term.Style]tcell.Style{
	term.Bold:   tcell.StyleDefault.Bold(true),
	term.Dim:    tcell.StyleDefault.Dim(true),
	term.Red:    tcell.StyleDefault.Foreground(color.Maroon),
	term.Green:  tcell.StyleDefault.Foreground(color.Green),
	term.Yellow: tcell.StyleDefault.Foreground(color.Olive).Bold(true),
	term.Cyan:   tcell.StyleDefault.Foreground(color.Teal),
}
