package land

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// UpdateRequest names a worktree whose branch is to get the default branch's commits.
type UpdateRequest struct {
	Repo     string // name or id; may be empty
	Worktree string // whatever names it
	By       string // the agent that asks; may be empty
	Rebase   bool   // make its commits again on top of the default branch, instead of merging the default branch
}

// Updated is the result of an update.
type Updated struct {
	Worktree     worktree.Worktree `json:"worktree"`
	From         string            `json:"from"`   // the default branch
	Commit       string            `json:"commit"` // the worktree's new commit
	Before       string            `json:"before"` // its commit before
	UpToDate     bool              `json:"up_to_date"`
	FilesChanged int               `json:"files_changed"`
}

// Update brings the default branch into a worktree's branch, and the worktree's files with it. It refuses when tracked files have
// uncommitted changes; untracked files stay, and it refuses when one is in the way. On a conflict it changes nothing, and returns a
// *MergeConflict that names the files and who else changed them.
func (s *Store) Update(ctx context.Context, o UpdateRequest) (out Updated, err error) {
	m := &merging{Store: s, deed: updated, update: true, local: true, strategy: MergeCommit}
	if m.r, m.w, m.g, err = s.Trees.Open(ctx, o.Repo, o.Worktree); err != nil {
		return out, err
	}
	defer func() { err = s.Trees.Undo(ctx, m.w, err) }()
	m.set = s.Trees.Settings(m.r)
	m.with = checkout.MergeName(m.set.DefaultBranch, m.set.Remote)
	head, err := m.clean(ctx)
	if err != nil {
		return out, err
	}
	if err := s.Trees.Fetch(ctx, m.g, m.r); err != nil {
		return out, err
	}
	_, tip, err := checkout.DefaultBranch(ctx, m.g, m.set.DefaultBranch, m.set.Remote)
	if err != nil {
		return out, err
	}
	if tip == "" {
		return out, worktree.NoDefaultBranch(m.r, m.set.DefaultBranch)
	}
	m.tip = tip
	out = Updated{Worktree: m.w, From: m.set.DefaultBranch, Commit: head, Before: head}
	if out.UpToDate, err = checkout.IsAncestor(ctx, m.g, tip, head); err != nil || out.UpToDate {
		return out, err
	}
	if m.w, err = s.Trees.Branched(ctx, m.g, m.r, m.w); err != nil {
		return out, err
	}
	m.target = m.w.Branch
	finished, err := worktree.Begin(m.w)
	if err != nil {
		return out, err
	}
	defer finished()
	m.j = journal{Update: true, Before: m.w.Status, Target: "refs/heads/" + m.w.Branch, Old: head}
	err = s.Trees.DB.Write(ctx, m.scope(), func(tx *registry.Tx) error {
		if o.By != "" {
			if _, err := agent.Caller(tx, o.By); err != nil {
				return err
			}
		}
		if l, err := Last(tx, m.w.ID); err != nil {
			return err
		} else if l != nil && !l.State.Over() {
			return asked(m.w, *l)
		}
		return worktree.SetIntent(tx, m.w, worktree.OpMerge, m.w.Status, m.j)
	})
	if err != nil {
		return out, err
	}
	if err := m.bring(ctx, head, o.Rebase); err != nil {
		if m.moved || slices.ContainsFunc(m.j.Trees, func(t workingTree) bool { return t.index().Held() }) {
			return out, err // the intent stays, and recovery finishes it or unlocks
		}
		return out, errors.Join(err, m.Trees.Settle(ctx, m.w, m.j.Before))
	}
	out.Commit, out.FilesChanged = m.j.New, len(m.changes)
	if err := m.updated(context.WithoutCancel(ctx)); err != nil {
		return out, err
	}
	out.Worktree, err = s.Trees.Reload(ctx, m.w)
	return out, err
}

// clean proves that nothing in the worktree stands in the way of an update, and returns its commit.
func (m *merging) clean(ctx context.Context) (head string, err error) {
	p, err := obstacle.Identify(ctx, m.Trees, m.subject())
	if err != nil {
		return "", err
	}
	if err := p.CheckUse(ctx, true); err != nil {
		return "", err
	}
	if p.Tree != nil {
		p.Leave(obstacle.Untracked, obstacle.Precious, obstacle.Unmerged, obstacle.Locked)
	}
	return p.Head.OID, obstacle.Refuse(m.w, "updated", p.Obstacles)
}

// bring makes the commit that has both sides, and moves the worktree's branch to it.
func (m *merging) bring(ctx context.Context, head string, rebase bool) (err error) {
	forward, err := checkout.IsAncestor(ctx, m.g, head, m.tip)
	switch {
	case err != nil:
		return err
	case forward:
		m.j.New, m.j.Base = m.tip, m.tip
	case rebase:
		err = m.rebaseOnto(ctx, head)
	default:
		var tree string
		if tree, err = m.mergeTrees(ctx, head, m.tip); err == nil {
			m.j.New, err = m.commitTree(ctx, git.Options{}, tree, fmt.Sprintf("Merge branch '%s' into %s\n", m.with, m.w.Branch), head, m.tip)
		}
	}
	if err != nil {
		return err
	}
	if m.changes, err = diffTree(ctx, m.g, git.Options{}, head, m.j.New); err != nil {
		return err
	}
	end, err := m.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer end()
	moved, err := m.moveBranch(ctx)
	if err == nil && !moved {
		err = m.refusal("a commit was added to it meanwhile").WithHint("try again").Retry()
	}
	return err
}

// rebaseOnto makes the worktree's commits again on top of the default branch.
func (m *merging) rebaseOnto(ctx context.Context, head string) error {
	again := *m
	again.update, again.tip = false, head
	again.j.Old = m.tip
	top, _, err := again.rebase(ctx)
	if err != nil {
		return err
	}
	if top == "" {
		top = m.tip // the default branch has all of it
	}
	m.j.New, m.j.Base = top, m.tip
	return nil
}

// updated completes the row of an update, which also ends the conflict of a refused merge.
func (m *merging) updated(ctx context.Context) error {
	return m.Trees.DB.Write(ctx, m.scope(), func(tx *registry.Tx) error {
		if m.j.Base != "" {
			if err := worktree.SetBase(tx, m.w.ID, m.j.Base); err != nil {
				return err
			}
		}
		status := m.j.Before
		if status != worktree.Creating {
			status = worktree.Active
		}
		tx.Changed(registry.TopicConflicts, m.r.ProjectID, m.r.Name)
		return worktree.EndIntent(tx, m.w, status)
	})
}
