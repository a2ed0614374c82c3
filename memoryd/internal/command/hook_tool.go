package command

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/clienthook"
	"github.com/agit-suite/agit/shared/project"
)

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
