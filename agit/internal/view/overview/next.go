package overview

import (
	"fmt"

	"github.com/agit-suite/agit/shared/text"
)

// next returns a sentence on what a person does about a need, with the command if there is one; "" when the reason contains it. on are
// the ids of the bugs that block a task, empty when a person holds it.
func (n Need) next(on []string) string {
	switch n.Kind {
	case NeedAnswer:
		if n.Question != nil {
			return fmt.Sprintf("`agit answer %s --allow`, or --always, or --deny \"why\"", n.Question.ID)
		}
		return "answer it in the window in which it runs"
	case NeedReview:
		return fmt.Sprintf("`agit diff %s` shows it, `agit review %[1]s --accept` lands it, and --return \"why\" gives it back", n.Worktree)
	case NeedLanding:
		return fmt.Sprintf("its agent, or you, mends it in the worktree; `agit merge %s` tries again", n.Worktree)
	case NeedConflict:
		return n.Conflict.Next()
	case NeedTrial:
		return "their agents, or you, mend one of them; `agit trial` tries again"
	case NeedBlocked:
		if len(on) > 0 {
			return fmt.Sprintf("once it is mended, `agit bug set %s fixed` says so", on[0])
		}
		return fmt.Sprintf("`agit tasks unblock %s` lets it go on", n.Task)
	case NeedFailed:
		return fmt.Sprintf("`agit tasks reopen %s` puts it back in the queue", n.Task)
	}
	return ""
}

// Next returns how to resolve a conflict that git cannot merge.
func (c Conflict) Next() string {
	if c.with != "" {
		return fmt.Sprintf("`git merge %s` in the worktree; its agent resolves and commits there", text.ShellWord(c.with))
	}
	return "land one of them; the agent of the other then merges the default branch into its worktree, and resolves and commits there"
}
