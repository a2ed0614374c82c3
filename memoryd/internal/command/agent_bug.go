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
	Commit, Note string
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
	by, err := o.by()
	if err != nil {
		return err
	}
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	bug := record.Bug{By: by, Commit: record.FullOID(ctx, o.dir(), o.Commit), Note: o.Note}
	r, err := st.Records.Bug(ctx, bug)
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
