package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/linkgraph"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

type graphOptions struct {
	folder
	Start  string
	Depth  int
	Order  string
	Format string
}

func newGraph(env *cli.Env, run cli.Func[graphOptions]) *cobra.Command {
	o := &graphOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "graph [MEMORY] [flags]",
		Short: "Walk the links from a memory",
		Long: `Follow the links from a memory, breadth or depth first, to a depth; without one, all
memories are walked. Cycles are named, and links that lead to no memory, with the name
that was probably meant.`,
		Example: "citecheck graph api-versioning --depth 2\ncitecheck graph --format dot | dot -Tsvg > memories.svg\ncitecheck graph --format mermaid",
	}, o, cli.Take(&o.Start), run)
	o.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.Depth, "depth", 3, "how many links to follow; -1 means no limit")
	f.StringVar(&o.Order, "order", "bfs", "breadth first (bfs) or depth first (dfs)")
	f.StringVar(&o.Format, "format", "text", "text, dot, mermaid or json")
	cmd.ValidArgsFunction = o.completeIDs
	cli.CompleteFlag(cmd, "order", cli.Words("bfs", "dfs"))
	cli.CompleteFlag(cmd, "format", cli.Words("text", "dot", "mermaid", "json"))
	return cmd
}

// oneOf refuses a value that is not in the list.
func oneOf(flag, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return fault.Validation(flag, "--%s is %s, not %q", flag, strings.Join(known, ", "), value)
}

func runGraph(ctx context.Context, o *graphOptions) error {
	if err := oneOf("order", o.Order, "bfs", "dfs"); err != nil {
		return err
	}
	if err := oneOf("format", o.Format, "text", "dot", "mermaid", "json"); err != nil {
		return err
	}
	s, err := o.open(ctx, stores.Unused, false)
	if err != nil {
		return err
	}
	defer s.Close()
	root := ""
	if o.Start != "" {
		e, err := s.Library.Find(s.Checks.From, o.Start)
		if err != nil {
			return err
		}
		root = e.ID
	}
	g, err := linkgraph.New(s.Library)
	if err != nil {
		return err
	}
	w, err := g.Walk(ctx, root, linkgraph.Order(o.Order), o.Depth)
	if err != nil {
		return err
	}
	switch o.Format {
	case "dot":
		return o.env.Streams.Text(w.DOT())
	case "mermaid":
		return o.env.Streams.Text(w.Mermaid())
	case "json":
		return documentAsJSON(ctx, o.env, w)
	}
	return o.env.Printer().Document(ctx, w, func(st *term.Streams) error { return printWalk(st, w) })
}

// documentAsJSON prints a document as JSON whatever the output flags are, for commands with a --format of their own; --jq still applies.
func documentAsJSON(ctx context.Context, env *cli.Env, v any) error {
	p := env.Printer()
	if env.Globals.Output == "" && !env.Globals.JSON && env.Globals.JQ == "" {
		var err error
		if p, err = output.New(env.Streams, output.Options{JSON: true}); err != nil {
			return err
		}
	}
	return p.Document(ctx, v, nil)
}

func printWalk(st *term.Streams, w *linkgraph.Walk) error {
	for _, s := range w.Steps {
		if err := st.Line(strings.Repeat("  ", s.Depth)+s.ID, "-> "+cmp.Or(strings.Join(w.Nodes[s.ID], ", "), "(no links)")); err != nil {
			return err
		}
	}
	for _, c := range w.Cycles {
		if err := st.Row(st.Paint(term.Yellow, "cycle"), st.Plain(strings.Join(append(c, c[0]), " -> "))); err != nil {
			return err
		}
	}
	return each(w.Broken, func(b linkgraph.Broken) error {
		cells := []term.Painted{st.Paint(term.Red, "broken"), st.Plain(fmt.Sprintf("%s:%d", b.From, b.At)), st.Plain(b.Target)}
		if b.Nearest != "" {
			cells = append(cells, st.Plain(fmt.Sprintf("did you mean %s?", b.Nearest)))
		}
		if len(b.May) > 0 {
			cells = append(cells, st.Plain("may be "+strings.Join(b.May, ", ")))
		}
		return st.Row(cells...)
	})
}

type relatedOptions struct {
	folder
	Memory string
}

func newRelated(env *cli.Env, run cli.Func[relatedOptions]) *cobra.Command {
	o := &relatedOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:     "related MEMORY [flags]",
		Short:   "List the memories that link to one, and those it links to",
		Example: "citecheck related api-versioning --jq '.linked_by[]'",
	}, o, cli.Take(&o.Memory), run)
	o.flags(cmd)
	cmd.ValidArgsFunction = o.completeIDs
	return cmd
}

func runRelated(ctx context.Context, o *relatedOptions) error {
	s, err := o.open(ctx, stores.Unused, false)
	if err != nil {
		return err
	}
	defer s.Close()
	g, id, err := linkgraph.At(s.Library, s.Checks.From, o.Memory)
	if err != nil {
		return err
	}
	r, err := g.Related(ctx, id)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, r, func(st *term.Streams) error {
		if len(r.LinkedBy)+len(r.LinksTo) == 0 {
			st.Notice("%q has no links", id)
		}
		if err := each(r.LinkedBy, func(id string) error { return st.Line("from", id) }); err != nil {
			return err
		}
		return each(r.LinksTo, func(id string) error { return st.Line("to", id) })
	})
}

type rootsOptions struct{ folder }

func newRoots(env *cli.Env, run cli.Func[rootsOptions]) *cobra.Command {
	o := &rootsOptions{folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:     "roots [flags]",
		Short:   "List the memories that no other links to",
		Example: "citecheck roots\ncitecheck roots --jq '.orphans[]'",
	}, o, nil, run)
	o.flags(cmd)
	return cmd
}

func runRoots(ctx context.Context, o *rootsOptions) error {
	s, err := o.open(ctx, stores.Unused, false)
	if err != nil {
		return err
	}
	defer s.Close()
	g, err := linkgraph.New(s.Library)
	if err != nil {
		return err
	}
	all, err := g.Overview(ctx)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, all, func(st *term.Streams) error {
		kinds := map[string]string{}
		for _, id := range all.Orphans {
			kinds[id] = "orphan"
		}
		return each(all.Roots, func(id string) error { return st.Line(id, cmp.Or(kinds[id], "root")) })
	})
}
