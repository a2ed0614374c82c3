package command

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/term"
)

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
