package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/work"
)

type logOptions struct {
	inProject
	Limit  int
	Follow bool
}

func newLog(env *cli.Env, run cli.Func[logOptions]) *cobra.Command {
	o := &logOptions{inProject: inProject{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:     "log",
		Short:   "Show what happened to tasks, bugs and the rest",
		Long:    "Show who changed what, when, from what, to what, and why: the newest last. --follow\ngoes on with what any process changes until it is stopped.",
		Example: "agit log\nagit log --follow -o ndjson --jq 'select(.new == \"completed\")'",
		Args:    cli.NoArgs,
	}, o, o.take, run)
	o.listFlags(cmd)
	cmd.Flags().IntVar(&o.Limit, "limit", 50, "show at most `n` events; 0 for all")
	cmd.Flags().BoolVarP(&o.Follow, "follow", "f", false, "go on with what happens from now on")
	return cmd
}

func (o *logOptions) take(cli.Given) error {
	if o.Follow {
		o.env.Readers = 2 // one listens while the other reads
	}
	return nil
}

var logColumns = []output.Column[work.Logged]{
	{Title: "TIME", Value: func(l work.Logged) string { return l.At.Local().Format(time.DateTime) }},
	{Title: "ID", Value: func(l work.Logged) string { return l.Item }},
	{Title: "CHANGE", Flex: true, Value: func(l work.Logged) string { return change(l.Event) }},
	{Title: "WHO", Short: true, Value: func(l work.Logged) string {
		if l.Name == "" {
			return l.Actor
		}
		return l.Name
	}},
	{Title: "WHY", Value: func(l work.Logged) string { return l.Why }, Flex: true},
}

// change says from what to what an event went.
func change(e work.Event) string {
	if e.Old == "" {
		return e.Field + " " + e.New
	}
	return e.Field + " " + e.Old + " → " + e.New
}

func runLog(ctx context.Context, o *logOptions) error {
	s, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	if o.Project, err = o.within(ctx, s); err != nil {
		return err
	}
	if !o.Follow {
		all, err := s.Graph.Log(ctx, o.Project, o.Limit)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			o.env.Streams.Notice("no task, bug or the like was changed yet; `agit status` shows worktrees")
		}
		return output.List(ctx, o.env.Printer(), "events", all, logColumns)
	}
	stream, err := output.NewStream(o.env.Printer(), logColumns)
	if err != nil {
		return err
	}
	last, err := s.Graph.LastEvent(ctx)
	if err != nil {
		return err
	}
	if o.Limit > 0 {
		all, err := s.Graph.Log(ctx, o.Project, o.Limit)
		if err != nil {
			return err
		}
		for _, l := range all {
			if l.Seq > last {
				break
			}
			if err := stream.Item(ctx, l); err != nil {
				return err
			}
		}
	}
	return s.Graph.Follow(ctx, o.Project, last, func() {}, func(l work.Logged) error { return stream.Item(ctx, l) })
}
