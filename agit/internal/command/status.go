package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
)

type statusOptions struct {
	env    *cli.Env
	Repo   string
	All    bool
	NoScan bool
	PRs    bool
}

func newStatus(env *cli.Env, run cli.Func[statusOptions]) *cobra.Command {
	o := &statusOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "status [REPO] [flags]",
		SuggestFor: []string{"list", "worktree", "worktrees"},
		Short:      "Show worktrees, landings, tasks, agents and conflicts",
		Long: `Show what is going on in a repository: worktrees, what waits to land or was
returned, tasks, agents, and the conflicts that a scan finds now, uncommitted changes
included. REPO is the current folder's by default; with --all, or outside of any
repository, all are shown.

A worktree is named by its folder, as every command takes it. STATE is what its agent
does and since when; AHEAD and BEHIND count commits from the default branch, LINES
those that its commits change, DIRTY files that are not committed; NEXT is its
landing, review, pull request or conflict. Every worktree that git lists is shown,
whoever made it, and so is the main checkout once something is changed or an agent is
at work in it; (claude-code), (git) or (main checkout) stand where no agent is. NEXT
also holds their state in git (on no branch, locked, moved, folder is gone), several
sessions in one worktree, and work that a client's own clean-up removes soon. Branches
of remotes that agents in the cloud push, and that no worktree has, are listed as they
were fetched last.

A worktree takes one line: a narrow terminal cuts NEXT and leaves out BEHIND, a wide
one and a pipe show files, task, last commit and id as well.`,
		Example: "agit status\nagit status --all\nagit status app --json --jq '.repos[0].conflicts.conflicts'",
	}, o, cli.Take(&o.Repo), run)
	cmd.Flags().BoolVar(&o.All, "all", false, "every repository, even when the current folder is in one")
	cmd.Flags().BoolVar(&o.NoScan, "no-scan", false, "do not look for conflicts")
	cmd.Flags().BoolVar(&o.PRs, "prs", false, "ask the forge for the pull requests of branches that no worktree has")
	cmd.ValidArgsFunction = repoNames(env)
	return cmd
}

func runStatus(ctx context.Context, o *statusOptions, s *stores.Stores) (err error) {
	if o.Repo, err = hereOrAll(ctx, o.env, s.DB, o.Repo, o.All); err != nil {
		return err
	}
	progress := o.env.Streams.Progress("scanning worktrees")
	states, err := s.Overview.Statuses(ctx, o.Repo, !o.NoScan)
	if err == nil && o.PRs {
		askForges(ctx, o.env, s, states)
	}
	progress.Done()
	if err != nil {
		return err
	}
	if len(states) == 0 {
		o.env.Streams.Notice("no repository is registered yet: `agit add PATH`")
	}
	return o.env.Printer().Document(ctx, map[string][]overview.RepoStatus{"repos": states}, func(st *term.Streams) error {
		for i, state := range states {
			if i > 0 {
				if err := st.Text("\n"); err != nil {
					return err
				}
			}
			if err := printState(st, state, time.Now()); err != nil {
				return err
			}
			tellFirst(ctx, st, state)
		}
		return nil
	})
}

// runAlone is agit without a command: how the repository of the current folder
// stands, else the help.
func runAlone(ctx context.Context, env *cli.Env) error {
	c, err := env.Config(ctx)
	if err != nil {
		return cli.ErrHelp
	}
	if exists, _ := c.Database.Exists(); !exists { // help makes no registry
		return firstStep(env)
	}
	s, err := look(ctx, env)
	if err != nil {
		return err
	}
	if _, err := repoNamed(ctx, env, s.DB, ""); err != nil {
		if fault.Is(err, fault.KindValidation) && !movedTo(ctx, s.DB, env.Dir) {
			return firstStep(env)
		}
		return err
	}
	return runStatus(ctx, &statusOptions{env: env}, s)
}

// movedTo reports whether a folder lies in a repository that is registered at another place.
func movedTo(ctx context.Context, db *registry.DB, folder string) bool {
	g, err := git.Find(folder)
	if err != nil {
		return false
	}
	moved, err := registry.Read(ctx, db, func(tx *registry.Tx) (bool, error) { _, moved := repo.MovedTo(tx, g); return moved, nil })
	return moved && err == nil
}

