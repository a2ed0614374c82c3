package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type cleanupOptions struct {
	env         *cli.Env
	Repo        string
	Worktrees   []string
	Restore     string
	ListTrash   bool
	AbandonWork bool
	DryRun      bool
	Yes         bool
}

func newCleanup(env *cli.Env, run cli.Func[cleanupOptions]) *cobra.Command {
	o := &cleanupOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "cleanup [REPO] [flags]",
		SuggestFor: []string{"prune", "gc"},
		Short:      "Remove finished and stale worktrees, or restore one",
		Long: `Move completed and stale worktrees to the trash, each only when it is proved that
nothing is lost with it: nothing uncommitted, untracked or precious, the branch merged
(also by squash or rebase), no agent at work in it. For each one that stays the reason
is printed. --restore brings a worktree back with its branch and its uncommitted state
for 30 days (worktree.restore_for). Trash whose time is over is deleted, without a
question; each removal and landing deletes some of it too.

Worktrees that others made (a client, git) are listed with what would be lost, and
stay. --worktree removes one of them too, in the same way; its branch stays.`,
		Example: "agit cleanup --dry-run\nagit cleanup app\nagit cleanup app --worktree w-06q8v1k2m4 --worktree builder-2\nagit cleanup --trash\nagit cleanup --restore w-06q8v1k2m4",
	}, o, o.take, run)
	f := cmd.Flags()
	f.StringArrayVar(&o.Worktrees, "worktree", nil, "remove this `worktree` (id, branch, agent or folder), whatever its status; may be repeated")
	f.StringVar(&o.Restore, "restore", "", "bring this `worktree` back from the trash")
	f.BoolVar(&o.ListTrash, "trash", false, "list worktrees that can be restored")
	f.BoolVar(&o.AbandonWork, "abandon-work", false, "with --worktree, remove it although it holds work that is nowhere else; the trash keeps it")
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would be removed and what stands in the way")
	f.BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	cmd.MarkFlagsMutuallyExclusive("restore", "worktree", "trash")
	cmd.MarkFlagsMutuallyExclusive("restore", "dry-run")
	cmd.ValidArgsFunction = repoNames(env)
	cli.CompleteFlag(cmd, "worktree", cli.Complete(env, listWorktrees))
	cli.CompleteFlag(cmd, "restore", cli.Complete(env, worktreesOf("", true)))
	return cmd
}

func (o *cleanupOptions) take(g cli.Given) error {
	o.Repo = withPath(o.env, g.Arg(0))
	if o.AbandonWork && len(o.Worktrees) == 0 {
		return fault.Validation("abandon-work", "--abandon-work goes with --worktree").WithHint("name the one worktree")
	}
	return nil
}

func runCleanup(ctx context.Context, o *cleanupOptions) error {
	s, err := openTo(ctx, o.env, o.DryRun || o.ListTrash || o.Restore != "")
	if err != nil {
		return err
	}
	switch {
	case o.Restore != "":
		w, err := s.Removals.Restore(ctx, o.Repo, o.Restore)
		return printChange(ctx, o.env, w, err, w.Ref, "restored", w.Path, w.Branch)
	case o.ListTrash:
		return listTrash(ctx, o, s)
	case len(o.Worktrees) > 0:
		return removeWorktrees(ctx, o, s)
	}
	return cleanUp(ctx, o, s)
}

func cleanUp(ctx context.Context, o *cleanupOptions, s *stores.Stores) error {
	job := remove.Cleanup{Repo: o.Repo, By: o.env.Getenv("AGIT_AGENT"), DryRun: true}
	list, err := s.Removals.Cleanup(ctx, job)
	if fault.Is(err, fault.KindNotFound) {
		if w, none := s.Worktrees.Here(ctx, "", o.Repo); none == nil {
			return fault.NotFound("repo", o.Repo).Saying("%q names a worktree, %s, and no repository", o.Repo, w.Ref).
				WithHint("`agit remove %s` throws that worktree away, `agit cleanup --worktree %s` only where nothing is lost", text.ShellWord(o.Repo), text.ShellWord(w.Ref))
		}
	}
	if err != nil {
		return err
	}
	removable := 0
	for _, c := range list {
		if len(c.Obstacles) == 0 && c.Error == "" && !c.Left {
			removable++
		}
	}
	defer tellLeftAlone(o.env.Streams, list)
	expired := o.expired(ctx, s)
	if len(list) == 0 && expired == 0 {
		o.env.Streams.Notice("nothing to clean up")
	}
	if removable > 0 && !o.DryRun {
		agreed, err := o.env.Streams.Confirm(ctx, fmt.Sprintf("Move %s to the trash?", text.Count(removable, "worktree", "worktrees")), o.Yes)
		if err != nil {
			return err
		}
		if agreed {
			job.DryRun = false
			if list, err = s.Removals.Cleanup(ctx, job); err != nil {
				return err
			}
		}
	}
	return output.List(ctx, o.env.Printer(), "worktrees", list, []output.Column[remove.Candidate]{
		{Title: "ID", Value: func(c remove.Candidate) string { return c.Worktree.Ref }},
		{Title: "BRANCH", Short: true, Value: func(c remove.Candidate) string { return c.Worktree.Branch }},
		{Title: "WHY", Flex: true, Value: func(c remove.Candidate) string { return c.Why }},
		{Title: "REMOVED", Value: func(c remove.Candidate) string {
			if c.Left {
				return "no"
			}
			return removed(c.Removed, c.Obstacles, c.Error)
		}},
		{Title: "WHY NOT", Value: func(c remove.Candidate) string {
			if c.Left && len(c.Obstacles) == 0 && c.Error == "" {
				return "it is left to who made it; nothing would be lost with it"
			}
			return whyNot(c.Obstacles, c.Error)
		}, Flex: true, Below: true},
	})
}

