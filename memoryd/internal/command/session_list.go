package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
)

type sessionListOptions struct {
	where
	open  func(context.Context) (*stores.Stores, error)
	Limit int
}

func newSessionList(env *cli.Env, run func(context.Context, *sessionListOptions) error) *cobra.Command {
	o := &sessionListOptions{open: opener(env)}
	cmd := &cobra.Command{
		Use:     "list [flags]",
		Short:   "List past sessions, the newest first",
		Example: "memoryd session list\nmemoryd session list --json --jq '.sessions[].session_id'",
		Args:    cli.NoArgs,
		RunE:    cli.Run(o, run),
	}
	o.bindProject(env, cmd)
	cmd.Flags().IntVar(&o.Limit, "limit", 10, "at most `n` sessions")
	return cmd
}

func runSessionList(ctx context.Context, o *sessionListOptions) error {
	place, err := o.place()
	if err != nil {
		return err
	}
	st, err := o.open(ctx)
	if err != nil {
		return err
	}
	found, err := st.Sessions.List(ctx, session.Filter{Place: place, Limit: o.Limit})
	if err != nil {
		return err
	}
	return output.List(ctx, o.env.Printer(), "sessions", found, []output.Column[session.Entry]{
		{Title: "SESSION", Value: func(e session.Entry) string { return e.ID }},
		{Title: "STATUS", Value: func(e session.Entry) string { return e.Status }},
		{Title: "STARTED", Value: func(e session.Entry) string { return e.StartedAt }},
	})
}

// opener is how commands get at the stores; --help opens nothing.
func opener(env *cli.Env) func(context.Context) (*stores.Stores, error) {
	return func(ctx context.Context) (*stores.Stores, error) { return stores.Open(ctx, env) }
}
