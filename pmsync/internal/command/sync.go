package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

type syncOptions struct {
	where
	Verb  string // pull or push
	Force bool
}

func newPull(env *cli.Env) *cobra.Command {
	o := &syncOptions{Verb: "pull"}
	cmd := &cobra.Command{
		Use: "pull [flags]", Short: "Fetch the tickets of the project's tracker (not built yet)", Hidden: true,
		Args: cli.NoArgs, RunE: cli.Run(o, runSync),
	}
	o.bind(env, cmd)
	return cmd
}

func newPush(env *cli.Env) *cobra.Command {
	o := &syncOptions{Verb: "push"}
	cmd := &cobra.Command{
		Use: "push [flags]", Short: "Send what is queued to the project's tracker (not built yet)", Hidden: true,
		Args: cli.NoArgs, RunE: cli.Run(o, runSync),
	}
	o.bind(env, cmd)
	cmd.Flags().BoolVar(&o.Force, "force", false, "send the newest changes too")
	return cmd
}

// runSync has nothing to do for a project without a tracker, and says of one with
// a tracker that its programs are to come.
func runSync(ctx context.Context, o *syncOptions) error {
	cfg, err := o.env.ConfigAt(ctx, o.folder())
	if err != nil {
		return err
	}
	if name := cfg.Provider.Name; name != "local" {
		return fault.Operation(nil, "pmsync %s is not built yet: tickets of %s stay as they are, and changes stay queued", o.Verb, name).
			WithHint("`pmsync ticket import` brings tickets from a file")
	}
	return o.env.Printer().Document(ctx, map[string]int{o.Verb + "ed": 0}, func(s *term.Streams) error {
		s.Notice("this project has no tracker (provider.name), so there is nothing to %s", o.Verb)
		return nil
	})
}
