package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/review"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

type reviewOptions struct {
	graphOptions
	Repo    string
	Accept  bool
	Return  string
	Message string

	returns bool // --return was given
}

func newReview(env *cli.Env) *cobra.Command {
	o := &reviewOptions{}
	cmd := graphCommand(env, &cobra.Command{
		Use: "review [WORKTREE]", Short: "List finished work that waits, accept or return it",
		Long: `Without WORKTREE, list the work that waits for review: how much it changes, what the
gate said, what would conflict by now, since when, whose.

--accept lands a worktree's work, after the gate has judged it merged with the default
branch as that is now. --return gives it back: worktree and task stay the agent's, and
its next brief begins with what you say. The same call again is not an error.`,
		Example: "agit review\nagit review w-06q8v1k2m4 --accept\nagit review w-06q8v1k2m4 --return \"the retry needs a test\"",
	}, o, &o.graphOptions, []string{"[WORKTREE]"}, runReview)
	f := cmd.Flags()
	f.StringVar(&o.Repo, "repo", "", "only this `repository` (default: the folder's; outside of one, all)")
	f.BoolVar(&o.Accept, "accept", false, "land it")
	f.StringVar(&o.Return, "return", "", "give it back with `why`")
	f.StringVarP(&o.Message, "message", "m", "", "`message` of the merge commit")
	cmd.MarkFlagsMutuallyExclusive("accept", "return")
	cmd.PreRun = func(c *cobra.Command, _ []string) { o.returns = c.Flags().Changed("return") }
	cli.CompleteFlag(cmd, "repo", cli.Complete(env, listRepoNames))
	cli.Exits(cmd, fault.ExitConflict, "it would conflict, or something stands in the way; nothing was changed")
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listWorktrees)
	return cmd
}

func runReview(ctx context.Context, o *reviewOptions, s *stores.Stores) error {
	if len(o.Args) == 0 {
		if o.Accept || o.returns {
			return fault.Validation("worktree", "no worktree was named to decide on").WithHint("`agit review` lists what waits")
		}
		return listReviews(ctx, o, s)
	}
	d := review.Decision{Repo: o.Repo, Worktree: o.Args[0], By: o.env.Getenv("AGIT_AGENT"), Why: o.Return, Message: o.Message}
	switch {
	case o.Accept:
		progress := o.env.Streams.Progress("landing " + d.Worktree)
		d.Waiting, d.Running = landingProgress(progress, d.Worktree)
		v, merged, err := s.Reviews.Accept(ctx, d)
		progress.Done()
		if err != nil {
			return err
		}
		return o.env.Printer().Document(ctx, v, func(t *term.Streams) error {
			return t.Line(v.Worktree, string(v.State), v.TaskID, changed(v.Files, v.Insertions, v.Deletions), merged.Commit)
		})
	case o.returns:
		v, err := s.Reviews.Return(ctx, d, s.Config.Agent.StaleAfter)
		if err != nil {
			return err
		}
		return o.env.Printer().Document(ctx, v, func(t *term.Streams) error { return t.Line(v.Worktree, string(v.State), v.TaskID, v.Agent) })
	}
	v, err := s.Reviews.Get(ctx, o.Repo, o.Args[0])
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, v, func(t *term.Streams) error {
		return t.Line(v.Worktree, string(v.State), v.TaskID, v.Agent, changed(v.Files, v.Insertions, v.Deletions), v.Tip)
	})
}

func listReviews(ctx context.Context, o *reviewOptions, s *stores.Stores) error {
	name := o.Repo
	if name == "" {
		if r, err := repoNamed(ctx, o.env, s.DB, ""); err == nil {
			name = r.UID
		}
	}
	list, err := s.Reviews.List(ctx, name)
	if err != nil {
		return err
	}
	err = output.ListDocument(ctx, o.env.Printer(), struct {
		Reviews []review.Review `json:"reviews"`
	}{list}, list, []output.Column[review.Review]{
		{Title: "WORKTREE", Value: func(v review.Review) string { return v.Worktree }},
		{Title: "AGENT", Value: func(v review.Review) string { return v.Agent }},
		{Title: "CHANGES", Value: func(v review.Review) string { return fmt.Sprintf("%d +%d -%d", v.Files, v.Insertions, v.Deletions) }, Right: true},
		{Title: "GATE", Value: func(v review.Review) string { return v.Gate }},
		{Title: "SINCE", Value: func(v review.Review) string { return term.Ago(v.AskedAt.Time, time.Now()) }},
		{Title: "TASK", Value: func(v review.Review) string { return v.Task }, Flex: true},
	})
	if err == nil && len(list) == 0 {
		o.env.Streams.Notice("nothing waits for review")
	}
	return err
}
