package command

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/clienthook"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// hookTime is how long a client's hook may take.
const hookTime = 3 * time.Second

type hookOptions struct {
	where
	Client string
	Plain  bool
	Budget int
}

func newHookSessionStart(env *cli.Env, run cli.Func[hookOptions]) *cobra.Command {
	o := &hookOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "session-start [flags]",
		Short: "Start the session of a client's conversation and give its context to the agent",
		Long: `For the session-start hooks of Claude Code, Codex, Cursor and others: read the
client's JSON from standard input, start the session (or go on with it) and print
what the agent needs, as the JSON that these clients put into the conversation;
--plain prints the text alone. It never fails and gives up after 3 seconds.`,
		Example: "memoryd hook session-start --client claude-code",
	}, o, nil, run)
	o.bindHook(env, cmd)
	cmd.Flags().IntVar(&o.Budget, "budget", session.DefaultBudget, "most `bytes` of context")
	cmd.Flags().BoolVar(&o.Plain, "plain", false, "print the context as text, without JSON around it")
	return cmd
}

func newHookSessionEnd(env *cli.Env, run cli.Func[hookOptions]) *cobra.Command {
	o := &hookOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "session-end [flags]",
		Short: "End the session of a client's conversation",
		Long: `For the session-end hooks of clients: end the session that session-start started
for this conversation, with a summary made from its events. It never fails and gives
up after 3 seconds; then the next start closes the session.`,
		Example: "memoryd hook session-end --client claude-code",
	}, o, nil, run)
	o.bindHook(env, cmd)
	return cmd
}

// bindHook adds the flags of client hooks, which accept all arguments.
func (o *hookOptions) bindHook(env *cli.Env, cmd *cobra.Command) {
	o.bind(env, cmd)
	cmd.Flags().StringVar(&o.Client, "client", "", "`name` of the client, such as claude-code")
	cmd.FParseErrWhitelist.UnknownFlags = true
	cmd.Args = cobra.ArbitraryArgs
}

func runHookSessionStart(ctx context.Context, o *hookOptions) error {
	return o.unfailing(ctx, func(ctx context.Context, said clienthook.Event) error { return hookStart(ctx, o, said) })
}

func runHookSessionEnd(ctx context.Context, o *hookOptions) error {
	return o.unfailing(ctx, func(ctx context.Context, said clienthook.Event) error { return hookEnd(ctx, o, said) })
}

// unfailing runs a hook that never fails its caller: errors go to standard error.
func (o *hookOptions) unfailing(ctx context.Context, hook func(context.Context, clienthook.Event) error) error {
	ctx, stop := context.WithTimeout(ctx, hookTime)
	defer stop()
	o.env.OnlyLooks() // beside a project's file that cannot be read, too
	if err := hook(ctx, clienthook.Listen(ctx, o.env.Streams, o.env.Dir, hookTime/3)); err != nil {
		o.env.Streams.Notice("%v", err)
	}
	return nil
}

// who returns the agent of a client's conversation: the named one, else the one of its seat, "" when it has none.
func (o *hookOptions) who(ctx context.Context, db *registry.DB, said clienthook.Event) (w session.Who, err error) {
	w = session.Who{Agent: o.agent(), Folder: said.Cwd}
	w.Client = said.Conversation()
	if w.Client == "" || w.Agent != "" {
		return w, nil
	}
	w.Made = true
	w.Agent, err = registry.Read(ctx, db, func(tx *registry.Tx) (string, error) { return seat.Find(tx, said.Seat(o.Client)) })
	return w, err
}

// seated is who, but takes a seat for a conversation that has none.
func (o *hookOptions) seated(ctx context.Context, db *registry.DB, said clienthook.Event) (w session.Who, err error) {
	if w, err = o.who(ctx, db, said); err != nil || !w.Made {
		return w, err
	}
	w.Agent, err = registry.Write(ctx, db, registry.Named, func(tx *registry.Tx) (string, error) { return seat.Take(tx, said.Seat(o.Client)) })
	return w, err
}

func hookStart(ctx context.Context, o *hookOptions, said clienthook.Event) error {
	place, err := project.Locate(o.Project, said.Cwd)
	if err != nil {
		return err
	}
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	who, err := o.seated(ctx, st.DB, said)
	if err != nil {
		return err
	}
	started, err := st.Sessions.Start(ctx, session.Start{Who: who, Place: place, Budget: o.Budget})
	if err != nil {
		return err
	}
	told := started.Text()
	if o.Plain {
		return o.env.Streams.Text(told)
	}
	answer, err := said.Answer("SessionStart", told)
	if err == nil {
		_, err = o.env.Streams.Out.Write(answer)
	}
	return err
}

