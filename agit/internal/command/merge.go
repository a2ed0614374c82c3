package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type mergeOptions struct {
	env *cli.Env
	land.Request
	Squash bool
	Rebase bool
	NoGate bool
	DryRun bool
}

// request returns the request that the flags describe.
func (o *mergeOptions) request() (r land.Request, err error) {
	r = o.Request
	r.By, r.Asker = o.env.Getenv("AGIT_AGENT"), asker(o.env)
	switch {
	case o.Squash && o.Rebase:
		return r, fault.Validation("squash", "--squash and --rebase were both given").WithHint("leave out one of them")
	case o.NoGate && len(o.Gate) > 0:
		return r, fault.Validation("no-gate", "--gate and --no-gate were both given").WithHint("leave out one of them")
	case o.Squash:
		r.Strategy = land.Squash
	case o.Rebase:
		r.Strategy = land.Rebase
	}
	if o.NoGate {
		r.Gate = []string{}
	}
	return r, nil
}

func newMerge(env *cli.Env, run cli.Func[mergeOptions]) *cobra.Command {
	o := &mergeOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "merge [REPO] [WORKTREE] [flags]",
		SuggestFor: []string{"finish", "land"},
		Short:      "Merge a worktree's branch and remove the worktree",
		Long: `Merge a worktree's branch into the default branch with a merge commit, complete
its task, and move the worktree to the trash, from which it can be restored.
A worktree that others made (a client, git) lands in the same way, and its folder
stays with them unless --remove is given. --squash makes one commit of all, --rebase each commit again on top; --into names
another branch of this repository.

The worktree is named by its id or the beginning of one, its branch, the agent it
was made for, or its folder; inside one it need not be named.

It checks first and merges apart from every working tree: on conflict nothing is
changed, and the files and the other agent's worktree are named. Uncommitted work
in the worktree is a refusal. Where the default branch is checked out its files
follow, keeping local changes; a locally changed file in the way is a refusal.

The gate (gate in the configuration, or --gate) must succeed on a checkout of the
merged state before the branch moves to it; when the branch moved meanwhile, it
runs again. Merges with a gate take their turns in the order they asked, which
agit queue shows. When the gate fails nothing is changed, and its output is kept.

With land = "pr" in the configuration the worktree is pushed and its pull request
opened instead, as agit finish does; --into merges here.`,
		Example: "agit merge app w-06q8v1k2m4\nagit merge app agit/fix-login-k2m4x9 --keep-task\nagit merge --squash --gate 'make test'\nagit merge w-06q8v1k2m4 --into release",
		Args:    cli.Args("[WORKTREE]", "[WORKTREE]"),
	}, o, repoAndWorktree(env, &o.Repo, &o.Worktree), run)
	f := cmd.Flags()
	f.StringVarP(&o.Message, "message", "m", "", "`message` of the merge commit")
	f.BoolVar(&o.Squash, "squash", false, "make one commit of all, with everyone who worked on it as author or co-author")
	f.BoolVar(&o.Rebase, "rebase", false, "make each commit again on top of the branch")
	f.StringVar(&o.Into, "into", "", "`branch` to merge into instead of the default branch")
	f.StringArrayVar(&o.Gate, "gate", nil, "`command` that must succeed on the merged state, instead of those configured; may be repeated")
	f.BoolVar(&o.NoGate, "no-gate", false, "merge without the gate that is configured")
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would be merged, what conflicts and whether a gate would run; change nothing")
	f.BoolVar(&o.Remove, "remove", false, "move the worktree to the trash also where others made it")
	f.BoolVar(&o.KeepTask, "keep-task", false, "do not complete the worktree's task")
	cli.Exits(cmd, fault.ExitFailure, "the gate or a hook failed; nothing was changed")
	cli.Exits(cmd, fault.ExitConflict, "it would conflict, or something stands in the way; nothing was changed")
	cmd.ValidArgsFunction = repoThenWorktree(env)
	return cmd
}

func runMerge(ctx context.Context, o *mergeOptions) error {
	request, err := o.request()
	if err != nil {
		return err
	}
	s, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	return insteadOfMain(ctx, s, o.Repo, o.Worktree, "`agit merge WORKTREE` lands one of `agit status`, `agit update WORKTREE` brings the default branch into one", o.merge(ctx, s, request))
}

