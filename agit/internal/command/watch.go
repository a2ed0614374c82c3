package command

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/view/watch"
	"github.com/agit-suite/agit/agit/internal/worktree/userhook"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// noticeTime is how long a desktop's program may take to show a notification.
const noticeTime = 5 * time.Second

type watchOptions struct {
	env    *cli.Env
	Names  []string
	All    bool
	For    []string
	Once   bool
	Follow bool
	Notify bool
	NoBell bool
	OSC    string
	Exec   string
}

func newWatch(env *cli.Env, run cli.Func[watchOptions]) *cobra.Command {
	o := &watchOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "watch [REPO|WORKTREE...] [flags]",
		Args:       cobra.ArbitraryArgs,
		SuggestFor: []string{"wait", "follow", "notify"},
		Short:      "Wait until an agent asks or is done, and ring",
		Long: `Wait until an agent waits for you or is done, print that in a line, ring the
terminal's bell, and end. With --follow it goes on. Without a name it watches the
current folder's repository, and in no repository all of them.

--for says what to wait for: waiting (an agent asks), idle (one that worked has
nothing to do), done (idle, gone, its task finished, its branch to review or landed),
landed, returned (a branch did not land), or any. An agent that waits already counts;
--once looks once and does not wait. The states of agents come from their clients'
hooks (` + "`agit setup`" + `), from ` + "`agit work`" + ` and from silence.`,
		Example: "agit watch\nagit watch app --follow --notify\nagit watch login-page --for done && git -C \"$(agit cd login-page)\" log -1\nagit watch --follow --exec 'echo \"$AGIT_EVENT: $AGIT_TEXT\" >> events.log'",
	}, o, cli.TakeAll(&o.Names), run)
	f := cmd.Flags()
	f.BoolVar(&o.All, "all", false, "every repository, even when the current folder is in one")
	f.StringSliceVar(&o.For, "for", nil, "what to wait for: `waiting, done, idle, landed, returned` or any (default waiting,done,returned)")
	f.BoolVar(&o.Once, "once", false, "look once and do not wait; exit with 1 when there is no such event")
	f.BoolVarP(&o.Follow, "follow", "f", false, "go on after the first")
	f.BoolVar(&o.Notify, "notify", false, "show a notification on the desktop, else through the terminal")
	f.BoolVar(&o.NoBell, "no-bell", false, "do not ring the terminal's bell")
	f.StringVar(&o.OSC, "osc", "", "show a notification through the terminal by this `sequence`: 9, 777, 99 or auto")
	f.StringVar(&o.Exec, "exec", "", "run this `command` for each event, with AGIT_EVENT, AGIT_TEXT, AGIT_AGENT, AGIT_REPO, AGIT_WORKTREE, AGIT_TASK, AGIT_STATE and AGIT_QUESTION set")
	cmd.MarkFlagsMutuallyExclusive("once", "follow")
	cli.Exits(cmd, fault.ExitFailure, "with --once, nothing is as --for says; else the watch failed")
	cmd.ValidArgsFunction = reposOrWorktrees(env)
	cli.CompleteFlag(cmd, "for", cli.Words(watch.Words()...))
	cli.CompleteFlag(cmd, "osc", cli.Words("9", "777", "99", "auto"))
	return cmd
}

func runWatch(ctx context.Context, o *watchOptions) error {
	kinds, err := watch.Kinds(o.For)
	if err != nil {
		return err
	}
	alert, err := o.alert()
	if err != nil {
		return err
	}
	s, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	wanted := watch.Options{Kinds: kinds}
	if err := o.resolve(ctx, s, &wanted); err != nil {
		return err
	}
	store := &watch.Store{DB: s.DB, Presence: s.Presence}
	if o.Once {
		events, err := store.Now(ctx, wanted)
		err = printList(ctx, o.env, "events", events, err, eventColumns, "")
		return exitWhen(err, len(events) == 0, fault.ExitFailure)
	}
	print, err := o.printer()
	if err != nil {
		return err
	}
	err = store.Follow(ctx, wanted, func(e watch.Event) (bool, error) {
		if err := print(ctx, e); err != nil {
			return false, err
		}
		o.ring(ctx, e, alert)
		return o.Follow, nil
	})
	if o.Follow && ctx.Err() != nil {
		return nil // it is meant to be stopped
	}
	return err
}

var eventColumns = []output.Column[watch.Event]{
	{Title: "EVENT", Value: func(e watch.Event) string { return string(e.Kind) }, Style: eventStyles.Of},
	{Title: "AGENT", Value: func(e watch.Event) string { return e.Agent }},
	{Title: "WORKTREE", Value: func(e watch.Event) string { return e.Name }, Flex: true},
	{Title: "WHAT", Value: func(e watch.Event) string { return e.Text }, Flex: true},
}

var eventStyles = term.Styles{
	string(watch.Waiting): term.Yellow, string(watch.Returned): term.Yellow, string(watch.Failed): term.Yellow,
	string(watch.Completed): term.Green, string(watch.Landed): term.Green,
}