// firstStep prints what comes first in a repository that is not registered; elsewhere the help is printed.
func firstStep(env *cli.Env) error {
	here, err := git.Find(env.Dir)
	if err != nil || env.Printer().Format() != output.Table {
		return cli.ErrHelp
	}
	return env.Streams.Text("the repository " + here.MainFolder() + " is not registered yet\n" +
		"next: `agit add .` registers it and shows what is in it already; `agit --help` lists the commands\n")
}

// askForges asks the forges for the pull requests of branches that no worktree has. A failure causes a warning.
func askForges(ctx context.Context, env *cli.Env, s *stores.Stores, states []overview.RepoStatus) {
	for _, r := range states {
		for i := range r.Branches {
			remote, branch := r.Branches[i].Origin()
			request, err := s.Forges.OfBranch(ctx, r.Repo, remote, branch)
			if err != nil {
				env.Streams.Warn("no pull requests of %q: %v", r.Name, err)
				break
			}
			r.Branches[i].PullRequest = request
		}
	}
}

func printState(s *term.Streams, r overview.RepoStatus, now time.Time) error {
	on := "on " + r.DefaultBranch
	if r.FetchedAt != nil {
		on += ", fetched " + term.Ago(r.FetchedAt.Time, now)
	}
	path := r.Path
	if s.OutTTY {
		const gaps = 2 * 2
		path = term.TruncateStart(path, max(s.Columns-term.Width(r.Name)-term.Width(on)-gaps, 10))
	}
	if err := s.Row(s.Paint(term.Bold, r.Name), s.Plain(path), s.Plain(on)); err != nil {
		return err
	}
	parts := []section{worktreeSection(s, r, now), taskSection(r), agentSection(r, now), conflictSection(s, r)}
	if landings := landingSection(r, now); landings.table.Len() > 0 {
		parts = slices.Insert(parts, 1, landings)
	}
	if len(r.Branches) > 0 {
		parts = slices.Insert(parts, 1, branchSection(r, now))
	}
	for _, part := range parts {
		if err := s.Text(fmt.Sprintf("\n%s: %s\n", part.title, part.count)); err != nil {
			return err
		}
		if part.table.Len() == 0 {
			continue
		}
		if err := part.table.WriteTo(s); err != nil {
			return err
		}
	}
	if t := r.Trial; t != nil {
		trial := append([]string{fmt.Sprintf("\nTrial: %s, %s", t.Headline(), term.Ago(t.At.Time, now))}, t.Tells()...)
		if err := s.Text(strings.Join(trial, "\n") + "\n"); err != nil {
			return err
		}
	}
	tellOthers(s, r)
	if r.Conflicts != nil {
		tellUnscanned(s, r.Conflicts)
	}
	if r.Problem != "" {
		s.Warn("no scan for conflicts in %q: %s", r.Name, r.Problem)
	}
	return nil
}

// tellFirst names what comes first in a repository in which nothing was begun.
func tellFirst(ctx context.Context, s *term.Streams, r overview.RepoStatus) {
	switch {
	case len(r.Worktrees)+len(r.Tasks)+len(r.Agents)+len(r.Branches) > 0:
	case hasNoCommit(ctx, r.Repo):
		s.Notice("next: make a first commit, which worktrees begin at")
	default:
		s.Notice("next: `agit spawn %s` makes a worktree for an agent, `agit setup` has agents do that themselves", operand(r.Name, `--task "what to do" --agent NAME`))
	}
}

// tellOthers explains what agit does with a repository's worktrees when others made all of them.
func tellOthers(s *term.Streams, r overview.RepoStatus) {
	linked := slices.DeleteFunc(slices.Clone(r.Worktrees), func(w overview.WorktreeStatus) bool { return w.Marks.Main })
	if len(linked) > 0 && !slices.ContainsFunc(linked, func(w overview.WorktreeStatus) bool { return w.Row() }) {
		s.Notice("agit made none of these worktrees: it watches them and removes none; `agit begin --here` in one claims a task for it")
	}
}
