package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/clienthook"
)

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
