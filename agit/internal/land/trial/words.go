package trial

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/text"
)

// Label returns the party's name, followed by the agent that works there, else its maker.
func (p Party) Label() string {
	by := cmp.Or(p.Agent, seen.Label(seen.Maker(p.Maker), p.Main))
	if by == "" {
		return p.Name
	}
	return p.Name + " (" + by + ")"
}

// Sentence describes the failure in one line.
func (f Failure) Sentence() string {
	what := "fails"
	if len(f.Parties) > 1 {
		what = "fails together"
	}
	line := fmt.Sprintf("%s: `%s` %s", list(text.Each(f.Parties, Party.Label)), f.Command, what)
	if len(f.Tests) > 0 {
		line += ", " + text.Few(f.Tests)
	} else if f.How != "" {
		line += ": " + f.How
	}
	if f.Alone {
		line += "; each alone passes"
	}
	return line
}

// Sentence describes the worktree that does not merge in one line.
func (l LeftOut) Sentence(into string) string {
	with := into
	if len(l.With) > 0 {
		with = list(l.With)
	}
	why := text.Few(l.Files)
	if len(l.Files) == 0 {
		why = "they have no commit in common"
	}
	return fmt.Sprintf("%s does not merge with %s, and was left out: %s", l.Label(), with, why)
}

func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Headline describes the result of the trial in one line.
func (t Trial) Headline() string {
	all := text.Count(len(t.Parties), "worktree", "worktrees")
	took := time.Duration(t.Seconds * float64(time.Second)).Round(100 * time.Millisecond)
	switch t.Result {
	case Nothing:
		return "nothing is in flight that " + t.Into + " lacks"
	case Ungated:
		return fmt.Sprintf("%s merged onto %s; no gate is configured that would judge them", all, t.Into)
	case Planned:
		return fmt.Sprintf("%s would be tried on %s", all, t.Into)
	case Green:
		return fmt.Sprintf("green: %s together on %s, in %s", all, t.Into, took)
	case Unfinished:
		return fmt.Sprintf("unfinished: the time was over before the gate had judged %s together on %s", all, t.Into)
	}
	return fmt.Sprintf("red: %s together on %s fail", all, t.Into)
}

// Names reports whether the worktree with this name is among the failure's parties.
func (f Failure) Names(worktree string) bool {
	return slices.ContainsFunc(f.Parties, func(p Party) bool { return p.Name == worktree })
}

// Of returns the lines about a worktree: the failures that it is part of, and that it does not merge.
func (t Trial) Of(worktree string) []string {
	t.Failures = slices.DeleteFunc(slices.Clone(t.Failures), func(f Failure) bool { return !f.Names(worktree) })
	t.LeftOut = slices.DeleteFunc(slices.Clone(t.LeftOut), func(l LeftOut) bool { return l.Name != worktree })
	return t.Tells()
}

// Tells returns the lines about what fails and what does not merge, each failure with its log.
func (t Trial) Tells() (lines []string) {
	for _, f := range t.Failures {
		lines = append(lines, f.Sentence())
		if f.Log != "" {
			lines = append(lines, "its log: "+f.Log)
		}
	}
	for _, l := range t.LeftOut {
		lines = append(lines, l.Sentence(t.Into))
	}
	return lines
}

// Still returns the trial without the failures of worktrees that are not among the given ones, because they landed or were removed.
func (t Trial) Still(worktrees []string) Trial {
	gone := func(p Party) bool { return !slices.Contains(worktrees, p.Name) }
	t.Failures = slices.DeleteFunc(slices.Clone(t.Failures), func(f Failure) bool { return slices.ContainsFunc(f.Parties, gone) })
	t.LeftOut = slices.DeleteFunc(slices.Clone(t.LeftOut), func(l LeftOut) bool { return gone(l.Party) })
	return t
}
