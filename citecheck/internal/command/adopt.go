package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type adoptOptions struct {
	folder
	Memories []string
	DryRun   bool
}

func newAdopt(env *cli.Env, run cli.Func[adoptOptions]) *cobra.Command {
	o := &adoptOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "adopt [MEMORY...] [flags]",
		Short: "Turn references in prose (path:line) into checked citations",
		Long: `Find references such as src/login.go:42 in the text of memories (all of them when none
is named), follow each from the commit that wrote it to where it is now, and add it to
the memory's table of citations. A reference whose line went elsewhere gets the new
number in the text as well, unless its line holds another reference that is not
adopted; all else stays as it is. Three kinds are reported and not added: references whose text is gone
or changed; those that may mean several files, none of which the memory names in full;
and those whose line names a function or type that stands elsewhere in the file.`,
		Example: "citecheck adopt --dry-run\ncitecheck adopt api-versioning\ncitecheck adopt --dry-run -o ndjson --jq 'select(.outcome == \"gone\")'",
		Args:    cli.Args("[MEMORY...]"),
	}, o, cli.TakeAll(&o.Memories), run)
	o.flags(cmd)
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what would be done")
	cli.Exits(cmd, fault.ExitFailure, "a memory could not be written")
	cmd.ValidArgsFunction = o.completeIDs
	return cmd
}

var adoptionColumns = []output.Column[check.Adoption]{
	{Title: "OUTCOME", Value: func(a check.Adoption) string { return a.Outcome }, Style: outcomeStyle},
	{Title: "MEMORY", Flex: true, Value: func(a check.Adoption) string { return fmt.Sprintf("%s:%d", a.Memory, a.At) }},
	{Title: "REFERENCE", Flex: true, Value: func(a check.Adoption) string { return a.Reference }},
	{Title: "NOW", Flex: true, Value: func(a check.Adoption) string { return a.Place.String() }},
	{Title: "WHY", Value: func(a check.Adoption) string { return a.Reason }, Flex: true, Below: true},
}

func outcomeStyle(outcome string) term.Style {
	switch outcome {
	case check.OutcomeAdopted, check.OutcomeCited:
		return term.Green
	case check.OutcomeInCode:
		return term.Dim
	}
	return term.Yellow
}

func runAdopt(ctx context.Context, o *adoptOptions) error {
	s, err := o.open(ctx, stores.Kept, false)
	if err != nil {
		return err
	}
	defer s.Close()
	entries, err := s.Checks.Entries(o.Memories)
	if err != nil {
		return err
	}
	progress := o.env.Streams.Progress("following references")
	out, err := s.Checks.Adopt(ctx, entries, o.DryRun)
	progress.Done()
	if err != nil {
		return err
	}
	if err := output.ListDocument(ctx, o.env.Printer(), out, out.References, adoptionColumns); err != nil {
		return err
	}
	o.env.Streams.Notice("%s", adoptionSummary(out, o.DryRun))
	if out.Outcomes[check.OutcomeLeft] > 0 {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return nil
}

func adoptionSummary(out *check.Adoptions, dryRun bool) string {
	if len(out.References) == 0 {
		return "no reference in prose was found"
	}
	var parts []string
	for outcome, n := range out.Outcomes {
		parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
	}
	slices.Sort(parts)
	line := fmt.Sprintf("%s: %s", text.Count(len(out.References), "reference", "references"), strings.Join(parts, ", "))
	if dryRun {
		return line + "; nothing was written"
	}
	return line + "; " + text.Count(out.Files, "memory", "memories") + " changed"
}
