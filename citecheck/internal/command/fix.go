package command

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/instruct"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
	"github.com/spf13/cobra"
)

type fixOptions struct {
	folder
	check.FixOptions
	Memories     []string
	Instructions bool
}

func newFix(env *cli.Env, run cli.Func[fixOptions]) *cobra.Command {
	o := &fixOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "fix [MEMORY...] [flags]",
		Short: "Write the new places of citations that moved",
		Long: `Rewrite citations whose text is at another line or in a renamed file, in the named
memories or in all. References in the memory's text to the same place follow. Changed
citations are only a suggestion: look at them, then give --reviewed, which writes the
place and the text found there. Only the lines concerned are rewritten. With
--instructions it rewrites the names of files, folders and lines in the instruction
files of agents (CLAUDE.md, AGENTS.md, rules) instead; the arguments are such files.`,
		Example: "citecheck fix --dry-run\ncitecheck fix\ncitecheck fix api-versioning --reviewed\ncitecheck fix --instructions",
	}, o, cli.TakeAll(&o.Memories), run)
	o.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.Reviewed, "reviewed", false, "rewrite changed citations too: you looked at them")
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would be written")
	f.BoolVar(&o.Prose, "prose", false, "rewrite references in prose too, adopted or not")
	f.BoolVar(&o.Instructions, "instructions", false, "rewrite renamed paths in CLAUDE.md, AGENTS.md and rules, in place of memories")
	cli.Exits(cmd, fault.ExitFailure, "a citation is still not valid")
	cmd.ValidArgsFunction = o.completeIDs
	return cmd
}

// fixed is the word for what was done, or would be done in a dry run.
func fixed(done, dryRun bool) string {
	switch {
	case done && dryRun:
		return "would fix"
	case done:
		return "fixed"
	}
	return "left"
}

func fixColumns(dryRun bool) []output.Column[check.Fix] {
	return []output.Column[check.Fix]{
		{Title: "DONE", Value: func(f check.Fix) string { return fixed(f.Done, dryRun) }},
		{Title: "MEMORY", Flex: true, Value: func(f check.Fix) string { return fmt.Sprintf("%s:%d", f.Memory, f.At) }},
		{Title: "VERDICT", Value: func(f check.Fix) string { return string(f.Verdict) }, Style: verdictStyle},
		{Title: "FROM", Flex: true, Value: func(f check.Fix) string { return f.From }},
		{Title: "TO", Flex: true, Value: func(f check.Fix) string { return f.To }},
		{Title: "WHY", Value: func(f check.Fix) string { return f.Reason }, Flex: true, Below: true},
	}
}

// print prints the fixes: as text on a terminal, else as rows or documents.
func (o *fixOptions) print(ctx context.Context, out *check.Fixes) error {
	p := o.env.Printer()
	if !o.env.Streams.OutTTY || p.Format() != output.Table {
		return output.ListDocument(ctx, p, out, out.Fixes, fixColumns(o.DryRun))
	}
	return p.Document(ctx, out, func(st *term.Streams) error {
		return each(out.Fixes, func(f check.Fix) error { return showFix(st, f, o.DryRun) })
	})
}

func runFix(ctx context.Context, o *fixOptions) error {
	if o.Instructions {
		return runFixInstructions(ctx, o)
	}
	s, err := o.open(ctx, stores.Kept, len(o.Memories) > 0)
	if err != nil {
		return err
	}
	defer s.Close()
	docs, err := s.Checks.NamedDocuments(ctx, o.Memories, check.Options{Prose: o.Prose})
	if err != nil {
		return err
	}
	out, err := s.Checks.Fix(ctx, docs, o.FixOptions)
	if err != nil {
		return err
	}
	if err := o.print(ctx, out); err != nil {
		return err
	}
	return o.told(len(out.Fixes), text.Count(out.Files, "memory", "memories"), text.Count(out.Left, "citation", "citations"), out.Left > 0)
}

// told prints what was fixed and left, and fails where something is left.
func (o *fixOptions) told(fixes int, changed, left string, some bool) error {
	switch {
	case fixes == 0:
		o.env.Streams.Notice("nothing to fix")
	case o.DryRun:
		o.env.Streams.Notice("nothing was written")
	default:
		o.env.Streams.Notice("%s changed, %s left", changed, left)
	}
	if some {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return nil
}

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
