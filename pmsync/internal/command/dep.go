package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/dependency"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

func newDep(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "dep",
		Short: "Relate items, and list what waits for what",
		Long:  `Relate tickets, plans, tasks and bugs to each other, and list what waits for what.`,
	}, newDepAdd(env, starts(runDepAdd)), newDepRemove(env, starts(runDepRemove)), newDepBlockers(env, looks(runDepBlockers)), newDepDependents(env, looks(runDepDependents)), newDepGraph(env, looks(runDepGraph)))
}

type depOptions struct {
	where
	dependency.Edge
}

// take parses SOURCE RELATION TARGET.
func (o *depOptions) take(g cli.Given) error {
	args := g.Args
	o.Source.ID, o.Target.ID = args[0], args[len(args)-1]
	if len(args) == 3 {
		o.Relation = strings.ReplaceAll(args[1], "-", "_")
	}
	return nil
}

func newDepAdd(env *cli.Env, run cli.Func[depOptions]) *cobra.Command {
	o := &depOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:        "add SOURCE RELATION TARGET [flags]",
		SuggestFor: []string{"create", "link", "block"},
		Short:      "Add a relationship between two items",
		Long: `Add a relationship. RELATION is blocks (TARGET waits for SOURCE), parent_of,
discovered_from (SOURCE came up while TARGET was worked on) or related_to. One that
would let something wait for itself is refused, naming the cycle.`,
		Example:           "pmsync dep add SEM-12 blocks SEM-15\npmsync dep add p-06q8v1k2m4 related_to SEM-12 --bidirectional",
		ValidArgsFunction: completeInTurn(completeTickets(env), cli.Words(dependency.Relations()...), completeTickets(env)),
	}, o, o.take, run))
	cmd.Flags().StringVar(&o.Notes, "notes", "", "`text`: why")
	cmd.Flags().BoolVar(&o.Bidirectional, "bidirectional", false, "related_to holds both ways")
	return cmd
}

func runDepAdd(ctx context.Context, o *depOptions, st *stores.Stores, c caller.Caller) error {
	d, err := st.Dependencies.Add(ctx, c, o.Edge)
	return o.show(ctx, d, err, func(s *term.Streams) error {
		return s.Line(d.Source, string(d.Relation), d.Target, d.Outcome)
	})
}

func newDepRemove(env *cli.Env, run cli.Func[depOptions]) *cobra.Command {
	o := &depOptions{}
	return o.bind(env, cli.Command(&cobra.Command{
		Use:               "remove SOURCE [RELATION] TARGET",
		SuggestFor:        []string{"delete", "rm", "unlink", "unblock"},
		Short:             "Remove the relationships from one item to another",
		Long:              `Remove the relationship of this kind from SOURCE to TARGET, or without RELATION all of them.`,
		Example:           "pmsync dep remove SEM-12 blocks SEM-15\npmsync dep remove SEM-12 SEM-15",
		ValidArgsFunction: completeInTurn(completeTickets(env), cli.Words(dependency.Relations()...), completeTickets(env)),
		Args:              cli.Args("SOURCE", "RELATION|TARGET", "[TARGET]"),
	}, o, o.take, run))
}

func runDepRemove(ctx context.Context, o *depOptions, st *stores.Stores, c caller.Caller) error {
	d, err := st.Dependencies.Remove(ctx, c, o.Edge)
	return o.show(ctx, d, err, func(s *term.Streams) error {
		return s.Line(d.Source, d.Target, text.Count(d.Removed, "relationship", "relationships")+" removed")
	})
}

type chainOptions struct {
	where
	dependency.Query
}

func newDepBlockers(env *cli.Env, run cli.Func[chainOptions]) *cobra.Command {
	o := &chainOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:               "blockers ID [flags]",
		SuggestFor:        []string{"list", "ls", "show", "blocked", cli.ForID},
		Short:             "List what an item waits for",
		Example:           "pmsync dep blockers SEM-15 --recursive",
		ValidArgsFunction: completeTickets(env),
	}, o, cli.Take(&o.Item.ID), run))
	cmd.Flags().BoolVar(&o.Recursive, "recursive", false, "follow the chain: also the tickets that these wait for, up to 10 steps")
	cmd.Flags().BoolVar(&o.IncludeResolved, "resolved", false, "also what it no longer waits for")
	return cmd
}

