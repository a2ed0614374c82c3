package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
)

type diffOptions struct {
	env      *cli.Env
	Repo     string
	Worktree string
	Stat     bool
	NameOnly bool
	Later    bool
	Paths    []string
	unnamed  bool // neither an argument nor AGIT_WORKTREE names it
}

func newDiff(env *cli.Env, run cli.Func[diffOptions]) *cobra.Command {
	o := &diffOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "diff [WORKTREE | A..B] [flags] [-- PATH...]",
		Args:  cobra.ArbitraryArgs,
		Short: "Show everything a worktree changes",
		Long: `Show what a worktree (default: the one you stand in) changes since it left the default
branch: its commits, and what is staged, unstaged and untracked there. For a worktree
that landed, show what landed. For one that waits for review, show the commit that the
review was asked for, which is what lands; --later shows the changes since. A..B
compares the commits of two worktrees, such as two tries of a task. Nothing in the
repository or its index is touched.

On a terminal it goes through the pager that git would use (GIT_PAGER, core.pager,
PAGER), with git's own settings for diffs. With --json it prints the files with the
number of lines.`,
		Example: "agit diff w-06q8v1k2m4\nagit diff . --stat\nagit diff w-06q8v1k2m4..w-1s67bm68rv\nagit diff w-06q8v1k2m4 --json --jq '.files[].path'\nagit diff w-06q8v1k2m4 -- src",
	}, o, o.take, run)
	f := cmd.Flags()
	repoFlag(cmd, env, &o.Repo, "`repository` of the worktree")
	f.BoolVar(&o.Stat, "stat", false, "only how much each file changes")
	f.BoolVar(&o.NameOnly, "name-only", false, "only the names of the files")
	f.BoolVar(&o.Later, "later", false, "only the changes since review was asked for")
	cmd.MarkFlagsMutuallyExclusive("stat", "name-only")
	cli.Exits(cmd, fault.ExitConflict, "the worktree was removed without landing")
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listWorktrees)
	return cmd
}

func (o *diffOptions) take(g cli.Given) error {
	named, paths, _ := g.AtDash()
	o.Worktree, o.Paths = worktreeHere(o.env, named), paths
	o.unnamed = len(named) == 0 && o.Worktree == "."
	return g.Check(named, "[WORKTREE]")
}

// choose lets a person on a terminal choose a worktree where none is named and the current
// folder is in none.
func (o *diffOptions) choose(ctx context.Context, s *stores.Stores) error {
	if !o.unnamed {
		return nil
	}
	w, err := s.Worktrees.Get(ctx, o.Repo, ".")
	if err == nil && !w.Marks.Main {
		return nil
	}
	repo := o.Repo
	if repo == "" {
		r, err := repoNamed(ctx, o.env, s.DB, "")
		if err != nil {
			return nil //nolint:nilerr // the search for the worktree reports what is missing
		}
		repo = r.Name
	}
	picked, asked, err := pick(ctx, o.env, s, repo, sibling.Choice{})
	if asked && err == nil {
		o.Worktree = picked
	}
	return err
}

// nothingChanged explains why a diff shows nothing.
func nothingChanged(ref string, part review.Part, paths []string) string {
	switch {
	case len(paths) > 0:
		return fmt.Sprintf("nothing is changed at %s", text.Few(paths))
	case part == review.Later:
		return "nothing is different"
	}
	return fmt.Sprintf("%s changes nothing yet", ref)
}

func runDiff(ctx context.Context, o *diffOptions, s *stores.Stores) (err error) {
	if err := o.choose(ctx, s); err != nil {
		return err
	}
	part := review.Whole
	if o.Later {
		part = review.Later
	}
	var d *review.Diff
	if a, b, two := strings.Cut(o.Worktree, ".."); two && a != "" && b != "" && !o.Later {
		d, err = s.Reviews.Between(ctx, o.Repo, a, b)
		part = review.Later // a difference of two worktrees has no later changes
	} else {
		d, err = s.Reviews.Diff(ctx, o.Repo, o.Worktree, part)
	}
	if err != nil {
		return err
	}
	defer d.Close()
	var later []review.FileChange
	if part == review.Whole {
		if later, err = s.Reviews.Since(ctx, d); err != nil {
			o.env.Streams.Warn("the changes of worktree %q since it was shown for review are not known: %v", d.Worktree.Ref, err)
		}
	}
	found, err := s.Conflicts.KnownUses(ctx, d.Worktree.RepoID, d.Worktree.Ref, "")
	if err != nil {
		return err
	}
	if o.env.Printer().Format() != output.Table {
		stat, err := d.Stat(ctx, o.Paths)
		if err != nil {
			return err
		}
		stat.Later, stat.Uses = later, found
		return o.env.Printer().Document(ctx, stat, nil)
	}
	if len(later) > 0 {
		o.env.Streams.Notice("%s changed since this was shown for review, and %s not land with it: `agit diff %s --later`",
			text.Count(len(later), "file was", "files were"), text.Plural(len(later), "does", "do"), d.Worktree.Ref)
	}
	for _, u := range found {
		o.env.Streams.Notice("%s", u.Text)
	}
	none, err := d.Empty(ctx, o.Paths)
	if err != nil {
		return err
	}
	if none {
		o.env.Streams.Notice("%s", nothingChanged(d.Worktree.Ref, part, o.Paths))
		return nil
	}
	var options []string
	switch {
	case o.Stat:
		options = []string{"--stat"}
	case o.NameOnly:
		options = []string{"--name-only"}
	}
	st := o.env.Streams
	if o.env.Globals.NoColor || o.env.Getenv("NO_COLOR") != "" {
		options = append(options, "--no-color")
	}
	return d.Show(st.In, st.Out, st.Err, options, o.Paths)
}
