package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
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
		Args:    cli.Args("[REPO]"),
	}, o, cli.Take(&o.Repo), run)
	cmd.Flags().BoolVar(&o.All, "all", false, "every repository, even when the current folder is in one")
	cmd.Flags().BoolVar(&o.NoScan, "no-scan", false, "do not look for conflicts")
	cmd.Flags().BoolVar(&o.PRs, "prs", false, "ask the forge for the pull requests of branches that no worktree has")
	cmd.ValidArgsFunction = repoNames(env)
	return cmd
}

func runStatus(ctx context.Context, o *statusOptions) error {
	s, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	if o.Repo, err = hereOrAll(ctx, o.env, s.DB, o.Repo, o.All); err != nil {
		return err
	}
	progress := o.env.Streams.Progress("scanning worktrees")
	var states []overview.RepoStatus
	if o.Repo != "" {
		var one overview.RepoStatus
		one, err = s.Overview.Status(ctx, o.Repo, !o.NoScan)
		states = []overview.RepoStatus{one}
	} else {
		states, err = s.Overview.Statuses(ctx, !o.NoScan)
	}
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
		if fault.Is(err, fault.KindValidation) {
			return firstStep(env)
		}
		return err
	}
	return runStatus(ctx, &statusOptions{env: env})
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

// branchSection is the branches of remotes that are in flight.
func branchSection(r overview.RepoStatus, now time.Time) section {
	number := func(title string) term.Column { return term.Column{Title: title, Right: true} }
	t := term.NewTable(term.Column{Title: "BRANCH", Flex: true}, term.Column{Title: "BY"}, number("AHEAD"), number("BEHIND"), number("LINES"), term.Column{Title: "LAST COMMIT", Flex: true},
		term.Column{Title: "NEXT", Style: nextStyle})
	for _, b := range r.Branches {
		next := ""
		if p := b.PullRequest; p != nil {
			next = fmt.Sprintf("#%d %s", p.Number, prState(*p))
		}
		by := ""
		if b.Maker != "" {
			by = "(" + string(b.Maker) + ")"
		}
		d := b.Distance
		t.Add(b.Name, by, some(d.Ahead), some(d.Behind), fmt.Sprintf("+%d -%d", d.Insertions, d.Deletions), d.Subject+", "+term.Ago(d.Committed.Time, now), next)
	}
	return section{"Branches of remotes", fmt.Sprint(len(r.Branches)), t}
}

// section is one table of the dashboard, with a heading that counts it.
type section struct {
	title string
	count string
	table *term.Table
}

