package command

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type conflictsOptions struct {
	env      *cli.Env
	Repo     string
	Depth    string
	Worktree string
	With     string
	Default  bool
	ExitCode bool
}

func newConflicts(env *cli.Env, run cli.Func[conflictsOptions]) *cobra.Command {
	o := &conflictsOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "conflicts [REPO] [flags]",
		Short: "Show where worktrees get in each other's way",
		Long: `Compare the worktrees of a repository with each other, and with the default
branch, as they are now: commits since they left it, staged, unstaged and
untracked changes, renames followed. Every worktree that git lists takes part,
whoever made it, and so does the main checkout once something is changed in it.
Branches that agents in the cloud push to a remote take part too: copilot/*, codex/*,
claude/*, cursor/*, jules/*, devin/* and those of conflicts.parties, as they were fetched
last, until they are merged or 14 days old. Nothing is fetched.

Four kinds: file (both touch it), lines (both touch the same lines), merge (git's own
merge of the two states would conflict), and uses (git merges the two, and one begins
to use a definition, a file or a dependency that the other removed, renamed or
changed, or both define or number the same). --depth limits how closely they are
compared; uses and merge are found together. Every two worktrees of a row meet in this
way. A row that begins with the default branch is a worktree that would conflict with
it now; only merge has such rows. docs/conflicts.md has more. Nothing in the repository is touched:
no file, no index, no ref.`,
		Example: "agit conflicts app\nagit conflicts app --depth lines --json\nagit conflicts --with origin/copilot/fix-12\nagit conflicts app --exit-code --quiet",
	}, o, cli.Take(&o.Repo), run)
	f := cmd.Flags()
	f.StringVar(&o.Depth, "depth", "", "how closely to compare: `file, lines or merge` (default conflicts.depth)")
	f.StringVar(&o.Worktree, "worktree", "", "only conflicts of this worktree: its `id`, branch or folder")
	f.StringVar(&o.With, "with", "", "only conflicts with this `branch`, which no worktree needs to have; a remote's as origin/NAME")
	cmd.MarkFlagsMutuallyExclusive("worktree", "with")
	f.BoolVar(&o.Default, "against-default", false, "only conflicts with the default branch")
	f.BoolVar(&o.ExitCode, "exit-code", false, "exit with 1 when there is a conflict, or a worktree or the default branch was not scanned")
	cli.Exits(cmd, fault.ExitFailure, "with --exit-code, there is a conflict, or a worktree or the default branch was not scanned; else the scan failed")
	cmd.ValidArgsFunction = repoNames(env)
	cli.CompleteFlag(cmd, "worktree", cli.Complete(env, listWorktrees))
	cli.CompleteFlag(cmd, "depth", cli.Words("file", "lines", "merge"))
	return cmd
}

var conflictHeads = []term.Column{{Title: "FILE", Flex: true}, {Title: "DEPTH", Style: depthStyles.Of}, {Title: "LINES"}, {Title: "WORKTREES", Flex: true}}

// headsOf are the columns of a table of conflicts: with the reasons where a row has any.
func headsOf(all []conflict.Conflict) []term.Column {
	if slices.ContainsFunc(all, func(c conflict.Conflict) bool { return len(c.Uses) > 0 }) {
		return append(slices.Clone(conflictHeads), term.Column{Title: "WHY", Flex: true, Below: true})
	}
	return conflictHeads
}

var depthStyles = term.Styles{
	string(conflict.DepthMerge): term.Red,
	string(conflict.DepthLines): term.Yellow, string(conflict.DepthUses): term.Yellow,
}

// conflictCells are the cells of a conflict; called returns the name of a worktree by its
// id.
func conflictCells(c conflict.Conflict, called func(id string) string) []string {
	var sides []string
	if c.DefaultBranch != "" {
		sides = append(sides, c.DefaultBranch)
	}
	for _, side := range c.Worktrees {
		if name := called(side.ID); name != side.ID {
			side.ID = term.Truncate(name, nameCells)
		}
		sides = append(sides, side.Label())
	}
	return []string{c.File, string(c.Depth), cmp.Or(conflict.FormatLines(c.Lines), c.UsedAt()), strings.Join(sides, ", "), strings.Join(c.Why(), "; ")}
}