func hookEnd(ctx context.Context, o *hookOptions, said clienthook.Event) error {
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	who, err := o.who(ctx, st.DB, said)
	if err != nil {
		return err
	}
	x, err := st.Sessions.OfClient(ctx, who)
	if err != nil {
		return err
	}
	_, err = st.Sessions.End(ctx, session.End{ID: x.ID, PushLater: true})
	return err
}

func newHookSheet(env *cli.Env, run cli.Func[hookOptions]) *cobra.Command {
	o := &hookOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "sheet [flags]",
		Short: "Draw the player sheet of a conversation's agent",
		Long: `For clients that show a message beside the conversation, such as opencode's toasts: read
the client's JSON from standard input and draw the player sheet of the agent: --agent,
else AGIT_AGENT, else the one of the conversation. With --json it comes with the numbers,
and with whether the agent is halted. It never fails and gives up after 3 seconds.`,
		Example: "memoryd hook sheet --client opencode --json",
	}, o, nil, run)
	o.bindHook(env, cmd)
	return cmd
}

func runHookSheet(ctx context.Context, o *hookOptions) error {
	return o.unfailing(ctx, func(ctx context.Context, said clienthook.Event) error {
		st, err := open(ctx, o.env)
		if err != nil {
			return err
		}
		who, err := o.who(ctx, st.DB, said)
		if err != nil {
			return err
		}
		return o.draw(ctx, who.Agent, said.Cwd, false)
	})
}

type hookToolOptions struct {
	hookOptions
	Kind  string
	Times int64
}

func newHookTool(env *cli.Env, run cli.Func[hookToolOptions]) *cobra.Command {
	o := &hookToolOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "tool [flags]",
		Short: "Give an agent the XP of a tool use or a command",
		Long: `For the hooks that clients run after a tool (PostToolUse, tool.execute.after) or a
command: 0.1 XP for the agent: --agent, else AGIT_AGENT, else the one of the client's
conversation, whose JSON is read from standard input. A commit that the command made
counts for the agent, also without hooks of git. It never fails and gives up after 3
seconds.`,
		Example: "memoryd hook tool --client claude-code\nmemoryd hook tool --agent builder-1 --kind command",
	}, o, nil, run)
	o.bindHook(env, cmd)
	cmd.Flags().StringVar(&o.Kind, "kind", "tool", "what was used: tool or command")
	cmd.Flags().Int64Var(&o.Times, "times", 1, "how often")
	cli.CompleteFlag(cmd, "kind", cli.Words(record.UseKinds...))
	return cmd
}

func runHookTool(ctx context.Context, o *hookToolOptions) error {
	return o.unfailing(ctx, func(ctx context.Context, said clienthook.Event) error {
		return clienthook.Within(ctx, hookTime, func(ctx context.Context) error { return hookTool(ctx, o, said) })
	})
}

func hookTool(ctx context.Context, o *hookToolOptions, said clienthook.Event) error {
	if o.agent() == "" && said.Conversation() == "" {
		return errors.New("no agent is named, so no agent earns the XP; give --agent NAME or set AGIT_AGENT")
	}
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	w, err := o.who(ctx, st.DB, said)
	if err == nil && w.Agent == "" { // its first word
		w, err = o.seated(ctx, st.DB, said)
	}
	if err != nil {
		return err
	}
	who := w.Agent
	_, err = st.Records.Use(ctx, record.Use{By: record.By{Agent: who}, Kind: o.Kind, Times: o.Times})
	if err != nil || !said.Commits() {
		return err
	}
	return countCommit(ctx, st, who, said.Cwd)
}

// justMade is the maximum age of a commit from a tool's command: the command may go on to run tests after it.
const justMade = 2 * time.Minute

// countCommit counts the commit that an agent's command made in a folder. A commit that a git hook already reported is known, and counts
// once.
func countCommit(ctx context.Context, st *stores.Stores, who, folder string) error {
	c, ok := record.LastCommit(ctx, folder)
	if !ok || time.Since(c.At.Time) > justMade {
		return nil
	}
	place, err := project.Locate("", folder)
	if err != nil {
		return err
	}
	c.By = record.By{Agent: who, Place: place}
	_, err = st.Records.Commit(ctx, c)
	return err
}
