package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

type linkOptions struct {
	graphOptions
	Bidirectional bool
	Notes         string
	add           bool
}

func newGraphLink(env *cli.Env, add bool) *cobra.Command {
	o := &linkOptions{add: add}
	use, short := "unlink A RELATION B", "Take a relationship between two items away"
	if add {
		use, short = "link A RELATION B", "Relate two items: A blocks B, A parent_of B, …"
	}
	cmd := graphCommand(env, &cobra.Command{
		Use: use, Short: short,
		Long: `Relate two items of any kind and project, or end that. RELATION is blocks (B waits
for A), parent_of (A contains B), discovered_from (A came up while B was worked
on) or related_to. What would close a cycle is refused, naming it.`,
		Example: "agit graph " + use[:len(use)-len("A RELATION B")] + "UAT-001 blocks UAT-002",
	}, o, &o.graphOptions, []string{"A", "RELATION", "B"}, runGraphLink)
	o.agentFlag(cmd, env)
	if add {
		cmd.Flags().BoolVar(&o.Bidirectional, "bidirectional", false, "with related_to: it holds both ways")
		cmd.Flags().StringVar(&o.Notes, "notes", "", "`text` kept with it")
	}
	return cmd
}

func runGraphLink(ctx context.Context, o *linkOptions, s *stores.Stores) error {
	l := graph.Link{A: o.Args[0], Relation: o.Args[1], B: o.Args[2], Bidirectional: o.Bidirectional, Notes: o.Notes, Agent: o.Agent}
	var err error
	if o.add {
		l, err = s.Graph.AddLink(ctx, l)
	} else {
		l, err = s.Graph.RemoveLink(ctx, l)
	}
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, l, func(t *term.Streams) error { return t.Line(l.A, l.Relation, l.B) })
}
