package command

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/land/pull"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type prOptions struct {
	env    *cli.Env
	Status bool
	Watch  bool
	Once   bool
	forge.Request
}

func newPR(env *cli.Env, run cli.Func[prOptions]) *cobra.Command {
	o := &prOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "pr [WORKTREE] [flags]",
		SuggestFor: []string{"pull-request", "mr", "push"},
		Short:      "Open a pull request for a worktree, and follow it",
		Long: `Push a worktree's branch and open a pull request for it, with the forge's own program:
gh (GitHub), glab (GitLab) or az (Azure DevOps), which has your login. git pushes with
its own credentials; nothing at the remote is overwritten. Title and text come from
the task, its criteria and the commits. A second run pushes the commits made since.

--status asks the forge for its state: checks, review, whether it can be merged. Once
it was merged there, also squashed, the task is completed, and the worktree can be
cleaned up. Without a worktree all pull requests of the repository are listed.

--watch follows the open ones of finished work, as "land = pr" leaves it: checks that
failed go back to the agent with the end of their log, comments of people who may
write to the repository and conflicts likewise, each once. --once looks once and ends.`,
		Example: "agit pr login-page --dry-run\nagit pr login-page --draft\nagit pr login-page --status\nagit pr\nagit pr --watch",
	}, o, o.take, run)
	f := cmd.Flags()
	repoFlag(cmd, env, &o.Repo, "`repository`; the current folder's by default")
	f.BoolVar(&o.Status, "status", false, "print the state of its pull request, and open none")
	f.BoolVar(&o.Watch, "watch", false, "follow the open ones of finished work, and hand failures and comments to the agent")
	f.BoolVar(&o.Once, "once", false, "with --watch: look once")
	f.BoolVar(&o.Draft, "draft", false, "open it as a draft")
	f.StringVar(&o.Title, "title", "", "its `title` (default the task's name)")
	f.StringVar(&o.Body, "body", "", "its `text`, - for standard input (default the task, its criteria and the commits)")
	f.StringVar(&o.Base, "base", "", "`branch` that it is for (default the default branch)")
	f.StringVar(&o.Remote, "remote", "", "`name` of the git remote to push to (default origin)")
	f.BoolVar(&o.Rewritten, "force-with-lease", false, "the branch was rewritten: replace it at the remote if no one else changed it there")
	f.BoolVar(&o.DryRun, "dry-run", false, "only show what would be pushed and opened")
	for _, flag := range []string{"draft", "title", "body", "base", "remote", "force-with-lease", "dry-run"} {
		cmd.MarkFlagsMutuallyExclusive("status", flag)
		cmd.MarkFlagsMutuallyExclusive("watch", flag)
	}
	cmd.MarkFlagsMutuallyExclusive("watch", "status")
	cli.Exits(cmd, fault.ExitConflict, "the branch has no commits, or the remote's has others; nothing was pushed")
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listWorktrees)
	return cmd
}

func (o *prOptions) take(g cli.Given) error {
	o.Worktree = g.Arg(0)
	switch {
	case o.Watch && o.Worktree != "":
		return fault.Validation("worktree", "--watch follows all pull requests of a repository, and a worktree was named").WithHint("leave one of them out")
	case o.Once && !o.Watch:
		return fault.Validation("once", "--once is for --watch").WithHint("agit pr --watch --once")
	}
	if o.Worktree == "" && (o.Title != "" || o.Body != "" || o.Base != "" || o.Draft || o.DryRun || o.Rewritten) {
		return fault.Validation("worktree", "no worktree is named to open a pull request for").WithHint("`agit status` lists them")
	}
	return nil
}

func runPR(ctx context.Context, o *prOptions, s *stores.Stores) error {
	by := o.env.Getenv("AGIT_AGENT")
	switch {
	case o.Watch:
		return watchPRs(ctx, o, s, by)
	case o.Worktree == "":
		return listPRs(ctx, o, s, by)
	case o.Status:
		progress := o.env.Streams.Progress("asking the forge")
		p, err := s.Forges.Refresh(ctx, o.Repo, o.Worktree, by)
		progress.Done()
		return printDocument(ctx, o.env, p, err, func(st *term.Streams) error { return printPR(st, p) })
	}
	if o.Body == "-" {
		const most = 256 << 10
		body, err := io.ReadAll(io.LimitReader(o.env.Streams.In, most))
		if err != nil {
			return fault.Operation(err, "read standard input")
		}
		o.Body = string(body)
	}
	opened, err := s.Forges.Open(ctx, o.Request)
	return printDocument(ctx, o.env, opened, err, func(st *term.Streams) error {
		if opened.Uncommitted > 0 {
			st.Warn("%s not committed, and so not a part of it", text.Count(opened.Uncommitted, "changed file is", "changed files are"))
		}
		if o.DryRun {
			if err := st.Lines([]string{"would push", opened.Branch, text.Count(opened.Commits, "commit", "commits"), "to " + opened.Pushed},
				[]string{"would open", "for " + opened.Target, opened.Title}); err != nil {
				return err
			}
			return st.Text("\n" + strings.TrimSuffix(opened.Body, "\n") + "\n")
		}
		if err := printPR(st, opened.PullRequest); err != nil {
			return err
		}
		if opened.New {
			st.Notice("`agit pr %s --status` shows how it stands", opened.Worktree)
		}
		return nil
	})
}

