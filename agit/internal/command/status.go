package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/status"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

type statusOptions struct {
	env    *cli.Env
	Repo   string
	All    bool
	NoScan bool
}

func newStatus(env *cli.Env) *cobra.Command {
	o := &statusOptions{env: env}
	cmd := &cobra.Command{
		Use:        "status [REPO] [flags]",
		SuggestFor: []string{"list", "worktree", "worktrees"},
		Short:      "Show worktrees, tasks, agents and conflicts",
		Long: `Show what is going on in a repository: worktrees, tasks, agents, and the
conflicts that a scan finds now, uncommitted changes included. Without a name it
is the current folder's; with --all, or in no repository, it is every one.`,
		Example: "agit status\nagit status --all\nagit status app --json --jq '.repos[0].conflicts.conflicts'",
		Args:    cli.Args("[REPO]"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Repo = args[0]
			}
			return runStatus(c.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.All, "all", false, "every repository, also inside one")
	cmd.Flags().BoolVar(&o.NoScan, "no-scan", false, "do not look for conflicts")
	cmd.ValidArgsFunction = repoNames(env)
	return cmd
}

func runStatus(ctx context.Context, o *statusOptions) error {
	s, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	if o.All && o.Repo != "" {
		return fault.Validation("all", "a repository and --all were both given").WithHint("leave out one of them")
	}
	if o.Repo == "" && !o.All {
		r, err := repoNamed(ctx, o.env, s.DB, "")
		if err != nil && !fault.Is(err, fault.KindValidation) { // in no repository: all of them
			return err
		}
		o.Repo = r.Name
	}
	progress := o.env.Streams.Progress("scanning worktrees")
	var states []status.Repo
	if o.Repo != "" {
		var one status.Repo
		one, err = s.Status.One(ctx, o.Repo, !o.NoScan)
		states = []status.Repo{one}
	} else {
		states, err = s.Status.All(ctx, !o.NoScan)
	}
	progress.Done()
	if err != nil {
		return err
	}
	if len(states) == 0 {
		o.env.Streams.Notice("no repository is registered yet: `agit add PATH`")
	}
	return o.env.Printer().Document(ctx, map[string][]status.Repo{"repos": states}, func(st *term.Streams) error {
		for i, state := range states {
			if i > 0 {
				if err := st.Text("\n"); err != nil {
					return err
				}
			}
			if err := printState(st, state, time.Now()); err != nil {
				return err
			}
		}
		return nil
	})
}

// section is one table of the dashboard, with a heading that counts it.
type section struct {
	title string
	count string
	table *term.Table
}

func printState(s *term.Streams, r status.Repo, now time.Time) error {
	if err := s.Row(s.Paint(term.Bold, r.Name), s.Plain(r.Path), s.Plain("on "+r.DefaultBranch)); err != nil {
		return err
	}
	for _, part := range []section{worktreeSection(r), taskSection(r), agentSection(r, now), conflictSection(r)} {
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
	if r.Problem != "" {
		s.Warn("no scan for conflicts in %q: %s", r.Name, r.Problem)
	}
	return nil
}

func worktreeSection(r status.Repo) section {
	t := term.NewTable(term.Column{Title: "ID"}, term.Column{Title: "STATUS", Style: worktreeStyle}, term.Column{Title: "AGENT"},
		term.Column{Title: "BRANCH", Short: true}, term.Column{Title: "TASK", Flex: true})
	for _, w := range r.Worktrees {
		name := w.Task
		if w.TaskID != "" {
			name = w.TaskID + " " + w.Task
		}
		t.Add(w.Ref, string(w.Status), w.Agent, w.Branch, name)
	}
	return section{"Worktrees", fmt.Sprint(len(r.Worktrees)), t}
}

func worktreeStyle(status string) term.Style {
	switch worktree.Status(status) {
	case worktree.Active:
		return term.Green
	case worktree.Conflict:
		return term.Red
	}
	return term.Yellow
}

func taskSection(r status.Repo) section {
	t := term.NewTable(term.Column{Title: "STATUS", Style: taskStyle}, term.Column{Title: "TASKS", Right: true})
	total := 0
	for _, name := range task.Statuses {
		if n := r.Tasks[name]; n > 0 {
			t.Add(name, fmt.Sprint(n))
			total += n
		}
	}
	return section{"Tasks", fmt.Sprint(total), t}
}

func agentSection(r status.Repo, now time.Time) section {
	t := term.NewTable(term.Column{Title: "NAME"}, term.Column{Title: "STATUS", Style: agentStyle}, term.Column{Title: "LAST SEEN"})
	for _, a := range r.Agents {
		t.Add(a.Name, a.Status, term.Ago(a.LastSeen.Time, now))
	}
	count := fmt.Sprint(len(r.Agents))
	if r.ActiveAgentCount < len(r.Agents) {
		count = fmt.Sprintf("%d active of %d", r.ActiveAgentCount, len(r.Agents))
	}
	return section{"Agents", count, t}
}

func conflictSection(r status.Repo) section {
	t := term.NewTable(conflictHeads...)
	if r.Conflicts == nil {
		return section{"Conflicts", "0", t}
	}
	for _, c := range r.Conflicts.Conflicts {
		t.Add(conflictCells(c)...)
	}
	return section{"Conflicts", fmt.Sprint(len(r.Conflicts.Conflicts)), t}
}