func newDepDependents(env *cli.Env, run cli.Func[chainOptions]) *cobra.Command {
	o := &chainOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:               "dependents ID [flags]",
		SuggestFor:        []string{"blocks"},
		Short:             "List what waits for an item",
		Example:           "pmsync dep dependents SEM-12 --recursive --json --jq '.dependents[].id'",
		ValidArgsFunction: completeTickets(env),
	}, o, cli.Take(&o.Item.ID), run))
	cmd.Flags().BoolVar(&o.Recursive, "recursive", false, "also what waits for these, up to 10 steps")
	return cmd
}

func runDepBlockers(ctx context.Context, o *chainOptions, st *stores.Stores, c caller.Caller) error {
	all, err := st.Dependencies.Blockers(ctx, c, o.Query)
	return printChain(ctx, o, "blockers", "it waits for nothing", all, err)
}

func runDepDependents(ctx context.Context, o *chainOptions, st *stores.Stores, c caller.Caller) error {
	all, err := st.Dependencies.Dependents(ctx, c, o.Query)
	return printChain(ctx, o, "dependents", "nothing waits for it", all, err)
}

func printChain(ctx context.Context, o *chainOptions, plural, none string, all []dependency.Neighbour, err error) error {
	if err != nil {
		return err
	}
	if len(all) == 0 {
		o.env.Streams.Notice("%s", none)
	}
	return output.List(ctx, o.env.Printer(), plural, all, []output.Column[dependency.Neighbour]{
		{Title: "ID", Value: func(n dependency.Neighbour) string { return n.ID }},
		{Title: "KIND", Value: func(n dependency.Neighbour) string { return string(n.Type) }},
		{Title: "STATUS", Value: func(n dependency.Neighbour) string { return n.Status }, Style: statusStyle},
		{Title: "STEPS", Value: func(n dependency.Neighbour) string { return fmt.Sprint(n.Depth) }, Right: true},
		{Title: "TITLE", Value: func(n dependency.Neighbour) string { return n.Title }, Flex: true},
	})
}

type depGraphOptions struct {
	where
	dependency.GraphQuery
	Dot bool
}

func newDepGraph(env *cli.Env, run cli.Func[depGraphOptions]) *cobra.Command {
	o := &depGraphOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:               "graph [ID] [flags]",
		SuggestFor:        []string{"tree"},
		Short:             "Show what is related around an item, or in the project",
		Example:           "pmsync dep graph SEM-12 --depth 2\npmsync dep graph --json --jq .cycles",
		ValidArgsFunction: completeTickets(env),
	}, o, cli.Take(&o.Root.ID), run))
	cmd.Flags().IntVar(&o.Depth, "depth", dependency.DefaultDepth, "go this many `steps`")
	return cmd
}

func runDepGraph(ctx context.Context, o *depGraphOptions, st *stores.Stores, c caller.Caller) error {
	g, err := st.Dependencies.Graph(ctx, c, o.GraphQuery)
	if err != nil {
		return err
	}
	err = output.ListDocument(ctx, o.env.Printer(), g, g.Edges, []output.Column[dependency.Arrow]{
		{Title: "SOURCE", Value: func(a dependency.Arrow) string { return a.Source }},
		{Title: "RELATION", Value: func(a dependency.Arrow) string { return string(a.Relation) }},
		{Title: "TARGET", Value: func(a dependency.Arrow) string { return a.Target }},
	})
	if err != nil {
		return err
	}
	for _, cycle := range g.Cycles {
		o.env.Streams.Warn("these wait for each other: %s", strings.Join(cycle, " → "))
	}
	if len(g.Edges) == 0 {
		o.env.Streams.Notice("nothing is related here; `pmsync dep add SOURCE blocks TARGET` makes TARGET wait for SOURCE")
	}
	if g.LeftOut > 0 {
		o.env.Streams.Notice("%s left out; name an ID, or give a smaller --depth", text.Count(g.LeftOut, "item is", "items are"))
	}
	return nil
}
