package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type mergeOptions struct {
	env      *cli.Env
	Repo     string
	Worktree string
	Message  string
	KeepTask bool
}

func newMerge(env *cli.Env) *cobra.Command {
	o := &mergeOptions{env: env}
	cmd := &cobra.Command{
		Use:        "merge [REPO] WORKTREE [flags]",
		SuggestFor: []string{"finish", "land"},
		Short:      "Merge a worktree's branch and remove the worktree",
		Long: `Merge a worktree's branch into the default branch with a merge commit, complete
its task, and move the worktree to the trash, from which it can be restored.

The worktree is named by its id or the beginning of one, its branch, the agent it
was made for, its folder, or . from inside it.

It checks first and merges apart from every working tree: on conflict nothing is
changed, and the files and the other agent's worktree are named. Uncommitted work
in the worktree is a refusal. Where the default branch is checked out its files
follow, keeping local changes; a locally changed file in the way is a refusal.`,
		Example: "agit merge app w-06q8v1k2m4\nagit merge app agit/fix-login-k2m4x9 --keep-task\nagit merge .",
		Args:    cli.Args("WORKTREE", "[WORKTREE]"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Worktree = args[len(args)-1]
			if len(args) == 2 {
				o.Repo = args[0]
			}
			return runMerge(c.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Message, "message", "m", "", "`message` of the merge commit")
	f.BoolVar(&o.KeepTask, "keep-task", false, "do not complete the worktree's task")
	cli.Exits(cmd, fault.ExitConflict, "it would conflict, or something stands in the way; nothing was changed")
	cmd.ValidArgsFunction = repoThenWorktree(env)
	return cmd
}

func runMerge(ctx context.Context, o *mergeOptions) error {
	s, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	progress := o.env.Streams.Progress("merging " + o.Worktree)
	m, err := s.Landings.Merge(ctx, land.Request{
		Repo: o.Repo, Worktree: o.Worktree, Message: o.Message, KeepTask: o.KeepTask, By: o.env.Getenv("AGIT_AGENT"),
	})
	progress.Done()
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, m, func(st *term.Streams) error {
		what := "merged into " + m.Into
		if m.Commit == "" {
			what = "was in " + m.Into + " already"
		}
		if err := st.Line(m.Worktree.Ref, what, text.Count(m.FilesChanged, "file", "files")+" changed", m.Commit); err != nil {
			return err
		}
		if m.TaskOpen != "" {
			st.Warn("%s", m.TaskOpen)
		}
		for _, o := range m.Kept {
			st.Warn("the worktree was kept: %s", o.Text)
		}
		if m.RestoreUntil != nil {
			st.Notice("the worktree can be restored until %s: `agit cleanup --restore %s`", m.RestoreUntil.Local().Format(time.DateOnly), m.Worktree.Ref)
		}
		return nil
	})
}

// repoThenWorktree completes a repository, then one of its worktrees.
func repoThenWorktree(env *cli.Env) cli.Completer {
	return func(c *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return cli.Complete(env, listRepoNames)(c, args, toComplete)
		}
		return cli.Complete(env, func(ctx context.Context, db *registry.DB, _ string) (ids []string, err error) {
			list, err := worktree.New(db, worktree.Options{}).List(ctx, args[0], false)
			for _, w := range list {
				ids = append(ids, w.Ref+"\t"+w.Branch)
			}
			return ids, err
		})(c, args, toComplete)
	}
}