func printPR(st *term.Streams, p forge.PullRequest) error {
	if err := st.Row(st.Plain(p.Name), st.Plain(fmt.Sprintf("#%d", p.Number)), st.Paint(prStyle(p), prState(p)), st.Plain(prDetails(p)), st.Plain(p.URL)); err != nil {
		return err
	}
	switch {
	case p.TaskOpen != "":
		st.Warn("%s", p.TaskOpen)
	case p.State == forge.Merged:
		st.Notice("`agit cleanup %s --worktree %s` removes the worktree", text.ShellWord(p.Repo), p.Worktree)
	}
	return nil
}

// prState is the state of a pull request in a word.
func prState(p forge.PullRequest) string {
	if p.State == forge.Open && p.Draft {
		return "draft"
	}
	return string(p.State)
}

// prDetails describes what holds up an open pull request.
func prDetails(p forge.PullRequest) string {
	if p.State != forge.Open {
		return ""
	}
	var details []string
	if p.Checks != "" {
		details = append(details, "checks "+p.Checks)
	}
	if p.Review != "" {
		details = append(details, p.Review)
	}
	if p.Mergeable != "" && p.Mergeable != forge.MergeReady {
		details = append(details, p.Mergeable)
	}
	return strings.Join(details, ", ")
}

func prStyle(p forge.PullRequest) term.Style {
	switch {
	case p.State == forge.Merged:
		return term.Green
	case p.State == forge.Closed, p.Checks == forge.ChecksFailed, p.Mergeable == forge.MergeConflicts, p.Review == forge.ReviewChanges:
		return term.Red
	case p.State == forge.Open && !p.Draft:
		return term.Green
	}
	return term.Plain
}

func listPRs(ctx context.Context, o *prOptions, s *stores.Stores, by string) error {
	r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	progress := o.env.Streams.Progress("asking the forge")
	list, err := s.Forges.List(ctx, r.UID, by)
	progress.Done()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		o.env.Streams.Notice("no worktree of %q has a pull request; `agit pr WORKTREE` opens one", r.Name)
	}
	for _, p := range list {
		if p.Problem != "" {
			o.env.Streams.Warn("%s #%d is shown as it was %s: %s", p.Name, p.Number, term.Ago(p.SeenAt.Time, time.Now()), p.Problem)
		}
		if p.TaskOpen != "" {
			o.env.Streams.Warn("%s", p.TaskOpen)
		}
	}
	return output.List(ctx, o.env.Printer(), "pull_requests", list, []output.Column[forge.PullRequest]{
		{Title: "WORKTREE", Value: func(p forge.PullRequest) string { return p.Name }},
		{Title: "PR", Value: func(p forge.PullRequest) string { return fmt.Sprintf("#%d", p.Number) }},
		{Title: "STATE", Value: prState, Style: prStateStyles.Of},
		{Title: "DETAILS", Value: prDetails, Flex: true},
		{Title: "URL", Value: func(p forge.PullRequest) string { return p.URL }, Flex: true},
	})
}

var prStateStyles = term.Styles{string(forge.Merged): term.Green, string(forge.Open): term.Green, string(forge.Closed): term.Red}

// watchPRs follows the pull requests of a repository's finished work until it is interrupted, or once.
func watchPRs(ctx context.Context, o *prOptions, s *stores.Stores, by string) error {
	r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	options := pull.Options{Repo: r, By: by, Attempts: s.Config.Work.Attempts}
	for pause := s.Pulls.Interval; ; {
		events, limited, err := s.Pulls.Follow(ctx, options)
		for _, e := range events {
			if printed := printPull(ctx, o, e); printed != nil {
				return printed
			}
		}
		if err != nil || o.Once {
			return err
		}
		pause = s.Pulls.Pause(pause, limited)
		options.Lately = true
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// printPull prints what happened to a pull request: a line, or a document for programs.
func printPull(ctx context.Context, o *prOptions, e pull.Event) error {
	return o.env.Printer().Document(ctx, e, func(st *term.Streams) error {
		return st.Line(e.Pull.Name, e.What, e.Pull.Stands(), e.Why)
	})
}
