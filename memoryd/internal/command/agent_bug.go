package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type agentBugOptions struct {
	oneAgent
	record.Bug
}

func newAgentBug(env *cli.Env, run cli.Func[agentBugOptions]) *cobra.Command {
	o := &agentBugOptions{oneAgent: about(env)}
	cmd := cli.Command(&cobra.Command{
		Use:   "bug [NAME]",
		Short: "Record a bug that an agent made; takes one score point",
		Long: `Record a bug that an agent made. It takes one score point; an agent with none left
is halted and gets no claim until a person resumes it. The note warns whoever
looks for prior art.`,
		Example:           "memoryd agent bug builder-1 --commit 1a2b3c4 --note 'dropped the WHERE clause of the clean-up'",
		ValidArgsFunction: cli.CompleteFirst(env, listAgents),
	}, o, cli.Take(&o.Name), run)
	o.bindBooking(cmd)
	cmd.Flags().StringVar(&o.Commit, "commit", "", "`commit` that brought it")
	cmd.Flags().StringVar(&o.Note, "note", "", "what was wrong")
	return cmd
}

func runAgentBug(ctx context.Context, o *agentBugOptions) error {
	st, by, err := o.booking(ctx)
	if err != nil {
		return err
	}
	o.By, o.Commit = by, record.FullOID(ctx, o.dir(), o.Commit)
	r, err := st.Records.Bug(ctx, o.Bug)
	if err != nil {
		return err
	}
	if r.Halted {
		o.env.Streams.Notice("%s is halted and gets no claim until a person runs `memoryd agent resume %s`", r.Agent, text.ShellWord(r.Agent))
	}
	return o.env.Printer().Document(ctx, r, func(t *term.Streams) error { return printScores(t, r.Status) })
}

// printScores prints the agent's scores after a write, in one line.
func printScores(t *term.Streams, s record.Status) error {
	cells := []string{s.Agent, s.Tier, fmt.Sprintf("SP %d", s.SP), "XP " + s.XP.String(), fmt.Sprintf("CS %d", s.CS)}
	if s.Halted {
		cells = append(cells, "halted")
	}
	return t.Line(cells...)
}

type agentResumeOptions struct {
	oneAgent
	Note string
}

func newAgentResume(env *cli.Env, run cli.Func[agentResumeOptions]) *cobra.Command {
	o := &agentResumeOptions{oneAgent: about(env)}
	cmd := cli.Command(&cobra.Command{
		Use:   "resume NAME",
		Short: "Let a halted agent claim work again, with one score point",
		Long: `Let a halted agent claim work again. It starts over with one score point; its
other scores stay. This is for a person: an agent (AGIT_AGENT) cannot resume itself.
One that is not halted is left as it is.`,
		Example:           "memoryd agent resume builder-1 --note 'reviewed the three bugs together'",
		Args:              cli.Args("NAME"),
		ValidArgsFunction: cli.CompleteFirst(env, listAgents),
	}, o, cli.Take(&o.Name), run)
	cmd.Flags().StringVar(&o.Note, "note", "", "why it may go on")
	return cmd
}

func runAgentResume(ctx context.Context, o *agentResumeOptions) error {
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	r, err := st.Records.Resume(ctx, o.env.Getenv("AGIT_AGENT"), o.Name, o.Note)
	if err != nil {
		return err
	}
	if !r.Resumed {
		o.env.Streams.Notice("%s was not halted", r.Agent)
	}
	return o.env.Printer().Document(ctx, r, func(t *term.Streams) error { return printScores(t, r.Status) })
}
