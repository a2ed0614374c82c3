package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// section is one table of the dashboard, with a heading that counts it.
type section struct {
	title string
	count string
	table *term.Table
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
		t.Add(some(l.Position), name, string(l.State), l.Agent, doing(l, now))
	}
	return section{"Landings", fmt.Sprint(t.Len()), t}
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

func taskSection(r overview.RepoStatus) section {
	t := term.NewTable(term.Column{Title: "STATUS", Style: taskStyles.Of}, term.Column{Title: "TASKS", Right: true})
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
		return section{"Conflicts", "unknown", term.NewTable(conflictHeads...)}
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
	return section{"Conflicts", fmt.Sprint(len(r.Conflicts.Conflicts)) + unscanned(r.Conflicts), t}
}

// folderNames are what people call the worktrees of a repository, by their folders.
func folderNames(r overview.RepoStatus) map[string]string {
	list := make([]worktree.Worktree, len(r.Worktrees))
	for i, w := range r.Worktrees {
		list[i] = w.Worktree
	}
	return spawn.Names(list)
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

// some returns a number as text, "" when it is zero.
func some(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
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

// nextOf returns what happens next to a worktree, or what blocks it.
func nextOf(r overview.RepoStatus, w overview.WorktreeStatus) string {
	var parts []string
	switch {
	case w.Missing:
		parts = append(parts, "folder is gone")
	case r.Conflicts != nil && slices.ContainsFunc(r.Conflicts.Skipped, func(s conflict.Skipped) bool { return s.ID == w.Ref }):
		parts = append(parts, "not scanned")
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
