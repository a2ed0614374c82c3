package command

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/clienthook"
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
		Short: "Tell from a client's hook what its agent is doing",
		Long: `For the hooks of agent clients: read the client's JSON from standard input (or, for
Codex's notify, from the last argument) and note what its agent is doing: working,
waiting for you, idle or gone. EVENT is the client's name of the event, for clients
that do not say it themselves. The agent is --agent, else AGIT_AGENT, else the one
that the worktree of the folder was made for, else one made up from the client and
its conversation in a registered repository; elsewhere nothing is noted.

It prints nothing, never fails, and gives up after 2 seconds. ` + "`agit setup`" + ` puts it
into the clients that have hooks; ` + "`agit watch`" + ` and ` + "`agit status`" + ` show what it noted.`,
		Example: "agit hook stop --client claude-code\necho '{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"npm install\"}}' | agit hook permission-request",
		Args:    cobra.ArbitraryArgs,
	}, o, o.take, run)
	f := cmd.Flags()
	f.StringVar(&o.Agent, "agent", "", "`agent` that the hook speaks of (default AGIT_AGENT)")
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

// runHook never fails: what goes wrong is told on standard error.
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
		return say(ctx, o.env, st)
	})
	if err != nil {
		o.env.Streams.Quiet = false
		o.env.Streams.Notice("agit hook: %v", err)
	}
	return nil
}

// say keeps a statement, where there is a registry: hooks run on behalf of clients that
// may never have met agit.
func say(ctx context.Context, env *cli.Env, st presence.Statement) error {
	cfg, err := env.Config(ctx)
	if err != nil {
		return err
	}
	if exists, err := cfg.Database.Exists(); !exists && err == nil {
		return nil
	}
	db, err := env.Registry(ctx)
	if err != nil {
		return err
	}
	return (&presence.Store{DB: db}).Say(ctx, st)
}
