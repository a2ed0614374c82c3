package command

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/permit"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/clienthook"
	"github.com/agit-suite/agit/shared/registry"
)

// stateHookTime is what a client may wait for its hook.
const stateHookTime = 2 * time.Second

type hookOptions struct {
	env    *cli.Env
	Event  string
	Said   string // the client's JSON, for clients that give it as an argument
	Agent  string
	Client string
}

func newHook(env *cli.Env, run cli.Func[hookOptions]) *cobra.Command {
	o := &hookOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "hook EVENT [flags]",
		Short: "Record from a client's hook what its agent is doing",
		Long: `For the hooks of agent clients: read the client's JSON from standard input (or, for
Codex's notify, from the last argument) and note what its agent is doing: working,
waiting for you, idle or gone. EVENT is the client's name of the event, for clients
whose JSON does not hold it. The agent is --agent, else AGIT_AGENT, else the one that
the worktree of the folder was made for. Otherwise, in a registered repository, it is
the first free number of the client, such as claude-1, as for the client's MCP servers;
the number is free again when the conversation ends. Elsewhere nothing is noted.

A message of agit tell for the agent is printed for the client, where it takes one from
the event; else nothing is printed. It never fails, and stops after 2 seconds.
` + "`agit setup`" + ` puts it into the clients that have hooks; ` + "`agit watch`" + ` and ` + "`agit status`" + `
show what it noted.`,
		Example: "agit hook stop --client claude-code\necho '{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"npm install\"}}' | agit hook permission-request",
		Args:    cobra.ArbitraryArgs,
	}, o, o.take, run)
	f := cmd.Flags()
	f.StringVar(&o.Agent, "agent", "", "`agent` whose hook this is (default AGIT_AGENT)")
	f.StringVar(&o.Client, "client", "", "`name` of the client, such as claude-code")
	cmd.FParseErrWhitelist.UnknownFlags = true
	cmd.ValidArgsFunction = cli.Words("session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use", "permission-request", "notification", "stop", "session-end")
	return cmd
}

func (o *hookOptions) take(g cli.Given) error {
	for _, arg := range g.Args {
		if strings.HasPrefix(arg, "{") {
			o.Said = arg
		} else if o.Event == "" {
			o.Event = arg
		}
	}
	return nil
}

// runHook never fails: errors are printed on standard error.
func runHook(ctx context.Context, o *hookOptions) error {
	o.env.Streams.Quiet = true
	err := clienthook.Within(ctx, stateHookTime, func(ctx context.Context) error {
		e := clienthook.Parse([]byte(o.Said)).At(o.env.Dir)
		if o.Said == "" {
			e = clienthook.Listen(ctx, o.env.Streams, o.env.Dir, stateHookTime/2)
		}
		st, known := presence.Heard(o.Client, o.Event, e)
		if !known {
			return nil
		}
		st.Agent, st.Worktree = agentOf(o.env, o.Agent), o.env.Getenv("AGIT_WORKTREE")
		o.env.OnlyLooks()
		cfg, err := o.env.Config(ctx)
		if err != nil {
			return err
		}
		if exists, err := cfg.Database.Exists(); err != nil || !exists { // the client may never have met agit
			return err
		}
		db, err := o.env.Registry(ctx)
		if err != nil {
			return err
		}
		if err := (&presence.Store{DB: db}).Say(ctx, st); err != nil {
			return err
		}
		return o.passOn(ctx, db, e, st)
	})
	if err != nil {
		o.env.Streams.Quiet = false
		o.env.Streams.Notice("agit hook: %v", err)
	}
	return nil
}

// passOn puts messages of people to the agent into the client's conversation, where the client accepts messages from the hook of this
// event.
func (o *hookOptions) passOn(ctx context.Context, db *registry.DB, e clienthook.Event, st presence.Statement) error {
	moment := e.Moment(o.Event)
	if !clienthook.Hears(o.Client, moment) {
		return nil
	}
	messages := &message.Store{DB: db}
	if waits, err := messages.AnyWaits(ctx); err != nil || !waits {
		return err
	}
	who, err := (&presence.Store{DB: db}).Agent(ctx, st)
	if err != nil || who == 0 {
		return err
	}
	run := cmp.Or(o.env.Getenv(worker.RunVariable), registry.NewID("hook-"))
	list, err := messages.Take(ctx, who, run)
	if err != nil || len(list) == 0 {
		return err
	}
	line, err := e.Interject(moment, o.Event, message.Words(list))
	if err == nil {
		_, err = o.env.Streams.Out.Write(line)
	}
	if err != nil { // they wait again
		return errors.Join(err, db.Write(ctx, registry.Named, func(tx *registry.Tx) error { return message.Ended(tx, run, "") }))
	}
	return messages.Deliver(ctx, run, st.Session)
}

// newPermit is a program for clients of `agit work` that ask by an MCP tool before they call another; people do not start it.
func newPermit(env *cli.Env, run cli.Func[cli.Env]) *cobra.Command {
	return cli.Command(&cobra.Command{
		Use:    "permit",
		Hidden: true,
		Short:  "Ask the worker that runs a client what it may do",
		Long: `Speak MCP on standard input and output with one tool, by which a client that agit
work runs asks before it calls a tool. The worker decides.`,
		Example: "agit permit",
	}, env, nil, run)
}

func runPermit(ctx context.Context, env *cli.Env) error {
	return permit.Serve(ctx, env.Streams.In, env.Streams.Out, env.Getenv(permit.Variable))
}