// printer prints events as they come: for people the time and a sentence, in a pipe the
// columns apart by tabs, for programs an object a line.
func (o *watchOptions) printer() (func(context.Context, watch.Event) error, error) {
	p := o.env.Printer()
	if !o.Follow && p.Format() == output.JSON {
		return func(ctx context.Context, e watch.Event) error { return p.Document(ctx, e, nil) }, nil
	}
	if st := o.env.Streams; p.Format() == output.Table {
		return func(_ context.Context, e watch.Event) error {
			if !st.OutTTY {
				return st.Line(string(e.Kind), e.Agent, e.Name, e.Text)
			}
			return st.Row(st.Paint(term.Dim, e.At.Local().Format("15:04")), st.Paint(eventStyles.Of(string(e.Kind)), e.Text))
		}, nil
	}
	stream, err := output.NewStream(p, eventColumns)
	if err != nil {
		return nil, err
	}
	return stream.Item, nil
}

// resolve finds what the names mean: repositories first, else worktrees.
func (o *watchOptions) resolve(ctx context.Context, s *stores.Stores, wanted *watch.Options) error {
	if o.All && len(o.Names) > 0 {
		return fault.Validation("all", "a name and --all were both given").WithHint("leave out one of them")
	}
	if len(o.Names) == 0 && !o.All {
		r, err := repoNamed(ctx, o.env, s.DB, "")
		if fault.Is(err, fault.KindValidation) {
			return nil
		}
		wanted.Repos = []int64{r.ID}
		return err
	}
	for _, name := range o.Names {
		r, err := s.Repos.Get(ctx, name)
		if err == nil {
			wanted.Repos = append(wanted.Repos, r.ID)
			continue
		}
		if !fault.Is(err, fault.KindNotFound) {
			return err
		}
		w, err := s.Worktrees.Get(ctx, "", name)
		if err != nil {
			return err
		}
		if !w.Row() {
			return fault.Validation("worktree", "no task was begun in worktree %q, so that nothing is told of it", w.Ref).
				WithHint("`agit begin --here` in it claims one; `agit watch %s` watches its repository", text.ShellWord(w.Repo))
		}
		wanted.Worktrees = append(wanted.Worktrees, w.ID)
	}
	return nil
}

func (o *watchOptions) alert() (term.Alert, error) {
	switch o.OSC {
	case "":
		if o.Notify && !o.desktop() {
			return term.AlertOf(o.env.Getenv), nil
		}
		return term.NoAlert, nil
	case "auto":
		return term.AlertOf(o.env.Getenv), nil
	case string(term.OSC9), string(term.OSC777), string(term.OSC99):
		return term.Alert(o.OSC), nil
	}
	return term.NoAlert, fault.Validation("osc", "%q is not a sequence that terminals know", o.OSC).WithHint("give 9, 777, 99 or auto")
}

// desktop reports whether a program shows notifications here.
func (o *watchOptions) desktop() bool {
	program, _ := desktopNotice("", "")
	shown := runtime.GOOS == "darwin" || o.env.Getenv("DISPLAY") != "" || o.env.Getenv("WAYLAND_DISPLAY") != "" || o.env.Getenv("DBUS_SESSION_BUS_ADDRESS") != ""
	return shown && sibling.Installed(program)
}

// desktopNotice is the command line that shows a notification.
func desktopNotice(title, text string) (program string, args []string) {
	if runtime.GOOS == "darwin" {
		return "osascript", []string{"-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run", "--", title, text}
	}
	return "notify-send", []string{"--app-name=agit", "--", title, text}
}

// ring announces an event in the ways that were asked for. A failed announcement does not end the watch.
func (o *watchOptions) ring(ctx context.Context, e watch.Event, alert term.Alert) {
	said := term.Escape(e.Text)
	if !o.NoBell {
		o.env.Streams.Bell()
	}
	o.env.Streams.Alert(alert, "agit", said, o.env.Getenv)
	if o.Notify && o.desktop() {
		program, args := desktopNotice("agit", said)
		answer, err := sibling.Ask(ctx, sibling.Call{Program: program, Args: args, Timeout: noticeTime})
		if err == nil && answer.Status != 0 {
			err = fmt.Errorf("%s exited with %d: %s", program, answer.Status, answer.Err)
		}
		if err != nil && ctx.Err() == nil {
			o.env.Streams.Warn("no notification was shown: %v", err)
		}
	}
	if o.Exec == "" {
		return
	}
	err := userhook.Run(ctx, userhook.Hooks{Name: "watch", Commands: []string{o.Exec}, Dir: o.env.Dir, Env: eventEnvironment(e, said), Output: o.env.Streams.ErrWriter()})
	if err != nil && ctx.Err() == nil {
		o.env.Streams.Warn("%v", err)
	}
}

// eventEnvironment is this process's environment with the event. Its text comes from a
// model: it is a value of a variable and never a part of the command.
func eventEnvironment(e watch.Event, text string) []string {
	env := git.UserEnvironment()
	for name, value := range map[string]string{
		"AGIT_EVENT": string(e.Kind), "AGIT_TEXT": text, "AGIT_AGENT": e.Agent, "AGIT_REPO": e.Repo, "AGIT_WORKTREE": e.Worktree,
		"AGIT_TASK": e.Task, "AGIT_STATE": string(e.State), "AGIT_NOTE": e.Note, "AGIT_QUESTION": e.Question,
	} {
		env = append(env, name+"="+strings.ReplaceAll(value, "\x00", ""))
	}
	return env
}
