package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

type agentRetroOptions struct {
	oneAgent
	record.Retrospective
	AgentGrade, UserGrade, At string
}

func newAgentRetro(env *cli.Env, run cli.Func[agentRetroOptions]) *cobra.Command {
	o := &agentRetroOptions{oneAgent: about(env)}
	cmd := cli.Command(&cobra.Command{
		Use:   "retro [NAME] --task TEXT | --commit COMMIT",
		Short: "Record a retrospective; changes no scores",
		Long: `Record the lessons of a piece of work. An agent has one retrospective for each commit:
a second one replaces the fields that it names and keeps the others. Scores come from
grades alone.`,
		Example:           "memoryd agent retro builder-1 --commit HEAD --agent-note 'the fixture hid the bug; test with real data'",
		Args:              cli.Args("[NAME]"),
		ValidArgsFunction: cli.CompleteFirst(env, listAgents),
	}, o, cli.Take(&o.Name), run)
	o.bindBooking(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Task, "task", "", "what the work was")
	f.StringVar(&o.Commit, "commit", "", "its `commit`")
	f.StringVar(&o.AgentGrade, "agent-grade", "", "the agent's own `grade` (default the commit's)")
	f.StringVar(&o.UserGrade, "user-grade", "", "the user's `grade` (default the commit's)")
	f.StringVar(&o.AgentNote, "agent-note", "", "the agent's note: what it learned")
	f.StringVar(&o.UserNote, "user-note", "", "the user's note")
	f.StringVar(&o.At, "at", "", "`time` of the retrospective: RFC 3339, a date, or how long ago (default now)")
	return cmd
}

func runAgentRetro(ctx context.Context, o *agentRetroOptions) (err error) {
	r := o.Retrospective
	for field, g := range map[string]struct {
		given string
		into  *record.Grade
	}{"agent-grade": {o.AgentGrade, &r.AgentGrade}, "user-grade": {o.UserGrade, &r.UserGrade}} {
		if g.given != "" {
			if *g.into, err = record.ParseGrade(field, g.given); err != nil {
				return err
			}
		}
	}
	if r.At.Time, err = cli.Past("at", o.At, time.Now()); err != nil {
		return err
	}
	st, by, err := o.booking(ctx)
	if err != nil {
		return err
	}
	r.By = by
	if r.Commit != "" {
		r.Commit = record.FullOID(ctx, o.dir(), r.Commit)
	}
	kept, err := st.Records.Retrospect(ctx, r)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, kept, func(t *term.Streams) error {
		return t.Line(kept.BookedOn.Agent, kept.AgentGrade.String(), kept.UserGrade.String(), kept.Task)
	})
}
