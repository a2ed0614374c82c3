package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/text"
)

type suggestOptions struct {
	where
	NoBlockers bool
	NoCriteria bool
	NoAssigned bool
	Limit      int
}

func newSuggest(env *cli.Env, run cli.Func[suggestOptions]) *cobra.Command {
	o := &suggestOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "suggest [flags]",
		Short: "Suggest the ticket to take next, and why",
		Long: `Suggest tickets to take next, the best first, with the reasons: its priority,
whether it is yours, what it unblocks, when it is due, how few criteria are left,
what is remembered about it. Nothing that waits is ever suggested. In a running
sprint its tickets come first.`,
		Example: "pmsync suggest\npmsync suggest --limit 1 --jq '.tickets[0].id'",
	}, o, nil, run))
	f := cmd.Flags()
	f.BoolVar(&o.NoBlockers, "ignore-blockers", false, "do not prefer tickets that others wait for")
	f.BoolVar(&o.NoCriteria, "ignore-criteria", false, "do not prefer tickets with few criteria left")
	f.BoolVar(&o.NoAssigned, "ignore-assigned", false, "do not prefer tickets that are assigned to you")
	f.IntVar(&o.Limit, "limit", 3, "suggest at most `n` tickets")
	return cmd
}

func runSuggest(ctx context.Context, o *suggestOptions) error {
	if err := checkLimit(&o.Limit); err != nil {
		return err
	}
	st, c, err := o.look(ctx)
	if err != nil {
		return err
	}
	all, err := st.Board.Suggest(ctx, worklist.SuggestQuery{Caller: c, Blockers: !o.NoBlockers, Criteria: !o.NoCriteria, Mine: !o.NoAssigned, Limit: o.Limit})
	if err != nil {
		return err
	}
	err = output.ListDocument(ctx, o.env.Printer(), all, all.Tickets, []output.Column[worklist.Suggestion]{
		{Title: "ID", Value: func(s worklist.Suggestion) string { return s.ID }},
		{Title: "PRIORITY", Value: func(s worklist.Suggestion) string { return priority(s.Priority) }},
		{Title: "TITLE", Value: func(s worklist.Suggestion) string { return s.Title }, Flex: true},
		{Title: "BECAUSE", Value: func(s worklist.Suggestion) string { return s.Explanation }, Flex: true},
	})
	if err != nil {
		return err
	}
	if len(all.Tickets) > 0 {
		nextStep(o.env, "`pmsync ticket status %s in_progress` when you begin", text.ShellWord(all.Tickets[0].ID))
		return nil
	}
	readyHint(o.env, worklist.ReadyList{Open: all.Open, Assigned: all.Assigned}, false)
	return nil
}
