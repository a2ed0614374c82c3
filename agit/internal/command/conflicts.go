package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

type conflictsOptions struct {
	env      *cli.Env
	Repo     string
	Depth    string
	Worktree string
	Default  bool
	ExitCode bool
}

func newConflicts(env *cli.Env, run func(context.Context, *conflictsOptions) error) *cobra.Command {
	o := &conflictsOptions{env: env}
	cmd := &cobra.Command{
		Use:   "conflicts [REPO] [flags]",
		Short: "Show where worktrees get in each other's way",
		Long: `Compare the worktrees of a repository with each other as they are now: commits
since the merge base, staged, unstaged and untracked changes, renames followed.

Three depths: file (both touch it), lines (both touch the same lines), merge
(git's own merge of the two states would conflict). Nothing in the repository is
touched: no file, no index, no ref.`,
		Example: "agit conflicts app\nagit conflicts app --depth lines --json\nagit conflicts app --exit-code --quiet",
		Args:    cli.Args("[REPO]"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Repo = args[0]
			}
			return run(c.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Depth, "depth", "", "how closely to compare: `file, lines or merge` (default conflicts.depth)")
	f.StringVar(&o.Worktree, "worktree", "", "only conflicts of the worktree with this `id`")
	f.BoolVar(&o.Default, "against-default", false, "also say which worktrees would conflict with the default branch")
	f.BoolVar(&o.ExitCode, "exit-code", false, "exit with 1 when there is a conflict")
	cli.Exits(cmd, fault.ExitFailure, "with --exit-code, there is a conflict; else the scan failed")
	cmd.ValidArgsFunction = repoNames(env)
	cli.CompleteFlag(cmd, "depth", values("file", "lines", "merge"))
	return cmd
}

var conflictHeads = []term.Column{{Title: "FILE", Flex: true}, {Title: "DEPTH", Style: depthStyle}, {Title: "LINES"}, {Title: "WORKTREES"}}

func depthStyle(depth string) term.Style {
	switch conflict.Depth(depth) {
	case conflict.DepthMerge:
		return term.Red
	case conflict.DepthLines:
		return term.Yellow
	}
	return term.Plain
}

func conflictCells(c conflict.Conflict) []string {
	sides := make([]string, len(c.Worktrees))
	for i, side := range c.Worktrees {
		sides[i] = side.ID
		if side.Agent != "" {
			sides[i] += " (" + side.Agent + ")"
		}
	}
	return []string{c.File, string(c.Depth), conflict.FormatLines(sharedLines(c)), strings.Join(sides, ", ")}
}

// sharedLines are the lines of the base that any two worktrees both touch.
func sharedLines(c conflict.Conflict) []conflict.Lines {
	var lines []conflict.Lines
	for _, p := range c.Pairs {
		lines = append(lines, p.Lines...)
	}
	return lines
}

func runConflicts(ctx context.Context, o *conflictsOptions) error {
	s, err := stores.Open(ctx, o.env, o.env.Streams.ErrWriter())
	if err != nil {
		return err
	}
	if o.Depth == "" {
		o.Depth = s.Config.Conflicts.Depth
	}
	depth, err := conflict.ParseDepth(o.Depth)
	if err != nil {
		return err
	}
	r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	progress := o.env.Streams.Progress("scanning the worktrees of " + r.Name)
	report, err := s.Conflicts.Scan(ctx, r.ID, conflict.Options{Depth: depth, Default: o.Default, Worktree: o.Worktree})
	progress.Done()
	if err != nil {
		return err
	}
	if err := printConflicts(ctx, o.env, report); err != nil {
		return err
	}
	if o.ExitCode && len(report.Conflicts) > 0 {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return nil
}

func printConflicts(ctx context.Context, env *cli.Env, report *conflict.Report) error {
	columns := make([]output.Column[conflict.Conflict], len(conflictHeads))
	for i, head := range conflictHeads {
		columns[i] = output.Column[conflict.Conflict]{Title: head.Title, Flex: head.Flex, Style: head.Style,
			Value: func(c conflict.Conflict) string { return conflictCells(c)[i] }}
	}
	if err := output.ListDocument(ctx, env.Printer(), report, report.Conflicts, columns); err != nil {
		return err
	}
	s := env.Streams
	for _, skipped := range report.Skipped {
		s.Warn("worktree %s was not scanned: %s", skipped.ID, skipped.Reason)
	}
	for _, failed := range report.Failures {
		s.Warn("git could not say whether %s and %s merge: %s", failed.A, failed.B, failed.Reason)
	}
	if report.MergeUnavailable != "" {
		s.Warn("depth merge is not available: %s", report.MergeUnavailable)
	}
	for _, d := range report.AgainstDefault {
		if len(d.Conflicts) > 0 {
			files := make([]string, len(d.Conflicts))
			for i, f := range d.Conflicts {
				files[i] = f.File
			}
			s.Notice("%s would conflict with the default branch in %s", d.ID, strings.Join(files, ", "))
		}
	}
	if len(report.Conflicts) == 0 {
		s.Notice("no conflicts between %s", plural(report.ScannedWorktrees, "worktree", "worktrees"))
	} else if env.Printer().Format() == output.Table {
		s.Notice("%s in %s", plural(len(report.Conflicts), "conflict", "conflicts"), fmt.Sprintf("%d worktrees", report.ScannedWorktrees))
	}
	return nil
}
