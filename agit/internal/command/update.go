package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type updateOptions struct {
	env *cli.Env
	land.UpdateRequest
}

func newUpdate(env *cli.Env, run cli.Func[updateOptions]) *cobra.Command {
	o := &updateOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "update [REPO] [WORKTREE] [flags]",
		SuggestFor: []string{"pull", "rebase", "sync"},
		Short:      "Bring the default branch into a worktree's branch",
		Long: `Bring a worktree's branch and files up to date with the default branch: by a merge
commit, or with --rebase by making the worktree's commits again on top.

Inside a worktree it need not be named. Uncommitted changes are refused, with the names
of the files. On a conflict nothing is changed, and the files and the other agent's
worktree are named.`,
		Example: "agit update\nagit update app w-06q8v1k2m4 --rebase",
		Args:    cli.Args("[WORKTREE]", "[WORKTREE]"),
	}, o, repoAndWorktree(env, &o.Repo, &o.Worktree), run)
	cmd.Flags().BoolVar(&o.Rebase, "rebase", false, "make the worktree's commits again on top of the default branch")
	cli.Exits(cmd, fault.ExitConflict, "it would conflict, or something stands in the way; nothing was changed")
	cmd.ValidArgsFunction = repoThenWorktree(env)
	return cmd
}

func runUpdate(ctx context.Context, o *updateOptions, s *stores.Stores) error {
	progress := o.env.Streams.Progress("updating " + o.Worktree)
	o.By = o.env.Getenv("AGIT_AGENT")
	u, err := s.Landings.Update(ctx, o.UpdateRequest)
	progress.Done()
	err = insteadOfMain(ctx, s, o.Repo, o.Worktree, "`git pull` brings it up to date; `agit update WORKTREE` brings the default branch into a worktree of `agit status`", err)
	return printDocument(ctx, o.env, u, err, func(st *term.Streams) error {
		if u.UpToDate {
			return st.Line(u.Worktree.Ref, "has all of "+u.From+" already")
		}
		return st.Line(u.Worktree.Ref, "updated from "+u.From, text.Count(u.FilesChanged, "file", "files")+" changed", shortCommit(u.Commit))
	})
}
