package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/text"
)

func listHidden(ctx context.Context, o *restoreOptions) error {
	st, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	p, ok, err := o.findOrNone(ctx, st)
	if err != nil {
		return err
	}
	found := []memory.Hidden{}
	if ok {
		if found, err = st.Memories.Archived(ctx, p.ID, o.Type); err != nil {
			return err
		}
	}
	if len(found) == 0 {
		o.env.Streams.Notice("no memory is archived")
	}
	return output.List(ctx, o.env.Printer(), "memories", found, []output.Column[memory.Hidden]{
		{Title: "ID", Value: func(h memory.Hidden) string { return h.ID }},
		{Title: "TYPE", Value: func(h memory.Hidden) string { return h.Type }},
		{Title: "KEY", Short: true, Value: func(h memory.Hidden) string { return h.Key }},
		{Title: "WHEN", Value: func(h memory.Hidden) string { return local(h.At) }},
		{Title: "WHY", Flex: true, Value: func(h memory.Hidden) string { return h.Reason }},
		{Title: "MEMORY", Value: func(h memory.Hidden) string { return h.Title }, Flex: true},
	})
}

type decayOptions struct {
	where
	Apply     bool
	DryRun    bool
	All       bool
	Threshold float64
	MinAge    int
	given     func(string) bool
}

func newDecay(env *cli.Env, run cli.Func[decayOptions]) *cobra.Command {
	o := &decayOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "decay [flags]",
		Short: "Archive the memories that are no longer used",
		Long: `List the memories that are due to fade, and archive them with --apply. A memory's decay score
is days since its last use × (6 − importance) ÷ accesses; it is due when that passes the
threshold and it was not changed for the minimum age. Importance 5 never fades;
expired memories always do. Archived memories can be restored.

For cron: --apply -o ndjson prints one line that says what was archived and exits with 0.`,
		Example: "memoryd decay\nmemoryd decay --apply --all-projects -o ndjson",
	}, o, o.take, run)
	o.bind(env, cmd)
	f := cmd.Flags()
	f.BoolVar(&o.Apply, "apply", false, "archive them; without it nothing changes")
	f.BoolVar(&o.DryRun, "dry-run", true, "only show what would be archived; --dry-run=false is --apply")
	f.BoolVar(&o.All, "all-projects", false, "look at every project")
	f.Float64Var(&o.Threshold, "threshold", memory.DefaultThreshold, "decay `score` beyond which a memory is due (default memory.decay_threshold)")
	f.IntVar(&o.MinAge, "min-age", 0, "`days` without change before a memory may fade (default memory.decay_after_days)")
	return cmd
}

func (o *decayOptions) take(g cli.Given) error {
	o.given = g.Changed
	return nil
}

func runDecay(ctx context.Context, o *decayOptions) error {
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	d := memory.Decay{Threshold: float64(st.Config.Memory.DecayThreshold), MinimumAge: st.Config.Memory.DecayAfterDays, DryRun: !o.Apply && o.DryRun}
	if o.given("threshold") {
		d.Threshold = o.Threshold
	}
	if o.given("min-age") {
		d.MinimumAge = o.MinAge
	}
	if d.MinimumAge < 0 {
		return fault.Validation("min-age", "%d is not a number of days", d.MinimumAge).WithHint("give 0 or more")
	}
	if !(d.Threshold > 0) {
		return fault.Validation("threshold", "the threshold %v would archive memories that were used just now", d.Threshold).WithHint("give a number above 0")
	}
	known := true
	if !o.All {
		p, ok, err := o.findOrNone(ctx, st)
		if err != nil {
			return err
		}
		known, d.ProjectID = ok, p.ID
	}
	r := memory.DecayReport{DryRun: d.DryRun, Threshold: d.Threshold, Memories: []memory.Decayed{}}
	if known {
		if r, err = st.Memories.Decay(ctx, d); err != nil {
			return err
		}
	}
	verb := "archived"
	if r.DryRun {
		verb = "would be archived (--apply archives them)"
	}
	o.env.Streams.Notice("%s of %d %s", text.Count(r.Archived, "memory", "memories"), r.Checked, verb)
	if o.env.Printer().Format() == output.NDJSON {
		return o.env.Printer().Document(ctx, r, nil) // one line for cron's log
	}
	return output.ListDocument(ctx, o.env.Printer(), r, r.Memories, []output.Column[memory.Decayed]{
		{Title: "ID", Value: func(d memory.Decayed) string { return d.ID }},
		{Title: "TYPE", Value: func(d memory.Decayed) string { return d.Type }},
		{Title: "SCORE", Right: true, Value: func(d memory.Decayed) string { return fmt.Sprintf("%.1f", d.Score) }},
		{Title: "IMPORTANCE", Right: true, Value: func(d memory.Decayed) string { return fmt.Sprint(d.Importance) }},
		{Title: "USED", Right: true, Value: func(d memory.Decayed) string { return fmt.Sprint(d.AccessCount) }},
		{Title: "WHY", Flex: true, Value: func(d memory.Decayed) string { return d.Reason }},
		{Title: "MEMORY", Value: func(d memory.Decayed) string { return d.Title }, Flex: true},
	})
}
