package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

type removeOptions struct {
	env       *cli.Env
	Worktrees []string
	Yes       bool
}

func newRemove(env *cli.Env, run cli.Func[removeOptions]) *cobra.Command {
	o := &removeOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "remove WORKTREE... [flags]",
		SuggestFor: []string{"kill", "destroy", "discard", "abandon", "drop"},
		Short:      "Move worktrees to the trash",
		Long: `Move worktrees to the trash with all that is in them: uncommitted files, unmerged
commits, and the branch. It asks first, and names work that exists nowhere else.
agit undo brings a worktree back as it was, for 30 days (worktree.restore_for).

agit cleanup is the careful one of the two: it removes only worktrees with which
nothing is lost.`,
		Example: "agit remove login-page\nagit remove ann --yes\nagit undo",
	}, o, cli.TakeAll(&o.Worktrees), run)
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	cmd.ValidArgsFunction = cli.Complete(env, listWorktrees)
	return cmd
}

func runRemove(ctx context.Context, o *removeOptions, s *stores.Stores) error {
	job := func(name string, dry bool) remove.Request {
		return remove.Request{Worktree: name, By: o.env.Getenv("AGIT_AGENT"), AbandonWork: !dry, DryRun: dry}
	}
	var paths, lost []string // a path names one worktree, whoever made it
	for _, name := range o.Worktrees {
		plan, err := s.Removals.Remove(ctx, job(name, true))
		if err != nil {
			return err
		}
		if slices.Contains(paths, plan.Worktree.Path) {
			continue
		}
		paths = append(paths, plan.Worktree.Path)
		tellElsewhere(ctx, o.env, s, plan.Worktree)
		if slices.ContainsFunc(plan.Obstacles, func(o obstacle.Obstacle) bool { return o.Kind.Absolute() }) {
			return obstacle.Refuse(plan.Worktree, "removed", plan.Obstacles) // before it is asked, and before any is gone
		}
		if why := whyNot(plan.Obstacles, ""); why != "" {
			lost = append(lost, fmt.Sprintf("%s: %s", plan.Worktree.Branch, why))
		}
	}
	question := fmt.Sprintf("Move %s to the trash?", text.Count(len(paths), "worktree", "worktrees"))
	if len(lost) > 0 {
		question += " With it goes " + strings.Join(lost, "; and ")
	}
	if agreed, err := o.env.Streams.Agreed(ctx, question, o.Yes, "nothing was removed"); !agreed {
		return err
	}
	var gone []remove.Removal
	var refs []string
	for _, path := range paths {
		one, err := s.Removals.Remove(ctx, job(path, false))
		if err != nil {
			if len(refs) > 0 {
				o.env.Streams.Notice("removed already: %s", strings.Join(refs, ", "))
			}
			return err
		}
		gone, refs = append(gone, one), append(refs, one.Worktree.Ref)
	}
	if err := printRemovals(ctx, o.env, gone); err != nil {
		return err
	}
	for _, ref := range refs {
		o.env.Streams.Notice("`agit undo %s` brings it back", ref)
	}
	return nil
}

func newUndo(env *cli.Env, run cli.Func[nameOptions]) *cobra.Command {
	o := &nameOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "undo [WORKTREE] [flags]",
		SuggestFor: []string{"restore", "undelete", "recover"},
		Short:      "Bring a worktree back from the trash",
		Long: `Bring a worktree back with its branch and its uncommitted state: the one named,
else the one that was removed last from the repository you are in. agit cleanup
--trash lists what can be restored. A landing is not undone by this: git revert
does that.`,
		Example: "agit undo\nagit undo w-06q8v1k2m4",
	}, o, cli.Take(&o.Name), run)
	cmd.ValidArgsFunction = cli.Complete(env, worktreesOf("", true))
	return cmd
}

func runUndo(ctx context.Context, o *nameOptions, s *stores.Stores) error {
	repo := ""
	if o.Name == "" {
		r, err := repoNamed(ctx, o.env, s.DB, "")
		if err != nil {
			return err
		}
		kept, err := s.Removals.Trash(ctx, r.UID)
		if err != nil {
			return err
		}
		if len(kept) == 0 {
			return fault.NotFound("worktree", "").Saying("the trash of %s is empty", r.Name).WithHint("`agit status` lists the worktrees")
		}
		repo, o.Name = r.UID, kept[0].Worktree.Ref
	}
	w, err := s.Removals.Restore(ctx, repo, o.Name)
	return printChange(ctx, o.env, w, err, w.Ref, "restored", w.Path, w.Branch)
}
