package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/clienthook"
)

// gitHookTime is what a commit or push may wait for its hook.
const gitHookTime = 2 * time.Second

type gitHookOptions struct {
	agentOptions
}

func newHookPostCommit(env *cli.Env) *cobra.Command {
	return gitHookCommand(env, &cobra.Command{
		Use:   "post-commit [flags]",
		Short: "Record the commit that was just made",
		Long: `For git's post-commit hook: record the commit with its message, and count it for the
agent that made it: --agent, else AGIT_AGENT, else that of the one session open in this
working tree, else no agent. An amended commit takes the place of what it amends; those
of a rebase are not counted again. It never fails and gives up after 2 seconds.`,
		Example: "memoryd hook post-commit",
	}, hookPostCommit)
}

func newHookPrePush(env *cli.Env) *cobra.Command {
	return gitHookCommand(env, &cobra.Command{
		Use:   "pre-push [flags]",
		Short: "Let servers store what they hold, since commits are pushed",
		Long: `For git's pre-push hook: tell every memoryd server that commits are about to be
pushed, so that it stores the records it still holds. It never fails, never holds up
the push, and gives up after 2 seconds.`,
		Example: "memoryd hook pre-push origin git@example.com:app.git",
	}, hookPrePush)
}

// gitHookCommand makes a command that never fails git, whatever it is given, and
// leaves standard input, which may stay open, alone.
func gitHookCommand(env *cli.Env, cmd *cobra.Command, run func(context.Context, *gitHookOptions) error) *cobra.Command {
	o := &gitHookOptions{}
	o.env = env
	o.bindBooking(cmd)
	cmd.FParseErrWhitelist.UnknownFlags = true
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(c *cobra.Command, _ []string) error {
		if err := clienthook.Within(c.Context(), gitHookTime, func(ctx context.Context) error { return run(ctx, o) }); err != nil {
			env.Streams.Notice("memoryd did not record this: %v", err)
		}
		return nil
	}
	return cmd
}

func hookPostCommit(ctx context.Context, o *gitHookOptions) error {
	c, ok := record.LastCommit(ctx, o.env.Dir)
	if !ok {
		return nil
	}
	by, err := o.by()
	if err != nil {
		return err
	}
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	c.By = by
	_, err = st.Records.Commit(ctx, c)
	return err
}

func hookPrePush(ctx context.Context, o *gitHookOptions) error {
	place, err := o.place()
	if err != nil {
		return err
	}
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	return st.Records.Pushed(ctx, place)
}
