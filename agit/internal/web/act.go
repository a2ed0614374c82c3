package web

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/work"
)

// here is the source in the history of a change made on the page.
const here = "on the page"

// Act calls the same functions as the commands, in the name of the person at the page, or of the agent in AGIT_AGENT.
func (m *model) Act(ctx context.Context, a Action) (any, error) {
	person := task.Caller{Agent: m.asker.Agent, Force: true, Seen: task.Seen{Holder: a.Holder, Stood: a.Stood}}
	switch a.Do {
	case "accept":
		v, merged, err := m.stores.Reviews.Accept(ctx, review.Decision{Repo: a.Repo, Worktree: a.Worktree, Seen: a.Commit, By: m.asker.Agent, Asker: m.asker})
		return map[string]any{"review": v, "merged": merged}, err
	case "return":
		return result(m.stores.Reviews.Return(ctx, review.Decision{Repo: a.Repo, Worktree: a.Worktree, Seen: a.Commit, By: m.asker.Agent, Asker: m.asker, Why: a.Why}, m.stores.Config.Agent.StaleAfter))
	case "merge":
		return result(m.stores.Landings.Land(ctx, land.Request{Repo: a.Repo, Worktree: a.Worktree, Tip: a.Commit, By: m.asker.Agent, Asker: m.asker}))
	case "cleanup":
		if !a.Confirmed {
			return nil, fault.Validation("confirmed", "the removal of worktree %q was not confirmed", a.Worktree)
		}
		return result(m.stores.Removals.Remove(ctx, remove.Request{Repo: a.Repo, Worktree: a.Worktree, By: m.asker.Agent}))
	case "release":
		return result(m.stores.Tasks.Report(ctx, task.Report{Caller: person, ID: a.Task, Status: task.Pending, Why: "released " + here}))
	case "reopen":
		return result(m.stores.Tasks.Reopen(ctx, a.Task, person, "reopened "+here))
	case "edit":
		return m.edit(ctx, a, person)
	case "allow", "always", "deny":
		return result(m.stores.Answer(ctx, a.Question, question.Answer{Allow: a.Do != "deny", Always: a.Do == "always", Why: a.Why}, m.asker))
	case "tell", "interrupt":
		return result(m.stores.Tell(ctx, message.New{Agent: a.Agent, Text: a.Why, AtOnce: a.Do == "interrupt"}, "", m.asker))
	}
	return nil, fault.Validation("do", "%q is not an action of the page", a.Do)
}

func result[T any](made T, err error) (any, error) { return made, err }

// edit changes a task's text. The first line is its name.
func (m *model) edit(ctx context.Context, a Action, person task.Caller) (any, error) {
	var e task.Edit
	if a.Text != "" {
		e.Text, e.Seen = &a.Text, a.Was
	}
	if a.Priority != "" {
		p, err := work.ParsePriority(a.Priority)
		if err != nil {
			return nil, err
		}
		e.Priority = &p
	}
	return result(m.stores.Tasks.Edit(ctx, a.Task, e, person))
}
