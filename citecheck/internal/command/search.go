package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
)

type searchOptions struct {
	folder
	check.SearchOptions
	Query string
}

func newSearch(env *cli.Env, run cli.Func[searchOptions]) *cobra.Command {
	o := &searchOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "search WORD... [flags]",
		Short: "Find memories by words, and check what is found",
		Long: `Find memories that hold any of the words, those with most of them first. With
--verify each is checked, and those below --min-confidence are left out; what cannot be
checked stays, marked unverified.`,
		Example: "citecheck search api version --verify --min-confidence 0.7",
	}, o, cli.TakeWords(&o.Query), run)
	o.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.Limit, "limit", 20, "list at most `n` memories; 0 for all")
	f.BoolVar(&o.Verify, "verify", false, "check the citations of what is found")
	f.BoolVar(&o.Prose, "prose", false, "count references in prose (path:line) as citations")
	f.Float64Var(&o.MinConfidence, "min-confidence", 0, "with --verify, least confidence from 0 to 1")
	return cmd
}

var matchColumns = []output.Column[check.Match]{
	{Title: "MEMORY", Flex: true, Value: func(m check.Match) string { return m.ID }},
	{Title: "STATE", Value: func(m check.Match) string { return m.State }, Style: stateStyle},
	{Title: "CONFIDENCE", Value: func(m check.Match) string { return sure(m.Confidence) }, Right: true},
	{Title: "LINE", Value: func(m check.Match) string { return fmt.Sprint(m.At) }, Right: true},
	{Title: "TEXT", Value: func(m check.Match) string { return m.Excerpt }, Flex: true},
}

func runSearch(ctx context.Context, o *searchOptions) error {
	if !(o.MinConfidence >= 0 && o.MinConfidence <= 1) {
		return fault.Validation("min-confidence", "the least confidence lies between 0 and 1, not at %v", o.MinConfidence)
	}
	if o.Limit < 0 {
		return fault.Validation("limit", "%d is not a number of memories", o.Limit)
	}
	use := stores.Unused
	if o.MinConfidence > 0 {
		o.Verify = true
	}
	if o.Verify {
		use = stores.Kept
	}
	s, err := o.open(ctx, use, false)
	if err != nil {
		return err
	}
	defer s.Close()
	matches, err := s.Checks.Search(ctx, o.Query, o.SearchOptions)
	if err != nil {
		return err
	}
	if len(matches) == 0 {
		o.env.Streams.Notice("no memory was found")
	}
	return output.List(ctx, o.env.Printer(), "memories", matches, matchColumns)
}
