package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

type agentLogOptions struct {
	oneAgent
	record.Activity
	At    string
	Limit int
}

func newAgentLog(env *cli.Env, run cli.Func[agentLogOptions]) *cobra.Command {
	o := &agentLogOptions{oneAgent: about(env)}
	cmd := cli.Command(&cobra.Command{
		Use:   "log [NAME] [--task TEXT]",
		Short: "Record an activity, or list the journal",
		Long: `With --task, record what an agent did, the outcome, and what was decided. Without it,
list the agent's journal, newest first: activities, retrospectives, commits, and what
changed its scores.`,
		Example: "memoryd agent log builder-1 --task 'speed up the import' --actions 'batched the inserts' --outcome '40 s to 3 s'\n" +
			"memoryd agent log builder-1 --limit 5",
		Args:              cli.Args("[NAME]"),
		ValidArgsFunction: cli.CompleteFirst(env, listAgents),
	}, o, cli.Take(&o.Name), run)
	o.bindBooking(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Task, "task", "", "what it was about")
	f.StringVar(&o.Actions, "actions", "", "what was done")
	f.StringVar(&o.Outcome, "outcome", "", "the outcome")
	f.StringVar(&o.Decisions, "decisions", "", "what was decided, and why")
	f.StringVar(&o.At, "at", "", "`time` of the activity: RFC 3339, a date, or how long ago (default now)")
	f.IntVar(&o.Limit, "limit", 20, "list at most `n` entries")
	return cmd
}

func runAgentLog(ctx context.Context, o *agentLogOptions) error {
	if o.Task == "" {
		if o.Actions+o.Outcome+o.Decisions+o.At != "" {
			return fault.Validation("task", "the activity has no task").WithHint("say what it was about with --task")
		}
		return listJournal(ctx, o)
	}
	at, err := cli.Past("at", o.At, time.Now())
	if err != nil {
		return err
	}
	st, by, err := o.booking(ctx)
	if err != nil {
		return err
	}
	a := o.Activity
	a.By, a.At.Time = by, at
	kept, err := st.Records.Log(ctx, a)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, kept, func(t *term.Streams) error { return t.Line(kept.BookedOn.Agent, kept.Task, a.Outcome) })
}

func listJournal(ctx context.Context, o *agentLogOptions) error {
	if o.Limit < 1 {
		return fault.Validation("limit", "%d is not a number of entries", o.Limit).WithHint("give 1 or more")
	}
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	entries, err := st.Records.Journal(ctx, o.name(), o.Limit)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		o.env.Streams.Notice("nothing is kept of %s yet", o.name())
	}
	return output.List(ctx, o.env.Printer(), "entries", entries, []output.Column[record.Entry]{
		{Title: "TIME", Value: func(e record.Entry) string { return local(e.At) }},
		{Title: "KIND", Value: func(e record.Entry) string { return e.Kind }},
		{Title: "SCORES", Value: func(e record.Entry) string { return e.Scores() }},
		{Title: "WHAT", Value: journalTitle, Flex: true},
	})
}

// shownOID is how many characters of a commit's hash are shown.
const shownOID = 12

// journalTitle returns the title of an entry, with its commit.
func journalTitle(e record.Entry) string {
	commit := e.Commit[:min(len(e.Commit), shownOID)]
	switch {
	case commit == "":
		return e.Title
	case e.Title == "":
		return commit
	}
	return e.Title + " (" + commit + ")"
}