func printState(s *term.Streams, r overview.RepoStatus, now time.Time) error {
	on := "on " + r.DefaultBranch
	if r.FetchedAt != nil {
		on += ", fetched " + term.Ago(r.FetchedAt.Time, now)
	}
	if err := s.Row(s.Paint(term.Bold, r.Name), s.Plain(r.Path), s.Plain(on)); err != nil {
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
	if r.Problem != "" {
		s.Warn("no scan for conflicts in %q: %s", r.Name, r.Problem)
	}
	return nil
}

// wideScreen is from how many cells on a terminal the worktrees' tasks and commits have room.
const wideScreen = 132

func worktreeSection(st *term.Streams, r overview.RepoStatus, now time.Time) section {
	number := func(title string) term.Column { return term.Column{Title: title, Right: true} }
	behind := number("BEHIND")
	behind.Spare = true
	columns := []term.Column{{Title: "WORKTREE", Short: true}, {Title: "AGENT"}, {Title: "STATE", Style: stateStyle}, number("AHEAD"), behind, number("LINES"), number("DIRTY"),
		{Title: "NEXT", Flex: true, Short: true, Style: nextStyle}}
	wide := !st.OutTTY || st.Columns >= wideScreen
	if wide {
		columns = append(columns, number("FILES"), term.Column{Title: "TASK", Flex: true, Short: true}, term.Column{Title: "LAST COMMIT", Flex: true, Short: true}, term.Column{Title: "ID"})
	}
	t := term.NewTable(columns...)
	names := folderNames(r)
	for _, w := range r.Worktrees {
		d, lines, last := w.Distance, "", ""
		if d == nil {
			d = &distance.Distance{}
		}
		if d.Files > 0 {
			lines = fmt.Sprintf("+%d -%d", d.Insertions, d.Deletions)
		}
		if d.Ahead > 0 {
			last = d.Subject + ", " + term.Ago(d.Committed.Time, now)
		}
		dirty := 0
		if w.Dirty != nil {
			dirty = *w.Dirty
		}
		state := shownState(w.State, now)
		if !wide { // it is the person who reads it
			state = strings.Replace(state, string(presence.Waiting), "waiting", 1)
		}
		cells := []string{names[w.Path], w.By(), state, some(d.Ahead), some(d.Behind), lines, some(dirty), nextOf(r, w)}
		if wide {
			cells = append(cells, some(d.Files), strings.TrimSpace(w.TaskID+" "+w.Task), last, w.Ref)
		}
		t.Add(cells...)
	}
	return section{"Worktrees", countByMaker(r), t}
}

// countByMaker counts worktrees, and those among them that others made: "4, made by claude-code 2, git 1".
func countByMaker(r overview.RepoStatus) string {
	times := map[string]int{}
	var makers []string
	for _, w := range r.Worktrees {
		if maker := string(w.Maker); maker != "" {
			if times[maker]++; times[maker] == 1 {
				makers = append(makers, maker)
			}
		}
	}
	slices.Sort(makers)
	for i, maker := range makers {
		makers[i] = fmt.Sprintf("%s %d", maker, times[maker])
	}
	if len(makers) == 0 {
		return fmt.Sprint(len(r.Worktrees))
	}
	return fmt.Sprintf("%d, made by %s", len(r.Worktrees), strings.Join(makers, ", "))
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

// folderNames are what people call the worktrees of a repository, by their folders.
func folderNames(r overview.RepoStatus) map[string]string {
	list := make([]worktree.Worktree, len(r.Worktrees))
	for i, w := range r.Worktrees {
		list[i] = w.Worktree
	}
	return spawn.Names(list)
}

// landingSection is the queue of landings, and what it returned.
func landingSection(r overview.RepoStatus, now time.Time) section {
	t := term.NewTable(term.Column{Title: "#"}, term.Column{Title: "WORKTREE", Short: true}, term.Column{Title: "STATE", Style: nextStyle}, term.Column{Title: "BY"}, term.Column{Title: "WHAT", Flex: true})
	names := folderNames(r)
	for _, l := range r.Landings {
		name := l.Worktree
		if i := slices.IndexFunc(r.Worktrees, func(w overview.WorktreeStatus) bool { return w.Ref == l.Worktree }); i >= 0 {
			if r.Worktrees[i].Review.Outdates(l) {
				continue
			}
			name = names[r.Worktrees[i].Path]
		}
		t.Add(position(l), name, string(l.State), l.Agent, doing(l, now))
	}
	return section{"Landings", fmt.Sprint(t.Len()), t}
}

// some returns a number as text, "" when it is zero.
func some(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// shownState is what an agent does, and since when: "waiting for you 6m".
func shownState(s *presence.Shown, now time.Time) string {
	if s == nil {
		return ""
	}
	return string(s.State) + " " + term.Since(s.Since.Time, now)
}

func stateStyle(cell string) term.Style {
	switch {
	case strings.HasPrefix(cell, "waiting"):
		return term.Yellow
	case strings.HasPrefix(cell, string(presence.Working)):
		return term.Green
	case strings.HasPrefix(cell, string(presence.Gone)):
		return term.Dim
	}
	return term.Plain
}

// nextOf returns what happens next to a worktree, or what blocks it.
func nextOf(r overview.RepoStatus, w overview.WorktreeStatus) string {
	var parts []string
	if w.Missing {
		parts = append(parts, "folder is gone")
	}
	if l := w.Landing; l != nil && !w.Review.Outdates(*l) {
		switch {
		case l.State == land.Running && l.GateResult == "running":
			parts = append(parts, "gate running")
		case l.State == land.Returned && l.GateResult == "failed":
			parts = append(parts, "returned, gate failed")
		default:
			parts = append(parts, string(l.State))
		}
	}
	proposed := w.PullRequest != nil && w.PullRequest.State == forge.Open && w.Review != nil
	if v := w.Review; v != nil {
		if !proposed {
			parts = append(parts, "to review")
		}
		if v.Gate != "" {
			parts = append(parts, "gate "+v.Gate)
		}
	}
	if proposed {
		parts = append(parts, strings.TrimPrefix(w.PullRequest.Stands(), "pull request "))
	} else if p := w.PullRequest; p != nil {
		parts = append(parts, fmt.Sprintf("#%d %s", p.Number, prState(*p)))
		if p.State == forge.Open && p.Checks != "" {
			parts = append(parts, "checks "+p.Checks)
		}
	}
	switch {
	case conflicted(r, w):
		parts = append(parts, "conflicts with "+r.DefaultBranch)
	case w.Status != worktree.Active:
		parts = append(parts, string(w.Status))
	}
	return strings.Join(append(parts, w.Notes()...), ", ")
}

// conflicted reports whether a scan found that a worktree would not merge.
func conflicted(r overview.RepoStatus, w overview.WorktreeStatus) bool {
	if r.Conflicts == nil {
		return false
	}
	return slices.ContainsFunc(r.Conflicts.Conflicts, func(c conflict.Conflict) bool {
		return c.DefaultBranch != "" && c.WillNotMerge() && c.Worktrees[0].ID == w.Ref
	})
}

func nextStyle(cell string) term.Style {
	switch {
	case strings.Contains(cell, "conflict"), strings.Contains(cell, "returned"), strings.Contains(cell, "failed"):
		return term.Red
	case strings.Contains(cell, "to review"), strings.Contains(cell, "stale"):
		return term.Yellow
	}
	return term.Plain
}

func taskSection(r overview.RepoStatus) section {
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

func agentSection(r overview.RepoStatus, now time.Time) section {
	heads := []term.Column{{Title: "NAME"}, {Title: "STATE", Style: stateStyle}, {Title: "NOTE", Flex: true}, {Title: "LAST SEEN"}}
	hosts := slices.ContainsFunc(r.Agents, func(a overview.AgentStatus) bool { return a.Host != "" })
	if hosts {
		heads = append(heads, term.Column{Title: "MACHINE"})
	}
	t := term.NewTable(heads...)
	gone := 0 // as the screens count them: an agent that waits for a person is silent, and not gone
	for _, a := range r.Agents {
		asks := ""
		if a.State != nil {
			asks = a.State.Note
		}
		if a.Told > 0 {
			asks = strings.TrimPrefix(asks+"; "+text.Count(a.Told, "message waits", "messages wait"), "; ")
		}
		if a.State != nil && a.State.State == presence.Gone {
			gone++
			if len(a.Holds) > 0 {
				asks = strings.TrimPrefix(asks+"; holds "+text.Few(a.Holds), "; ")
			}
		}
		cells := []string{a.Name, shownState(a.State, now), asks, term.Ago(a.LastSeen.Time, now)}
		if hosts {
			cells = append(cells, cmp.Or(a.Host, "this one"))
		}
		t.Add(cells...)
	}
	count := fmt.Sprint(len(r.Agents) - gone)
	if gone > 0 {
		count += fmt.Sprintf(", %d gone", gone)
	}
	return section{"Agents", count, t}
}

func conflictSection(s *term.Streams, r overview.RepoStatus) section {
	if r.Conflicts == nil {
		return section{"Conflicts", "0", term.NewTable(conflictHeads...)}
	}
	heads := headsOf(r.Conflicts.Conflicts)
	t := term.NewTable(heads...)
	folders, names := folderNames(r), map[string]string{}
	for _, w := range r.Worktrees {
		names[w.Ref] = folders[w.Path]
	}
	called := func(id string) string {
		if !s.OutTTY {
			return id
		}
		return cmp.Or(names[id], id)
	}
	for _, c := range r.Conflicts.Conflicts {
		t.Add(conflictCells(c, called)[:len(heads)]...)
	}
	return section{"Conflicts", fmt.Sprint(len(r.Conflicts.Conflicts)), t}
}
