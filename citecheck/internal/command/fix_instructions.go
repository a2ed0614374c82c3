package command

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/citecheck/internal/instruct"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/text"
)

// runFixInstructions writes the new names into instruction files.
func runFixInstructions(ctx context.Context, o *fixOptions) error {
	if o.Reviewed || o.Prose {
		return fault.Validation("instructions", "--instructions goes with neither --reviewed nor --prose").WithHint("leave the other out: in instruction files only names that git knows are rewritten")
	}
	root, only, err := instructionFiles(o.env, o.Memories)
	if err != nil {
		return err
	}
	out, err := instruct.Rewrite(ctx, root, instruct.Options{Choice: instruct.Choice{Only: only}}, o.DryRun)
	if err != nil {
		return err
	}
	columns := []output.Column[instruct.Fix]{
		{Title: "DONE", Value: func(f instruct.Fix) string { return fixed(f.Done, o.DryRun) }},
		{Title: "FILE", Flex: true, Value: func(f instruct.Fix) string { return fmt.Sprintf("%s:%d", f.File, f.Line) }},
		{Title: "FROM", Flex: true, Value: func(f instruct.Fix) string { return f.From }},
		{Title: "TO", Flex: true, Value: func(f instruct.Fix) string { return f.To }},
		{Title: "WHY", Value: func(f instruct.Fix) string { return f.Reason }, Flex: true, Below: true},
	}
	if err := output.ListDocument(ctx, o.env.Printer(), out, out.Fixes, columns); err != nil {
		return err
	}
	return o.told(len(out.Fixes), text.Count(out.Files, "file", "files"), text.Count(out.Left, "statement", "statements"), out.Left > 0)
}
