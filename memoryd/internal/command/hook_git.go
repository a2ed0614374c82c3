package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/clienthook"
	"github.com/agit-suite/agit/shared/git/githook"
	"github.com/agit-suite/agit/shared/term"
)

// gitHookTime is how long a commit or push may wait for its hook.
const gitHookTime = 2 * time.Second

func newHookPostCommit(env *cli.Env, run cli.Func[oneAgent]) *cobra.Command {
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

func newHookPrePush(env *cli.Env, run cli.Func[oneAgent]) *cobra.Command {
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
func gitHookCommand(env *cli.Env, hook cli.Func[oneAgent], cmd *cobra.Command) *cobra.Command {
	o := &oneAgent{where: where{env: env}}
	cli.Command(cmd, o, nil, func(ctx context.Context, o *oneAgent) error {
		o.env.OnlyLooks() // beside a project's file that cannot be read, too
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

func runHookPostCommit(ctx context.Context, o *oneAgent) error {
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

func runHookPrePush(ctx context.Context, o *oneAgent) error {
	st, place, err := o.openPlace(ctx)
	if err != nil {
		return err
	}
	return st.Records.Pushed(ctx, place)
}

type hookInstallOptions struct {
	env   *cli.Env
	check func(githook.Part, string) error // before the first hook is changed; nil for none
	part  func(githook.Part, string) (githook.Result, error)
}

func newHookInstall(env *cli.Env, run cli.Func[hookInstallOptions]) *cobra.Command {
	o := &hookInstallOptions{env: env, check: githook.Part.Check, part: githook.Part.Install}
	return cli.Command(&cobra.Command{
		Use:   "install",
		Short: "Add memoryd to the repository's post-commit and pre-push hooks",
		Long: `Add memoryd to the post-commit and pre-push hooks of the current repository, or make
them. A hook that is there is kept; memoryd's lines stand between marks at its beginning.
Installing twice is the same as once. core.hooksPath is honoured inside the repository.`,
		Example: "memoryd hook install",
		Args:    cli.NoArgs,
	}, o, nil, run)
}

func newHookRemove(env *cli.Env, run cli.Func[hookInstallOptions]) *cobra.Command {
	o := &hookInstallOptions{env: env, part: githook.Part.Remove}
	return cli.Command(&cobra.Command{
		Use:     "remove",
		Short:   "Take memoryd out of the repository's hooks",
		Example: "memoryd hook remove",
		Args:    cli.NoArgs,
	}, o, nil, run)
}

func runHookInstall(ctx context.Context, o *hookInstallOptions) error {
	var paths [len(githook.Commits)]string
	for i, part := range githook.Commits { // all of them or none
		path, err := part.Path(ctx, o.env.Dir)
		if err == nil && o.check != nil {
			err = o.check(part, path)
		}
		if err != nil {
			return err
		}
		paths[i] = path
	}
	var done []githook.Result
	for i, part := range githook.Commits {
		r, err := o.part(part, paths[i])
		if err != nil {
			return err
		}
		done = append(done, r)
	}
	return o.env.Printer().Document(ctx, map[string][]githook.Result{"hooks": done}, func(t *term.Streams) error {
		for _, r := range done {
			if err := t.Line(r.Outcome, r.Hook); err != nil {
				return err
			}
		}
		return nil
	})
}
