package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type diffOptions struct {
	folder
	Range string
	Prose bool
}

func newDiff(env *cli.Env, run cli.Func[diffOptions]) *cobra.Command {
	o := &diffOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "diff BASE..HEAD [flags]",
		Short: "List the citations that a change broke",
		Long: `Check the citations, as the memories have them now, into files that differ between
two revisions: which were true at BASE and are not at HEAD. BASE alone compares with the
working tree.`,
		Example: "citecheck diff origin/main..HEAD\ncitecheck diff HEAD",
	}, o, cli.Take(&o.Range), run)
	o.flags(cmd)
	cmd.Flags().BoolVar(&o.Prose, "prose", false, "count references in prose (path:line) as citations")
	cli.Exits(cmd, fault.ExitFailure, "a citation that was valid at BASE is not at HEAD")
	return cmd
}

var effectColumns = []output.Column[check.Effect]{
	{Title: "EFFECT", Value: effect, Style: effectStyle},
	{Title: "MEMORY", Flex: true, Value: func(e check.Effect) string { return fmt.Sprintf("%s:%d", e.Memory, e.At) }},
	{Title: "BEFORE", Value: func(e check.Effect) string { return string(e.Before) }},
	{Title: "AFTER", Value: func(e check.Effect) string { return string(e.Verdict) }},
	{Title: "CITATION", Flex: true, Value: func(e check.Effect) string { return memoryfile.Place{Path: e.Path, Line: e.Line}.String() }},
	{Title: "NOW", Flex: true, Value: func(e check.Effect) string {
		return memoryfile.Place{Path: e.FoundPath, Line: e.FoundLine}.String()
	}},
	{Title: "WHY", Value: func(e check.Effect) string { return e.Reason }, Flex: true, Below: true},
}

func effect(e check.Effect) string {
	switch {
	case e.Broken:
		return "broken"
	case e.Before == "valid" && e.Verdict.Fixable():
		return "moved"
	}
	return "before"
}

func runDiff(ctx context.Context, o *diffOptions) error {
	base, head, err := check.SplitRange(o.Range)
	if err != nil {
		return err
	}
	s, err := o.open(ctx, stores.Kept, false)
	if err != nil {
		return err
	}
	defer s.Close()
	opts := check.Options{Prose: o.Prose}
	docs, err := s.Checks.All(ctx, opts)
	if err != nil {
		return err
	}
	out, err := s.Checks.Diff(ctx, docs, base, head, opts)
	if err != nil {
		return err
	}
	if err := output.ListDocument(ctx, o.env.Printer(), out, out.Effects, effectColumns); err != nil {
		return err
	}
	o.env.Streams.Notice("%s into changed files: %d broken, %d moved, %d not valid before",
		text.Count(out.Looked, "citation", "citations"), out.Broken, out.Moved, out.Already)
	if out.Broken+out.Moved > 0 {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return nil
}

func effectStyle(cell string) term.Style {
	switch cell {
	case "broken":
		return term.Red
	case "moved":
		return term.Yellow
	}
	return term.Plain
}
