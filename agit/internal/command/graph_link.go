package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
)

// linkOptions are what a relationship is made of, or found by.
type linkOptions struct {
	byAgent
	env            *cli.Env
	A, Relation, B string
	Bidirectional  bool
	Notes          string
}

func newGraphLink(env *cli.Env, run cli.Func[linkOptions]) *cobra.Command {
	o := &linkOptions{env: env}
	cmd := o.command("link", "Relate two items: A blocks B, A parent_of B, …", run)
	cmd.Flags().BoolVar(&o.Bidirectional, "bidirectional", false, "with related_to: it holds both ways")
	cmd.Flags().StringVar(&o.Notes, "notes", "", "`text` kept with it")
	return cmd
}

func newGraphUnlink(env *cli.Env, run cli.Func[linkOptions]) *cobra.Command {
	o := &linkOptions{env: env}
	return o.command("unlink", "Take a relationship between two items away", run)
}

func (o *linkOptions) command(verb, short string, run cli.Func[linkOptions]) *cobra.Command {
	cmd := cli.Command(&cobra.Command{
		Use:   verb + " A RELATION B",
		Short: short,
		Long: `Relate two items of any kind and project, or end that. RELATION is blocks (B waits
for A), parent_of (A contains B), discovered_from (A came up while B was worked
on) or related_to. What would close a cycle is refused, naming it.`,
		Example: "agit graph " + verb + " UAT-001 blocks UAT-002",
	}, o, cli.Take(&o.A, &o.Relation, &o.B), run)
	o.agentFlag(cmd, o.env)
	return cmd
}

func (o *linkOptions) link() graph.Link {
	return graph.Link{A: o.A, Relation: o.Relation, B: o.B, Bidirectional: o.Bidirectional, Notes: o.Notes, Agent: agentOf(o.env, o.Agent)}
}

func runGraphLink(ctx context.Context, o *linkOptions, s *stores.Stores) error {
	l, err := s.Graph.AddLink(ctx, o.link())
	return printLink(ctx, o.env, l, err)
}

func runGraphUnlink(ctx context.Context, o *linkOptions, s *stores.Stores) error {
	l, err := s.Graph.RemoveLink(ctx, o.link())
	return printLink(ctx, o.env, l, err)
}

func printLink(ctx context.Context, env *cli.Env, l graph.Link, failed error) error {
	return printChange(ctx, env, l, failed, l.A, l.Relation, l.B)
}
