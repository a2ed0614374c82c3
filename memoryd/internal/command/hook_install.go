package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/git/githook"
	"github.com/agit-suite/agit/shared/term"
)

type hookInstallOptions struct {
	env  *cli.Env
	part func(githook.Part, string) (githook.Result, error)
}

func newHookInstall(env *cli.Env, run cli.Func[hookInstallOptions]) *cobra.Command {
	o := &hookInstallOptions{env: env, part: githook.Part.Install}
	return cli.Command(&cobra.Command{
		Use:   "install",
		Short: "Add memoryd to the repository's post-commit and pre-push hooks",
		Long: `Add memoryd to the post-commit and pre-push hooks of the current repository, or make
them. A hook that is there is kept; memoryd's lines stand between marks at its beginning.
Installing twice is the same as once. core.hooksPath is honoured inside the repository.`,
		Example: "memoryd hook install",
	}, o, nil, run)
}

func newHookRemove(env *cli.Env, run cli.Func[hookInstallOptions]) *cobra.Command {
	o := &hookInstallOptions{env: env, part: githook.Part.Remove}
	return cli.Command(&cobra.Command{
		Use:     "remove",
		Short:   "Take memoryd out of the repository's hooks",
		Example: "memoryd hook remove",
	}, o, nil, run)
}

func runHookInstall(ctx context.Context, o *hookInstallOptions) error {
	var paths [len(githook.Commits)]string
	for i, part := range githook.Commits { // all of them or none
		path, err := part.Path(ctx, o.env.Dir)
		if err != nil {
			return err
		}
		if err := part.Check(path); err != nil {
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
