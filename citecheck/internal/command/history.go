package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
)

type historyOptions struct {
	folder
	Memory string
	Limit  int
}

func newHistory(env *cli.Env, run cli.Func[historyOptions]) *cobra.Command {
	o := &historyOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "history MEMORY [flags]",
		Short: "Show what checks and agents found of a memory over time",
		Long: `Show every verification of a memory's citations and every vote on it, newest first.
A check that found the same as the one before, of the same commit, is not a new entry.`,
		Example: "citecheck history api-versioning --limit 20",
	}, o, cli.Take(&o.Memory), run)
	o.flags(cmd)
	cmd.Flags().IntVar(&o.Limit, "limit", 50, "most entries to give; 0 is all")
	cmd.ValidArgsFunction = o.completeIDs
	return cmd
}

var eventColumns = []output.Column[history.Event]{
	{Title: "WHEN", Value: func(e history.Event) string { return e.At.Local().Format(time.DateTime) }},
	{Title: "WHAT", Value: func(e history.Event) string { return e.Verdict + e.Vote }},
	{Title: "CITATION", Flex: true, Value: func(e history.Event) string {
		if e.Path == "" {
			return e.Agent
		}
		return memoryfile.Place{Path: e.Path, Line: e.Line}.String()
	}},
	{Title: "FOUND", Flex: true, Value: func(e history.Event) string {
		return memoryfile.Place{Path: e.FoundPath, Line: e.FoundLine}.String()
	}},
	{Title: "COMMIT", Value: func(e history.Event) string { return e.Commit[:min(len(e.Commit), 10)] }},
	{Title: "NOTE", Value: func(e history.Event) string { return e.Note }, Flex: true, Below: true},
}

func runHistory(ctx context.Context, o *historyOptions) error {
	if o.Limit < 0 {
		return fault.Validation("limit", "%d is not a number of entries", o.Limit)
	}
	s, err := o.open(ctx, stores.Kept, true)
	if err != nil {
		return err
	}
	defer s.Close()
	d, err := s.Checks.Named(ctx, o.Memory)
	if err != nil {
		return err
	}
	events := []history.Event{}
	if s.History != nil {
		if events, err = s.History.Events(ctx, d.Key, o.Limit); err != nil {
			return err
		}
	} else {
		o.env.Streams.Notice("history is not kept: there is no registry (`agit init` makes one)")
	}
	return output.List(ctx, o.env.Printer(), "events", events, eventColumns)
}