// expired empties the trash whose time is over, which a dry run only names. Trash that cannot be emptied stays, with a warning: it is not in the way
// of the rest.
func (o *cleanupOptions) expired(ctx context.Context, s *stores.Stores) int {
	find, said := s.Removals.Purge, "%s left the trash, where the time to restore them was over"
	if o.DryRun {
		find, said = s.Removals.Expired, "%s would leave the trash, where the time to restore them is over"
	}
	list, err := find(ctx)
	if n := len(list); n > 0 {
		o.env.Streams.Notice(said, text.Count(n, "worktree", "worktrees"))
	}
	if err != nil {
		o.env.Streams.Warn("some worktrees whose time in the trash is over stay there: %v", err)
	}
	return len(list)
}

// tellLeftAlone explains what happens to worktrees that others made.
func tellLeftAlone(s *term.Streams, list []remove.Candidate) {
	if slices.ContainsFunc(list, func(c remove.Candidate) bool { return c.Left }) {
		s.Notice("worktrees that others made are left to them, unless one is named with --worktree")
	}
}

// removeWorktrees removes those that were named, after all were looked at: one that
// cannot be removed keeps the others too.
func removeWorktrees(ctx context.Context, o *cleanupOptions, s *stores.Stores) error {
	job := func(name string, dry bool) remove.Request {
		return remove.Request{Repo: o.Repo, Worktree: name, By: o.env.Getenv("AGIT_AGENT"), AbandonWork: o.AbandonWork, DryRun: dry}
	}
	var plans []remove.Removal
	var paths, names []string // a path names one worktree, whoever made it
	for _, name := range o.Worktrees {
		plan, err := s.Removals.Remove(ctx, job(name, true))
		if err != nil {
			return err
		}
		if !slices.Contains(paths, plan.Worktree.Path) {
			plans, paths = append(plans, plan), append(paths, plan.Worktree.Path)
			names = append(names, fmt.Sprintf("%s (%s)", plan.Worktree.Ref, plan.Worktree.Branch))
		}
	}
	if o.DryRun {
		return printRemovals(ctx, o.env, plans)
	}
	for _, plan := range plans {
		if len(plans) > 1 && len(plan.Obstacles) > 0 { // before any is gone
			return obstacle.Refuse(plan.Worktree, "removed", plan.Obstacles)
		}
	}
	called := strings.Join(names, ", ")
	if agreed, err := o.env.Streams.Agreed(ctx, "Move worktree "+called+" to the trash?", o.Yes, called+" stays"); !agreed {
		return err
	}
	for i, path := range paths {
		var err error
		if plans[i], err = s.Removals.Remove(ctx, job(path, false)); err != nil {
			if i > 0 {
				o.env.Streams.Notice("removed already: %s", strings.Join(names[:i], ", "))
			}
			return err
		}
	}
	return printRemovals(ctx, o.env, plans)
}

// printRemovals prints one removal as a document, several as a list.
func printRemovals(ctx context.Context, env *cli.Env, list []remove.Removal) error {
	if len(list) == 1 {
		r := list[0]
		return env.Printer().Document(ctx, r, func(st *term.Streams) error {
			return st.Line(r.Worktree.Ref, r.Worktree.Branch, "removed: "+removed(r.Removed, r.Obstacles, ""), whyNot(r.Obstacles, ""))
		})
	}
	return output.List(ctx, env.Printer(), "worktrees", list, []output.Column[remove.Removal]{
		{Title: "ID", Value: func(r remove.Removal) string { return r.Worktree.Ref }},
		{Title: "BRANCH", Value: func(r remove.Removal) string { return r.Worktree.Branch }},
		{Title: "REMOVED", Value: func(r remove.Removal) string { return removed(r.Removed, r.Obstacles, "") }},
		{Title: "WHY NOT", Value: func(r remove.Removal) string { return whyNot(r.Obstacles, "") }, Flex: true, Below: true},
	})
}

// removed returns whether a worktree is gone, would be, or stays.
func removed(gone bool, obstacles []obstacle.Obstacle, failure string) string {
	switch {
	case gone:
		return "yes"
	case len(obstacles) == 0 && failure == "":
		return "would be"
	}
	return "no"
}

func whyNot(obstacles []obstacle.Obstacle, failure string) string {
	var all []string
	for _, o := range obstacles {
		all = append(all, o.Text)
	}
	if failure != "" {
		all = append(all, failure)
	}
	return strings.Join(all, "; ")
}

func listTrash(ctx context.Context, o *cleanupOptions, s *stores.Stores) error {
	kept, err := s.Removals.Trash(ctx, o.Repo)
	return printList(ctx, o.env, "trash", kept, err, []output.Column[remove.Trash]{
		{Title: "ID", Value: func(t remove.Trash) string { return t.Worktree.Ref }},
		{Title: "REPO", Value: func(t remove.Trash) string { return t.Worktree.Repo }},
		{Title: "BRANCH", Short: true, Value: func(t remove.Trash) string { return t.Branch }},
		{Title: "REMOVED", Value: func(t remove.Trash) string { return t.RemovedAt.Local().Format(time.DateOnly) }},
		{Title: "UNTIL", Value: func(t remove.Trash) string { return t.ExpiresAt.Local().Format(time.DateOnly) }},
	}, "the trash is empty")
}
