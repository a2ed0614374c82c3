package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type finishOptions struct {
	env *cli.Env
	assignment.FinishRequest
	NoChanges bool
	Failed    string
	Release   string
}

func newFinish(env *cli.Env, run cli.Func[finishOptions]) *cobra.Command {
	o := &finishOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "finish [WORKTREE]",
		Short: "Finish a task: check it, land it or leave it for review",
		Long: `Finish the work in a worktree (default: the one you stand in, else the one that the
agent has under way). Uncommitted files are refused and named; --commit commits them by
name, and nothing that git ignores. Then the gate runs on the work merged with the
default branch, and the work lands, is left for review, or is proposed by a pull
request, as "land" in the configuration has it. The session ends, and the task is
reported with the summary.

Instead, --failed reports the task as failed, and --release returns it to the queue;
with --commit after a commit of what there is. --no-changes completes a task that
needed no commit. The same call again is not an error.`,
		Example: "agit finish --commit --summary \"Retry with backoff, and its test\"\nagit finish w-06q8v1k2m4\nagit finish --release \"the staging database is down\"",
	}, o, cli.Take(&o.Worktree), run)
	agentFlag(cmd, env, &o.Agent, doneFor)
	f := cmd.Flags()
	f.BoolVar(&o.Commit, "commit", false, "commit uncommitted files")
	f.StringVarP(&o.Message, "message", "m", "", "`message` of that commit; made of the task by default")
	f.StringVar(&o.Summary, "summary", "", "what was done, as a `text`: the task's result and the session's summary")
	f.BoolVar(&o.NoChanges, "no-changes", false, "complete the task though nothing had to change; --summary says why")
	f.StringVar(&o.Failed, "failed", "", "report the task as failed, and `why`")
	f.StringVar(&o.Release, "release", "", "give the task back for others, and say `why`")
	f.StringVar(&o.Land, "land", "", "`mode` of this work: never, review, gate or pr (default: the configuration's)")
	cli.CompleteFlag(cmd, "land", cli.Words(assignment.LandModes...))
	cmd.MarkFlagsMutuallyExclusive("no-changes", "failed", "release")
	cli.Exits(cmd, fault.ExitConflict, "work is not committed, it would conflict, or another agent has the task; nothing was changed")
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listWorktrees)
	return cmd
}

func runFinish(ctx context.Context, o *finishOptions, s *stores.Stores) error {
	q := o.FinishRequest
	q.Agent, q.Repo, q.Asker = agentOf(o.env, o.Agent), o.env.Getenv("AGIT_REPO"), asker(o.env)
	q.Summary, q.Asker.Agent = cmp.Or(o.Failed, o.Release, o.Summary), q.Agent
	switch {
	case o.Failed != "":
		q.Outcome = assignment.Failed
	case o.Release != "":
		q.Outcome = assignment.Released
	case o.NoChanges:
		q.Outcome = assignment.NoChanges
	}
	q.Worktree = cmp.Or(o.Worktree, o.env.Getenv("AGIT_WORKTREE"))
	q.Here = q.Worktree == ""
	about := cmp.Or(q.Worktree, "the work")
	progress := o.env.Streams.Progress("finishing " + about)
	q.Waiting, q.Running = landingProgress(progress, about)
	done, err := s.Assign.Finish(ctx, q)
	progress.Done()
	if err != nil {
		return messageMeant(o, err)
	}
	return printFinished(ctx, o.env, done)
}

// messageMeant adds to the fault about a worktree that does not exist what to type where its name was meant as the message of --commit.
func messageMeant(o *finishOptions, err error) error {
	if f := fault.From(err); !o.Commit || o.Message != "" || o.Worktree == "" || !fault.Is(err, fault.KindNotFound) || f.EntityType != "worktree" {
		return err
	}
	meant := *fault.From(err)
	meant.Hint = "the commit's message follows -m: `agit finish --commit -m " + text.ShellWord(o.Worktree) + "`; " + meant.Hint
	return &meant
}

// printFinished prints what happened to finished work.
func printFinished(ctx context.Context, env *cli.Env, done assignment.Finished) error {
	return env.Printer().Document(ctx, done, func(t *term.Streams) error {
		id, status := "", ""
		if done.Task != nil {
			id, status = done.Task.ID, done.Task.Status
		}
		c := done.Changes
		if err := t.Line(done.Worktree.ID, string(done.State), id, status, changed(c.Files, c.Insertions, c.Deletions), shortCommit(done.Commit)); err != nil {
			return err
		}
		if done.Pull != nil {
			if err := t.Line(done.Pull.Stands, done.Pull.URL); err != nil {
				return err
			}
		}
		for _, n := range done.Notes {
			t.Warn("%s", n)
		}
		if done.Task != nil && len(done.Task.Unblocked) > 0 {
			t.Notice("ready now: %s", strings.Join(done.Task.Unblocked, ", "))
		}
		if done.State == assignment.InReview {
			t.Notice("next: %s; `agit begin` takes the next task", decide(review.Review{}, done.Worktree.ID, done.Land))
		}
		return nil
	})
}

// changed returns how much a piece of work changes.
func changed(files, insertions, deletions int) string {
	return fmt.Sprintf("%s +%d -%d", text.Count(files, "file", "files"), insertions, deletions)
}
