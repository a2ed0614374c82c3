package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/clienthook"
)

// gitHookTime is how long a commit or push may wait for its hook.
const gitHookTime = 2 * time.Second

type gitHookOptions struct{ oneAgent }

func newHookPostCommit(env *cli.Env, run cli.Func[gitHookOptions]) *cobra.Command {
	return gitHookCommand(env, run, &cobra.Command{
		Use:   "post-commit [flags]",
		Short: "Record the commit that was just made",
		Long: `For git's post-commit hook: record the commit with its message, and count it for the
agent that made it: --agent, else AGIT_AGENT, else that of the one session open in this
working tree, else no agent. An amended commit takes the place of what it amends; those
of a rebase are not counted again. It never fails and gives up after 2 seconds.`,
		Example: "memoryd hook post-commit",
	})
}

func newHookPrePush(env *cli.Env, run cli.Func[gitHookOptions]) *cobra.Command {
	return gitHookCommand(env, run, &cobra.Command{
		Use:   "pre-push [flags]",
		Short: "Let servers store what they hold, since commits are pushed",
		Long: `For git's pre-push hook: tell every memoryd server that commits are about to be
pushed, so that it stores the records it still holds. It never fails, never holds up
the push, and gives up after 2 seconds.`,
		Example: "memoryd hook pre-push origin git@example.com:app.git",
	})
}

// gitHookCommand makes a command that accepts all arguments from git, and does not read standard input, which may stay open. It never fails
// git.
func gitHookCommand(env *cli.Env, hook cli.Func[gitHookOptions], cmd *cobra.Command) *cobra.Command {
	o := &gitHookOptions{about(env)}
	cli.Command(cmd, o, nil, func(ctx context.Context, o *gitHookOptions) error {
		if err := clienthook.Within(ctx, gitHookTime, func(ctx context.Context) error { return hook(ctx, o) }); err != nil {
			o.env.Streams.Notice("memoryd did not record this: %v", err)
		}
		return nil
	})
	o.bindBooking(cmd)
	cmd.FParseErrWhitelist.UnknownFlags = true
	cmd.Args = cobra.ArbitraryArgs
	return cmd
}

func runHookPostCommit(ctx context.Context, o *gitHookOptions) error {
	c, ok := record.LastCommit(ctx, o.env.Dir)
	if !ok {
		return nil
	}
	st, by, err := o.booking(ctx)
	if err != nil {
		return err
	}
	c.By = by
	_, err = st.Records.Commit(ctx, c)
	return err
}

func runHookPrePush(ctx context.Context, o *gitHookOptions) error {
	st, place, err := o.openPlace(ctx)
	if err != nil {
		return err
	}
	return st.Records.Pushed(ctx, place)
}
