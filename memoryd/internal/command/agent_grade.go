package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

type agentGradeOptions struct {
	oneAgent
	record.Grading
	AgentGrade, UserGrade string
}

func newAgentGrade(env *cli.Env, run cli.Func[agentGradeOptions]) *cobra.Command {
	o := &agentGradeOptions{oneAgent: about(env)}
	cmd := cli.Command(&cobra.Command{
		Use:   "grade [NAME] COMMIT --agent-grade GRADE --user-grade GRADE",
		Short: "Grade a commit of an agent, by itself and by the user",
		Long: `Grade a commit: -1 or bad, 1 or neutral, 2 or good, 5 or excellence. Both grades
are added to the agent's communication score, and the commit earns 1 XP. An agent
is graded once for a commit; a retrospective of it is kept with the grades.`,
		Example: "memoryd agent grade builder-1 HEAD --agent-grade good --user-grade excellence --user-note 'found the race by itself'\n" +
			"memoryd agent grade 1a2b3c4 --agent builder-1 --agent-grade 1 --user-grade -1",
		Args:              cli.Args("[NAME]", "[COMMIT]"),
		ValidArgsFunction: cli.CompleteFirst(env, listAgents),
	}, o, o.take, run)
	o.bindBooking(cmd)
	f := cmd.Flags()
	f.StringVar(&o.AgentGrade, "agent-grade", "", "the agent's own `grade`: -1, 1, 2, 5 or the word")
	f.StringVar(&o.UserGrade, "user-grade", "", "the user's `grade`: -1, 1, 2, 5 or the word")
	f.StringVar(&o.Task, "task", "", "what the commit was for (default its subject)")
	f.StringVar(&o.AgentNote, "agent-note", "", "the agent's note")
	f.StringVar(&o.UserNote, "user-note", "", "the user's note")
	for _, flag := range []string{"agent-grade", "user-grade"} {
		cli.CompleteFlag(cmd, flag, cli.Words("bad", "neutral", "good", "excellence"))
	}
	return cmd
}

// take reads [NAME] COMMIT.
func (o *agentGradeOptions) take(g cli.Given) error {
	switch len(g.Args) {
	case 1: // the agent is named by a flag or the environment
		o.Commit = g.Args[0]
	case 2:
		o.Name, o.Commit = g.Args[0], g.Args[1]
	}
	return nil
}

func runAgentGrade(ctx context.Context, o *agentGradeOptions) (err error) {
	if o.Commit == "" {
		return fault.Validation("commit", "memoryd agent grade needs COMMIT").WithHint("usage: memoryd agent grade [NAME] COMMIT --agent-grade GRADE --user-grade GRADE")
	}
	g := o.Grading
	if g.AgentGrade, err = record.ParseGrade("agent-grade", o.AgentGrade); err != nil {
		return err
	}
	if g.UserGrade, err = record.ParseGrade("user-grade", o.UserGrade); err != nil {
		return err
	}
	st, by, err := o.booking(ctx)
	if err != nil {
		return err
	}
	g.By = by
	g.LookUp(ctx, o.dir())
	out, err := st.Records.Grade(ctx, g)
	if err != nil {
		return err
	}
	for _, w := range out.Warnings {
		o.env.Streams.Notice("%s", w)
	}
	if out.LevelUp {
		o.env.Streams.Notice("%s has reached SP %d, %s", out.Status.Agent, out.Status.SP, out.Status.Tier)
	}
	return o.env.Printer().Document(ctx, out, func(t *term.Streams) error { return printScores(t, out.Status) })
}

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
