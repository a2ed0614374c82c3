package command

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type voteOptions struct {
	folder
	Memory, Agent, Note, Vote string
}

func newConfirm(env *cli.Env, run cli.Func[voteOptions]) *cobra.Command {
	return newVote(env, run, history.Confirm, &cobra.Command{
		Use:   "confirm MEMORY [flags]",
		Short: "Record that a memory proved right",
		Long: `Record that an agent acted on a memory and found it right. Votes raise or lower the
confidence of a memory: true citations / checkable ones × (confirms + 1) / (confirms +
disputes + 1). Of each agent the last vote counts, while the memory says the same.`,
		Example: "citecheck confirm api-versioning --agent ann",
	})
}

func newDispute(env *cli.Env, run cli.Func[voteOptions]) *cobra.Command {
	return newVote(env, run, history.Dispute, &cobra.Command{
		Use:   "dispute MEMORY [flags]",
		Short: "Record that a memory proved wrong",
		Long: `Record that an agent acted on a memory and found it wrong. It counts until what the
memory says is changed.`,
		Example: "citecheck dispute api-versioning --agent ann --note 'the prefix is v3 since May'",
	})
}

func newVote(env *cli.Env, run cli.Func[voteOptions], vote string, cmd *cobra.Command) *cobra.Command {
	o := &voteOptions{folder: folder{env: env}, Vote: vote}
	cli.Command(cmd, o, cli.Take(&o.Memory), run)
	cmd.Args = cli.Args("MEMORY")
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Agent, "agent", "", "`name` of that agent (default AGIT_AGENT)")
	f.StringVar(&o.Note, "note", "", "why, in a `sentence`")
	cmd.ValidArgsFunction = o.completeIDs
	return cmd
}

func runVote(ctx context.Context, o *voteOptions) error {
	o.Agent = cmp.Or(o.Agent, o.env.Getenv("AGIT_AGENT"))
	s, err := o.open(ctx, stores.Needed, true)
	if err != nil {
		return err
	}
	defer s.Close()
	v, err := s.Checks.Say(ctx, o.Memory, o.Agent, o.Vote, o.Note)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, v, func(st *term.Streams) error {
		return st.Line(v.Memory, v.Vote, text.Count(v.Confirms, "confirmation", "confirmations")+", "+text.Count(v.Disputes, "dispute", "disputes"), "confidence "+sure(v.Confidence))
	})
}
