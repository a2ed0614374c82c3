package assignment

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// standing is the worktree in which to begin a task, because its agent stands there.
type standing struct {
	repo repo.Repo
	git  *git.Repo
	tree worktree.Worktree
	task string // that is begun there already, "" for none
}

// stand finds the worktree of a folder and proves that a task can be begun in it, before a task is claimed. A worktree that others made
// gets a row, and a branch if it has none.
func (s *Store) stand(ctx context.Context, q *BeginRequest) (at standing, err error) {
	if at.repo, at.tree, at.git, err = s.Trees.Open(ctx, q.Repo, q.Here); err != nil {
		return at, err
	}
	if at.tree, err = s.Trees.Branched(ctx, at.git, at.repo, at.tree); err != nil {
		return at, s.Trees.Undo(ctx, at.tree, err)
	}
	if at.tree.Branch == s.Trees.Settings(at.repo).DefaultBranch {
		return at, s.Trees.Undo(ctx, at.tree, worktree.Conflictf(at.tree, "worktree %q has the default branch %s checked out, which a task does not land from", at.tree.Path, at.tree.Branch).
			WithHint("`git switch -c NAME` in it makes a branch for the task"))
	}
	q.Repo = at.repo.UID
	at.task, err = registry.Read(ctx, s.DB, func(tx *registry.Tx) (string, error) { return openTask(tx, at.tree) })
	if err == nil && at.task != "" && q.Task == "" {
		q.Task = at.task
	}
	if err == nil && at.task != "" && text.Key(q.Task) != text.Key(at.task) {
		err = isTaskOf(at.tree, at.task).
			WithHint("`agit begin --here` without a task goes on with it; `agit begin %s` makes a worktree of its own", text.ShellWord(q.Task))
	}
	return at, err
}

// openTask returns the task of a worktree that is not done, "" for none.
func openTask(tx *registry.Tx, w worktree.Worktree) (string, error) {
	if w.ItemID == 0 {
		return "", nil
	}
	item, err := work.ByID(tx, w.ItemID)
	if err != nil || item.State == work.StateDone || item.State == work.StateDropped {
		return "", err
	}
	return item.Ref, nil
}

func isTaskOf(w worktree.Worktree, task string) *fault.Fault {
	return worktree.Conflictf(w, "worktree %q is that of task %q", w.Ref, task)
}

// settle assigns the worktree that an agent stands in to the agent and to its task.
func (s *Store) settle(ctx context.Context, on takeUp, at standing) (w worktree.Worktree, err error) {
	err = s.DB.Write(ctx, registry.Scope{Project: on.repo.ProjectID}, func(tx *registry.Tx) error {
		if w, err = worktree.ByID(tx, at.tree.ID); err != nil {
			return err
		}
		if w.ItemID == on.Item.ID && w.AgentID == on.agent.ID {
			return nil
		}
		if begun, err := openTask(tx, w); err != nil {
			return err
		} else if begun != "" && w.ItemID != on.Item.ID {
			return isTaskOf(w, begun).WithHint("another agent began it at the same time; `agit begin %s` makes a worktree of its own", text.ShellWord(on.Item.Ref))
		}
		if other, err := worktree.ForItem(tx, on.repo.ID, on.Item.ID, on.agent.ID); err != nil {
			return err
		} else if other.ID != 0 && other.ID != w.ID {
			return fault.Conflict("task", on.Task.ID, "task %q has worktree %q already", on.Task.ID, other.Ref).
				WithHint("go on there: `agit cd %s`", other.Ref)
		}
		if err := worktree.SetTask(tx, w.ID, on.agent.ID, on.Item.ID); err != nil {
			return err
		}
		w, err = s.given(tx, w)
		return err
	})
	w.Reused = true
	return w, err
}
