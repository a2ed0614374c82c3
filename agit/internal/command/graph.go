package command

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
)

// graphOptions are what the commands of the knowledge graph have in common.
type graphOptions struct {
	env     *cli.Env
	Args    []string
	Project string
	Agent   string
	Wide    bool // of every project, wherever the command is run
}

// graphCommand makes a subcommand that takes named arguments and runs on the
// open stores.
func graphCommand[O any](env *cli.Env, cmd *cobra.Command, o *O, common *graphOptions, names []string,
	run func(context.Context, *O, *stores.Stores) error) *cobra.Command {
	common.env = env
	cmd.Args = cli.Args(names...)
	cmd.RunE = func(c *cobra.Command, args []string) error {
		common.Args = args
		if common.Agent == "" {
			common.Agent = env.Getenv("AGIT_AGENT")
		}
		s, err := open(c.Context(), env)
		if err != nil {
			return err
		}
		return run(c.Context(), o, s)
	}
	return cmd
}

// projectFlag adds --project, agentFlag --agent.
func (o *graphOptions) projectFlag(cmd *cobra.Command, env *cli.Env, what string) {
	cmd.Flags().StringVar(&o.Project, "project", "", what)
	cli.CompleteFlag(cmd, "project", cli.Complete(env, listProjectIDs))
}

// listFlags are those of a list that stays with the project of the current folder
// unless another is named, or all of them are asked for.
func (o *graphOptions) listFlags(cmd *cobra.Command, env *cli.Env) {
	o.projectFlag(cmd, env, "only this `project` (default: the folder's; outside of one, all)")
	if cmd.Flags().Lookup("all") == nil {
		cmd.Flags().BoolVar(&o.Wide, "all", false, "of every project")
	}
}

// within is the project that a list stays with; "" for all.
func (o *graphOptions) within(ctx context.Context, s *stores.Stores) (string, error) {
	if o.Project != "" || o.Wide {
		return o.Project, nil
	}
	if name := o.env.Getenv("AGIT_REPO"); name != "" {
		r, err := s.Repos.Get(ctx, name)
		if err != nil {
			return "", err
		}
		return s.Graph.ProjectOf(ctx, r.Path), nil
	}
	return s.Graph.ProjectOf(ctx, o.env.Dir), nil
}

func (o *graphOptions) agentFlag(cmd *cobra.Command, env *cli.Env) {
	cmd.Flags().StringVar(&o.Agent, "agent", "", "`agent` this is done for (default AGIT_AGENT)")
	cli.CompleteFlag(cmd, "agent", cli.Complete(env, listAgentNames))
}

func listProjectIDs(ctx context.Context, db *registry.DB, _ string) (ids []string, err error) {
	err = db.Read(ctx, func(tx *registry.Tx) error {
		all, err := project.List(tx)
		for _, p := range all {
			ids = append(ids, p.UID+"\t"+p.Name)
		}
		return err
	})
	return ids, err
}

// here is the project asked for: --project, else the current folder's.
func (o *graphOptions) here(ctx context.Context, s *stores.Stores) (string, error) {
	if o.Project != "" {
		return o.Project, nil
	}
	if id := s.Graph.ProjectOf(ctx, o.env.Dir); id != "" {
		return id, nil
	}
	return "", fault.Validation("project", "no project is named, and the current folder belongs to none that is known").
		WithHint("name one of `agit project list`")
}

func newGraph(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "graph",
		Short: "Query the project graph, find ways through it, and draw it",
		Long:  "Look at projects, epics, tasks, bugs, scenarios, artifacts and agents as one graph.",
	}, newGraphQuery(env), newGraphSchema(env), newGraphPath(env), newGraphShow(env), newGraphExport(env), newGraphLink(env, true), newGraphLink(env, false))
}

func newGraphPath(env *cli.Env) *cobra.Command {
	o := &graphOptions{}
	return graphCommand(env, &cobra.Command{
		Use: "path A B", Short: "Print a shortest way between two items",
		Long:    "Print a shortest way between two items of any kind: along or against what blocks,\ncontains, produces or validates.",
		Example: "agit graph path UAT-001 UAT-009",
	}, o, o, []string{"A", "B"}, runGraphPath)
}

func runGraphPath(ctx context.Context, o *graphOptions, s *stores.Stores) error {
	way, err := s.Graph.Path(ctx, o.Args[0], o.Args[1])
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, way, func(out *term.Streams) error {
		for _, step := range way.Steps {
			from, to := step.From, step.To
			if !step.Forward {
				from, to = to, from
			}
			if err := out.Line(from, step.Relation, to); err != nil {
				return err
			}
		}
		return nil
	})
}

type exportOptions struct {
	graphOptions
	Format string
	All    bool
	HTML   bool
}

func newGraphExport(env *cli.Env) *cobra.Command {
	o := &exportOptions{}
	cmd := graphCommand(env, &cobra.Command{
		Use: "export", Short: "Draw the project graph for other programs",
		Long:    "Write a project's part of the graph for Graphviz (dot), as a Mermaid flowchart, as\nJSON, as GraphML, or as text. `agit graph show` draws the text.",
		Example: "agit graph export --format mermaid\nagit graph export --project working-todo-app --format dot | dot -Tsvg",
	}, o, &o.graphOptions, nil, runGraphExport)
	o.projectFlag(cmd, env, "draw this `project` (default: the folder's)")
	cmd.Flags().StringVar(&o.Format, "format", "dot", "`format`: dot, mermaid, json, graphml, or text for the terminal")
	cmd.Flags().BoolVar(&o.All, "all", false, "draw every project")
	cli.CompleteFlag(cmd, "format", values(graph.Formats...))
	return cmd
}

func newGraphShow(env *cli.Env) *cobra.Command {
	o := &exportOptions{Format: "text"}
	cmd := graphCommand(env, &cobra.Command{
		Use: "show", Short: "Draw the project graph in the terminal",
		Long: `Draw a project as a tree of what contains what, each thing with its status and what
it waits for. It suits small graphs; ` + "`agit graph export`" + ` draws large ones. With --html
it is one page, which loads nothing, for a mail or an artefact of CI.`,
		Example: "agit graph show\nagit graph show --project working-todo-app\nagit graph show --html > graph.html",
	}, o, &o.graphOptions, nil, runGraphExport)
	o.projectFlag(cmd, env, "draw this `project` (default: the folder's)")
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
