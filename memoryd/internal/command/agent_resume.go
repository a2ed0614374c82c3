package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

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
