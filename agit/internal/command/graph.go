package command

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

func newGraph(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "graph",
		Short: "Query the project graph, find paths in it, and draw it",
		Long:  "Look at projects, epics, tasks, bugs, scenarios, artifacts and agents as one graph.",
	}, newGraphQuery(env, runGraphQuery), newGraphSchema(env, runGraphSchema), newGraphPath(env, looking(env, runGraphPath)),
		newGraphShow(env, looking(env, runGraphExport)), newGraphExport(env, looking(env, runGraphExport)),
		newGraphLink(env, changing(env, runGraphLink)), newGraphUnlink(env, changing(env, runGraphUnlink)))
}

type graphPathOptions struct {
	env  *cli.Env
	A, B string
}

func newGraphPath(env *cli.Env, run cli.Func[graphPathOptions]) *cobra.Command {
	o := &graphPathOptions{env: env}
	return cli.Command(&cobra.Command{
		Use:     "path A B",
		Short:   "Print a shortest path between two items",
		Long:    "Print a shortest path between two items of any kind. It follows the relationships\nblocks, contains, produces and validates in both directions.",
		Example: "agit graph path UAT-001 UAT-009",
	}, o, cli.Take(&o.A, &o.B), run)
}

func runGraphPath(ctx context.Context, o *graphPathOptions, s *stores.Stores) error {
	way, err := s.Graph.Path(ctx, o.A, o.B)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, way, func(out *term.Streams) error {
		rows := make([][]string, len(way.Steps))
		for i, step := range way.Steps {
			rows[i] = []string{step.From, step.Relation, step.To}
			if !step.Forward {
				slices.Reverse(rows[i])
			}
		}
		return out.Lines(rows...)
	})
}

type exportOptions struct {
	inProject
	Format string
	All    bool
	HTML   bool
}

func newGraphExport(env *cli.Env, run cli.Func[exportOptions]) *cobra.Command {
	o := &exportOptions{inProject: inProject{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:     "export",
		Short:   "Draw the project graph for other programs",
		Long:    "Write a project's part of the graph for Graphviz (dot), as a Mermaid flowchart, as\nJSON, as GraphML, or as text. `agit graph show` draws the text.",
		Example: "agit graph export --format mermaid\nagit graph export --project working-todo-app --format dot | dot -Tsvg",
	}, o, nil, run)
	o.projectFlag(cmd, "draw this `project` (default: the folder's)")
	cmd.Flags().StringVar(&o.Format, "format", "dot", "`format`: dot, mermaid, json, graphml, or text for the terminal")
	cmd.Flags().BoolVar(&o.All, "all", false, "draw every project")
	cli.CompleteFlag(cmd, "format", cli.Words(graph.Formats...))
	return cmd
}

func newGraphShow(env *cli.Env, run cli.Func[exportOptions]) *cobra.Command {
	o := &exportOptions{inProject: inProject{env: env}, Format: "text"}
	cmd := cli.Command(&cobra.Command{
		Use:   "show",
		Short: "Draw the project graph in the terminal",
		Long: `Draw a project as a tree of what contains what, each thing with its status and what
it waits for. It suits small graphs; ` + "`agit graph export`" + ` draws large ones. With --html
it is one page, which loads nothing, for a mail or an artefact of CI.`,
		Example: "agit graph show\nagit graph show --project working-todo-app\nagit graph show --html > graph.html",
	}, o, nil, run)
	o.projectFlag(cmd, "draw this `project` (default: the folder's)")
	cmd.Flags().BoolVar(&o.All, "all", false, "draw every project")
	cmd.Flags().BoolVar(&o.HTML, "html", false, "write one page of HTML, with what waits for what as a drawing")
	return cmd
}

func runGraphExport(ctx context.Context, o *exportOptions, s *stores.Stores) (err error) {
	id := ""
	if !o.All {
		if id, err = o.here(ctx, s); err != nil {
			return err
		}
	}
	p, err := s.Graph.Draw(ctx, id)
	if err != nil {
		return err
	}
	if o.env.Printer().Format() != output.Table {
		return o.env.Printer().Document(ctx, p, nil)
	}
	if o.HTML {
		title := "The graph of every project"
		if id != "" {
			title = "The graph of " + p.NameOf("Project", id)
		}
		return o.env.Streams.Text(p.HTML(title))
	}
	switch o.Format {
	case "dot":
		return o.env.Streams.Text(p.Dot())
	case "mermaid":
		return o.env.Streams.Text(p.Mermaid())
	case "text":
		return o.env.Streams.Text(p.Text())
	case "graphml":
		return o.env.Streams.Text(p.GraphML())
	case "json":
		document, err := json.MarshalIndent(p, "", "  ")
		if err != nil {
			return err
		}
		return o.env.Streams.Text(string(document) + "\n")
	}
	return fault.Validation("format", "format %q is not known", o.Format).WithHint("use %s", strings.Join(graph.Formats, ", "))
}
