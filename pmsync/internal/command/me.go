package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

type meOptions struct {
	where
	Names  []string
	Forget bool
}

func newMe(env *cli.Env, run cli.Func[meOptions]) *cobra.Command {
	o := &meOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "me [NAME...] [flags]",
		Short: "Set the names under which tickets are assigned to you",
		Long: `Set the names, ids or addresses under which a project's tickets are assigned to you.
Tickets of these names are offered as your work, those of others are not. Without names
they are shown. Your account at the tracker needs no name here.`,
		Example: "pmsync me \"Ann Smith\" ann@example.com\npmsync me",
	}, o, cli.TakeAll(&o.Names), run))
	cmd.Flags().BoolVar(&o.Forget, "forget", false, "forget the names given here before")
	return cmd
}

func runMe(ctx context.Context, o *meOptions, st *stores.Stores, c caller.Caller) error {
	known, err := st.Tickets.Me(ctx, c, o.Names, o.Forget)
	return o.show(ctx, map[string][]string{"names": known}, err, func(s *term.Streams) error {
		if len(known) == 0 {
			s.Notice("no name of yours is known here; `pmsync me NAME` adds one")
			return nil
		}
		for _, name := range known {
			if err := s.Line(name); err != nil {
				return err
			}
		}
		return nil
	})
}
