package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph/graphquery"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

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

type graphSchemaOptions struct{ env *cli.Env }

func newGraphSchema(env *cli.Env, run cli.Func[graphSchemaOptions]) *cobra.Command {
	o := &graphSchemaOptions{env: env}
	return cli.Command(&cobra.Command{
		Use:   "schema",
		Short: "List the labels, properties and relationships of the graph, with example queries",
	}, o, nil, run)
}

func runGraphSchema(ctx context.Context, o *graphSchemaOptions) error {
	schema := graphquery.Describe()
	return o.env.Printer().Document(ctx, schema, func(s *term.Streams) error {
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
