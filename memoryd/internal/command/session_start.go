package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

type sessionStartOptions struct {
	where
	session.Start
}

func newSessionStart(env *cli.Env, run cli.Func[sessionStartOptions]) *cobra.Command {
	o := &sessionStartOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "start [flags]",
		Short: "Start a session, or go on with the open one, and get what is needed to work",
		Long: `Start a session of the agent (without one, of the folder) and print what it needs
to go on: project, ticket, acceptance criteria, blockers, the memories that matter,
the last session's summary, how the tickets stand to their tracker. An open session
is continued. Sessions silent for 24 hours are closed as abandoned, and those whose
server ended as interrupted. --resume-last goes on from the newest of these: the agent's
own, else one of this folder whose agent is not at work, else one without an agent.
Without an agent it takes the newest of all. memoryd session resume SESSION takes any other.`,
		Example: "memoryd session start --agent builder-1\nmemoryd session start --item SEM-12 --json --budget 8000\nmemoryd session start --resume-last",
	}, o, nil, run)
	o.bindStart(env, cmd)
	cmd.Flags().BoolVar(&o.ResumeLast, "resume-last", false, "go on from the newest interrupted or abandoned session")
	return cmd
}

func newSessionResume(env *cli.Env, run cli.Func[sessionStartOptions]) *cobra.Command {
	o := &sessionStartOptions{Start: session.Start{Must: true}}
	cmd := cli.Command(&cobra.Command{
		Use:               "resume [SESSION] [flags]",
		Short:             "Go on from a session that was interrupted, abandoned or ended",
		Long:              "Start a session that goes on from SESSION, with its whole context, and has it as\nits parent. Without SESSION it goes on from the session that\nmemoryd session start --resume-last would choose.",
		Example:           "memoryd session resume\nmemoryd session resume s-1q2w3e4r5t",
		ValidArgsFunction: cli.CompleteFirst(env, sessionRefs),
	}, o, o.take, run)
	o.bindStart(env, cmd)
	return cmd
}

func (o *sessionStartOptions) take(g cli.Given) error {
	o.Resume, o.ResumeLast = g.Arg(0), true
	return nil
}

func (o *sessionStartOptions) bindStart(env *cli.Env, cmd *cobra.Command) {
	o.bind(env, cmd)
	f := cmd.Flags()
	f.StringVar(&o.Item, "item", "", "ticket, task, plan or bug it is about, by `id`")
	f.IntVar(&o.Budget, "budget", session.DefaultBudget, "most `bytes` of JSON for the answer")
	f.DurationVar(&o.Wait, "wait", 0, "wait this `long` for a pull of tickets that is under way, such as 20s")
}

func runSessionStart(ctx context.Context, o *sessionStartOptions) error {
	st, place, err := o.openPlace(ctx)
	if err != nil {
		return err
	}
	folder := ""
	if place.At != nil {
		folder = o.env.Dir
		if o.Project != "" {
			folder = place.At.Folder
		}
	}
	o.Who, o.Place = session.Who{Agent: o.agent(), Folder: folder}, place
	started, err := st.Sessions.Start(ctx, o.Start)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, started, func(s *term.Streams) error { return s.Text(started.Text()) })
}

type sessionChoresOptions struct {
	env     *cli.Env
	Project string
	Folder  string
	Chores  map[string]string // the token of each, by name
}

// newSessionChores makes the command that a session start runs in the background: it does the chores that the start took for a project, and
// outlives it.
func newSessionChores(env *cli.Env, run cli.Func[sessionChoresOptions]) *cobra.Command {
	o := &sessionChoresOptions{env: env, Chores: map[string]string{}}
	cmd := cli.Command(&cobra.Command{
		Use:    "chores PROJECT NAME=TOKEN...",
		Short:  "Do what a start of a session left to do (started by session start)",
		Hidden: true,
		Args:   cli.Args("PROJECT", "NAME=TOKEN..."),
	}, o, o.take, run)
	cmd.Flags().StringVar(&o.Folder, "folder", "", "`folder` of the project")
	return cmd
}

func (o *sessionChoresOptions) take(g cli.Given) error {
	o.Project = g.Args[0]
	for _, arg := range g.Args[1:] {
		name, token, _ := strings.Cut(arg, "=")
		o.Chores[name] = token
	}
	return nil
}

func runSessionChores(ctx context.Context, o *sessionChoresOptions) error {
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	return st.Sessions.Do(ctx, o.Project, o.Folder, o.Chores)
}