func (o *mergeOptions) merge(ctx context.Context, s *stores.Stores, request land.Request) error {
	if o.DryRun {
		return runPreview(ctx, o.env, s, request)
	}
	if request.Plain() {
		done, proposed, err := s.Assign.Propose(ctx, request)
		if err != nil {
			return err
		}
		if proposed {
			return printFinished(ctx, o.env, done)
		}
	}
	progress := o.env.Streams.Progress("merging " + o.Worktree)
	request.Waiting, request.Running = landingProgress(progress, o.Worktree)
	m, err := s.Landings.Land(ctx, request)
	progress.Done()
	return printDocument(ctx, o.env, m, err, func(st *term.Streams) error {
		if o.Repo == "" {
			tellElsewhere(ctx, o.env, s, m.Worktree)
		}
		what := "merged into " + m.Into
		if m.Commit == "" {
			what = "was in " + m.Into + " already"
		}
		if err := st.Line(m.Worktree.Ref, what, text.Count(m.FilesChanged, "file", "files")+" changed", shortCommit(m.Commit)); err != nil {
			return err
		}
		if m.TaskOpen != "" {
			st.Warn("%s", m.TaskOpen)
		}
		for _, o := range m.Kept {
			st.Warn("the worktree was kept: %s", o.Text)
		}
		tellRemains(st, m)
		return nil
	})
}

// tellRemains explains why the folder of a worktree that landed stays, or until when one that was removed with its merge can be restored.
func tellRemains(st *term.Streams, m land.Merged) {
	if m.Left != "" {
		st.Notice("the worktree stays: %s", m.Left)
	}
	if m.RestoreUntil != nil {
		st.Notice("the worktree can be restored until %s: `agit undo %s`", m.RestoreUntil.Local().Format(time.DateOnly), m.Worktree.Ref)
	}
}

// shortCommit is a commit's id as people read and type it; --json has the whole of it.
func shortCommit(id string) string { return id[:min(len(id), 12)] }

// landingProgress shows what a landing waits for, and what its gate runs.
func landingProgress(progress *term.Progress, worktree string) (waiting func([]land.Landing), running func(string)) {
	return func(ahead []land.Landing) {
		progress.Say("%s is number %d in the queue, behind %s", worktree, len(ahead)+1, ahead[len(ahead)-1].Worktree)
	}, func(gate string) { progress.Say("landing %s: %s", worktree, gate) }
}

// runPreview is merge --dry-run.
func runPreview(ctx context.Context, env *cli.Env, s *stores.Stores, request land.Request) error {
	progress := env.Streams.Progress("trying the merge of " + request.Worktree)
	p, err := s.Landings.Preview(ctx, request)
	progress.Done()
	err = printDocument(ctx, env, p, err, func(st *term.Streams) error {
		if request.Repo == "" {
			tellElsewhere(ctx, env, s, p.Worktree)
		}
		return printPreview(st, p)
	})
	return exitWhen(err, p.Fails(), fault.ExitConflict)
}

func printPreview(st *term.Streams, p land.Preview) error {
	var lines [][]string
	say := func(format string, args ...any) { lines = append(lines, []string{fmt.Sprintf(format, args...)}) }
	switch {
	case len(p.Conflicts) > 0:
		at := ""
		if p.Commit != "" {
			at = " at " + p.Commit
		}
		say("%s conflicts with %s%s in %s:", p.Worktree.Ref, p.Into, at, text.Count(len(p.Conflicts), "file", "files"))
		for _, f := range p.Conflicts {
			say("  %s", f)
		}
		for _, o := range p.Others {
			say("%s changed %s", o.Who(), strings.Join(o.Files, ", "))
		}
	case p.There:
		say("%s is in %s already", p.Worktree.Ref, p.Into)
	default:
		how := map[land.Strategy]string{land.MergeCommit: "merged", land.Squash: "squashed", land.Rebase: "rebased"}[p.Strategy]
		say("%s would be %s into %s, %s changed:", p.Worktree.Ref, how, p.Into, text.Count(len(p.Files), "file", "files"))
		for _, f := range p.Files {
			say("  %s", f)
		}
		for _, t := range p.InTheWay {
			say("local changes in %s are in the way: %s", t.Path, strings.Join(t.Files, ", "))
		}
		if len(p.Gate) > 0 {
			behind := ""
			if p.Ahead > 0 {
				behind = fmt.Sprintf(", behind %s in the queue", text.Count(p.Ahead, "other", "others"))
			}
			say("the gate would run%s: %s", behind, strings.Join(p.Gate, ", "))
		}
	}
	return st.Lines(lines...)
}