func runConflicts(ctx context.Context, o *conflictsOptions, s *stores.Stores) error {
	depth, err := conflict.ParseDepth(cmp.Or(o.Depth, s.Config.Conflicts.Depth))
	if err != nil {
		return err
	}
	r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	if o.Worktree != "" {
		w, err := s.Worktrees.Get(ctx, r.Name, o.Worktree)
		if err != nil {
			return err
		}
		o.Worktree = w.Ref
	}
	progress := o.env.Streams.Progress("scanning the worktrees of " + r.Name)
	report, err := s.Conflicts.Scan(ctx, r.ID, conflict.Options{Depth: depth, Worktree: o.Worktree, With: o.With, Share: true})
	progress.Done()
	if err != nil {
		return err
	}
	if o.Default {
		report = report.OnlyDefault()
	}
	tried, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (*trial.Trial, error) { return trial.Last(tx, r.ID) })
	if err != nil {
		return err
	}
	called, err := shownNames(ctx, o.env, s, r.Name)
	if err != nil {
		return err
	}
	err = printConflicts(ctx, o.env, report, tried, called)
	return exitWhen(err, o.ExitCode && (len(report.Conflicts)+len(report.Skipped) > 0 || report.NoDefaultBranch != ""), fault.ExitFailure)
}

// conflictsAndTrial is the JSON of the command.
type conflictsAndTrial struct {
	*conflict.Report
	Trial *trial.Trial `json:"trial,omitempty"` // the last one
}

func printConflicts(ctx context.Context, env *cli.Env, report *conflict.Report, tried *trial.Trial, called func(id string) string) error {
	heads := headsOf(report.Conflicts)
	columns := make([]output.Column[conflict.Conflict], len(heads))
	for i, head := range heads {
		columns[i] = output.Column[conflict.Conflict]{Title: head.Title, Flex: head.Flex, Below: head.Below, Style: head.Style,
			Value: func(c conflict.Conflict) string { return conflictCells(c, called)[i] }}
	}
	if err := output.ListDocument(ctx, env.Printer(), conflictsAndTrial{report, tried}, report.Conflicts, columns); err != nil {
		return err
	}
	s := env.Streams
	tellUnscanned(s, report)
	for _, failed := range report.Failures {
		s.Warn("git could not say whether %s and %s merge: %s", failed.A, failed.B, failed.Reason)
	}
	if report.MergeUnavailable != "" {
		s.Warn("depth merge is not available: %s", report.MergeUnavailable)
	}
	if tried != nil {
		for _, f := range tried.Failures {
			s.Notice("the last trial, %s, is red: %s; its log: %s", term.Ago(tried.At.Time, time.Now()), f.Sentence(), f.Log)
		}
	}
	if len(report.Conflicts) == 0 {
		s.Notice("no conflicts between %s%s", parties(report), unscanned(report))
	} else if env.Printer().Format() == output.Table {
		s.Notice("%s in %s%s", text.Count(len(report.Conflicts), "conflict", "conflicts"), parties(report), unscanned(report))
	}
	return nil
}

// tellUnscanned names the worktrees that were not scanned, and a default branch that does not exist.
func tellUnscanned(s *term.Streams, r *conflict.Report) {
	for _, skipped := range r.Skipped {
		s.Warn("worktree %s was not scanned: %s", skipped.ID, skipped.Reason)
	}
	if r.NoDefaultBranch != "" {
		s.Warn("%s", r.NoDefaultBranch)
	}
}

// unscanned counts the worktrees whose conflicts are not known: ", 1 worktree not scanned"; "" for none.
func unscanned(r *conflict.Report) (left string) {
	if len(r.Skipped) > 0 {
		left = ", " + text.Count(len(r.Skipped), "worktree", "worktrees") + " not scanned"
	}
	if r.NoDefaultBranch != "" {
		left += ", not compared with the default branch"
	}
	return left
}

// parties counts what was compared.
func parties(r *conflict.Report) string {
	all := text.Count(r.ScannedWorktrees, "worktree", "worktrees")
	if r.ScannedBranches > 0 {
		all += " and " + text.Count(r.ScannedBranches, "branch of a remote", "branches of remotes")
	}
	return all
}
