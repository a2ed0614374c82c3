package command

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
)

type filterOptions struct {
	folder
	check.FilterOptions
}

func newFilter(env *cli.Env, run cli.Func[filterOptions]) *cobra.Command {
	o := &filterOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "filter [-] [flags]",
		Short: "Keep the search results whose citations hold",
		Long: `Read search results on standard input, check the citations of each, and print those
whose confidence is high enough, with confidence and citations_valid set. A result is
an object that names a memory (memory_id, path, id, …) or brings its citations, as
memoryd's do; a plain name on a line will do. What cannot be checked is kept and marked
"unverified", unless --require-citations. In a pipe the output is NDJSON.`,
		Example: "memoryd recall login -o ndjson | citecheck filter --min-confidence 0.7\nls .serena/memories/*.md | citecheck filter --require-citations",
	}, o, nil, run)
	o.flags(cmd)
	f := cmd.Flags()
	f.Float64Var(&o.MinConfidence, "min-confidence", 0.5, "least confidence to keep, from 0 to 1")
	f.BoolVar(&o.RequireCitations, "require-citations", false, "drop results that cannot be checked")
	f.BoolVar(&o.Prose, "prose", false, "count references in prose (path:line) as citations")
	return cmd
}

func runFilter(ctx context.Context, o *filterOptions) error {
	if !(o.MinConfidence >= 0 && o.MinConfidence <= 1) {
		return fault.Validation("min-confidence", "the least confidence lies between 0 and 1, not at %v", o.MinConfidence)
	}
	s, err := o.open(ctx, stores.Kept, true)
	if err != nil {
		return err
	}
	defer s.Close()
	items, err := readHits(o.env.Streams)
	if err != nil {
		return err
	}
	hits := make([]check.Hit, len(items))
	for i, item := range items {
		hits[i] = item.Value
	}
	kept, err := s.Checks.Filter(ctx, hits, o.FilterOptions)
	if err != nil {
		return err
	}
	printer := o.env.Printer()
	g := o.env.Globals
	if g.Output == "" && !g.JSON && g.JQ == "" && !o.env.Streams.OutTTY {
		if printer, err = output.New(o.env.Streams, output.Options{Format: string(output.NDJSON)}); err != nil {
			return err
		}
	}
	objects := make([]object, len(kept))
	for i := range kept {
		id, title := kept[i].Names()
		objects[i] = object{kept[i].Object(), kept[i].Memory, id, title}
	}
	err = output.List(ctx, printer, "memories", objects, objectColumns)
	o.env.Streams.Notice("%d of %d kept", len(kept), len(hits))
	return err
}

// object is a search result that was kept; its JSON is the result's own plus the results of the check.
type object struct {
	fields    map[string]json.RawMessage
	memory    *check.Memory
	id, title string
}

func (o object) MarshalJSON() ([]byte, error) { return json.Marshal(o.fields) }

var objectColumns = []output.Column[object]{
	{Title: "MEMORY", Flex: true, Value: func(o object) string { return o.id }},
	{Title: "STATE", Value: func(o object) string { return o.memory.State }, Style: stateStyle},
	{Title: "CONFIDENCE", Value: func(o object) string { return sure(o.memory.Confidence) }, Right: true},
	{Title: "TITLE", Value: func(o object) string { return o.title }, Flex: true},
}
