package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/graph/graphquery"
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
	return printDocument(ctx, o.env, way, err, func(out *term.Streams) error {
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
	if o.Format == "json" {
		document, err := json.MarshalIndent(p, "", "  ")
		if err != nil {
			return err
		}
		return o.env.Streams.Text(string(document) + "\n")
	}
	draw := map[string]func() string{"dot": p.Dot, "mermaid": p.Mermaid, "text": p.Text, "graphml": p.GraphML}[o.Format]
	if draw == nil {
		return fault.Validation("format", "format %q is not known", o.Format).WithHint("use %s", strings.Join(graph.Formats, ", "))
	}
	return o.env.Streams.Text(draw())
}

// linkOptions are what a relationship is made of, or found by.
type linkOptions struct {
	env *cli.Env
	graph.Link
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
	agentFlag(cmd, o.env, &o.Agent, doneFor)
	return cmd
}

func runGraphLink(ctx context.Context, o *linkOptions, s *stores.Stores) error {
	o.Agent = agentOf(o.env, o.Agent)
	l, err := s.Graph.AddLink(ctx, o.Link)
	return printLink(ctx, o.env, l, err)
}

func runGraphUnlink(ctx context.Context, o *linkOptions, s *stores.Stores) error {
	o.Agent = agentOf(o.env, o.Agent)
	l, err := s.Graph.RemoveLink(ctx, o.Link)
	return printLink(ctx, o.env, l, err)
}

func printLink(ctx context.Context, env *cli.Env, l graph.Link, failed error) error {
	return printChange(ctx, env, l, failed, l.A, l.Relation, l.B)
}

type graphQueryOptions struct {
	env    *cli.Env
	Query  string // or - for standard input
	Params []string
}

func newGraphQuery(env *cli.Env, run cli.Func[graphQueryOptions]) *cobra.Command {
	o := &graphQueryOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "query QUERY [flags]",
		Short: "Ask the project graph in openCypher",
		Long: `Ask the project graph in openCypher; - reads the query from standard input. Only
reading is possible: a clause that writes is refused, and the connection is read-only. A
query that exceeds a limit fails; its result is never cut short. The values of --param
are JSON, or text where they are not. docs/cypher.md describes the language.`,
		Example: `agit graph query "MATCH (t:Task {status: 'pending'}) RETURN t.id, t.name"
agit graph query 'MATCH (t:Task {id: $id})-[:DEPENDS_ON*]->(d) RETURN d.id' --param id=UAT-002
agit graph schema`,
	}, o, cli.Take(&o.Query), run)
	cmd.Flags().StringArrayVar(&o.Params, "param", nil, "`name=value` of a $name in the query; may be given several times")
	return cmd
}

// longestQuery bounds what is read as a query.
const longestQuery = 1 << 20

func runGraphQuery(ctx context.Context, o *graphQueryOptions) error {
	params, err := queryParams(o.Params)
	if err != nil {
		return err
	}
	query := o.Query
	if query == "-" {
		text, err := io.ReadAll(io.LimitReader(o.env.Streams.In, longestQuery))
		if err != nil {
			return fault.Operation(err, "read the query")
		}
		query = string(text)
	}
	o.env.OnlyLooks()
	db, err := o.env.Registry(ctx)
	if err != nil {
		return err
	}
	a, err := (&graphquery.Store{DB: db}).Query(ctx, graphquery.Ask{Text: query, Params: params})
	if err != nil {
		return err
	}
	columns := make([]output.Column[map[string]any], len(a.Columns))
	for i, name := range a.Columns {
		columns[i] = output.Column[map[string]any]{Title: name, Flex: true,
			Value: func(row map[string]any) string { return cell(row[name]) }}
	}
	if len(a.Results) == 0 {
		o.env.Streams.Notice("no row matches")
	}
	return output.ListDocument(ctx, o.env.Printer(), a, a.Results, columns)
}

// cell is a value in a table: text as it is, the rest as JSON.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(encoded)
}

// queryParams reads name=value pairs. Whole numbers stay whole.
func queryParams(given []string) (map[string]any, error) {
	params := map[string]any{}
	for _, pair := range given {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fault.Validation("param", "%q is not a parameter", pair).WithHint("write it like --param id=UAT-001")
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var v any
		if err := decoder.Decode(&v); err != nil || decoder.More() {
			v = text
		}
		params[strings.TrimPrefix(name, "$")] = v
	}
	return params, nil
}

func newGraphSchema(env *cli.Env, run cli.Func[cli.Env]) *cobra.Command {
	return cli.Command(&cobra.Command{
		Use:   "schema",
		Short: "List the labels, properties and relationships of the graph, with example queries",
	}, env, nil, run)
}

func runGraphSchema(ctx context.Context, env *cli.Env) error {
	schema := graphquery.Describe()
	return env.Printer().Document(ctx, schema, func(s *term.Streams) error {
		var rows [][]string
		for _, l := range schema.Labels {
			rows = append(rows, []string{":" + l.Label, strings.Join(l.Properties, ", ")})
		}
		for _, r := range schema.Relationships {
			rows = append(rows, []string{fmt.Sprintf("(:%s)-[:%s]->(:%s)", r.Start, r.Type, r.End)})
		}
		for _, e := range schema.Examples {
			rows = append(rows, []string{e.About, e.Query})
		}
		return s.Lines(rows...)
	})
}
