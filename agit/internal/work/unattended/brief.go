package unattended

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// instruct adapts a brief to a client that no one answers, and whose work agit finishes: it must commit and stop.
func instruct(b *brief.Brief, last Attempt, o Options) {
	if o.Land != "" {
		b.Land = o.Land
	}
	check := "is checked"
	if len(b.Gate) > 0 {
		check = "is checked by the gate"
	}
	b.Action = strings.TrimSuffix(b.Action, ", then finish.") + "; commit the work, then stop."
	b.Finish = fmt.Sprintf("Commit files by name as you go, on branch %s; never stage what is not yours. When all is done, say in a few sentences what you did, and stop. "+
		"Your work then %s, and your branch %s. Do not merge, push, or begin another task.", b.Worktree.Branch, check, b.Becomes())
	if !o.Leave {
		b.Finish += " What you leave uncommitted is committed as it is: remove files that do not belong to the task."
	}
	b.Blocked = "No one answers questions: decide, and say why in the commit. If something outside your task stops you, commit what is sound and give the task back: " +
		brief.Commands.GiveBack + "; if it cannot be done at all: " + brief.Commands.Failed + "."
	if last.Why != "" && (last.State == Failed || last.State == Lost || last.State == Stopped) {
		b.Notes = append(b.Notes, fmt.Sprintf("an earlier attempt (%s, %s) ended so: %s", last.Agent, last.State, text.FirstLine(last.Why, 300)))
	}
}

// handBack returns the brief for good work that could not land: what stands in its way, and what to do.
func handBack(b brief.Brief, cause Cause, refused error) string {
	var s strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	f := fault.From(refused)
	w, main := b.Worktree, checkout.MergeName(b.Worktree.Into, b.Worktree.Remote)
	if cause == Conflict {
		add("Your work on task %s conflicts with what landed on %s meanwhile. Resolve that in %s, commit the merge, then stop.\n", b.Task.ID, w.Into, w.Path)
	} else {
		add("Your work on task %s could not land. Mend it in %s, commit, then stop.\n", b.Task.ID, w.Path)
	}
	add("## Task %s\n> %s\n\n## What stands in its way\n%s", b.Task.ID, b.Task.Name, f.Message)
	if conflict, ok := errors.AsType[*land.MergeConflict](refused); ok {
		for _, file := range conflict.Files {
			add("- %s", file)
		}
		for _, o := range conflict.Others {
			side := fmt.Sprintf("worktree %s on branch %s", o.Worktree, o.Branch)
			if o.Agent != "" {
				side = o.Agent + " in " + side
			}
			state := "not landed yet"
			if o.Merged {
				state = "landed"
			}
			add("- the other side: %s (%s) changed %s", side, state, text.Few(o.Files))
		}
	}
	var red *land.GateFailure
	switch {
	case !errors.As(refused, &red):
	case len(red.Lines) == 0:
		add("The command `%s` failed and printed nothing.", red.Command)
	default:
		add("The command `%s` failed. The last that it printed:\n\n%s", red.Command, text.Cut(strings.Join(red.Lines, "\n"), 2000))
	}
	add("\n## What to do\n1. `git merge %s` in the worktree.", text.ShellWord(main))
	if cause == Conflict {
		add("2. Resolve each file so that both sides' intents are kept; `git log -p %s` shows the other one.", text.ShellWord("HEAD.."+main))
	} else {
		add("2. Find what is wrong with the two together, and mend it in your work.")
	}
	if len(b.Gate) > 0 {
		add("3. Run what judges it: %s.", "`"+strings.Join(b.Gate, "`, `")+"`")
	} else {
		add("3. Run the tests.")
	}
	add("4. Commit by file names, say in a sentence what you did, and stop. No one answers questions.")
	return s.String()
}

// goOn returns the brief for a resumed session of a client, which knows its task.
func goOn(b brief.Brief, last Attempt) string {
	return fmt.Sprintf("You were interrupted (%s). Go on where you were; look at `git status` first, since a command may have been cut off. The brief as it is now:\n\n%s",
		text.FirstLine(last.Why, 200), b.Text())
}
