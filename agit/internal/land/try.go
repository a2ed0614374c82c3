package land

import (
	"context"
	"errors"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/registry"
)

// Trial is the result of merging a worktree's branch. Nothing refers to it.
type Trial struct {
	Worktree     worktree.Worktree `json:"worktree"`
	Into         string            `json:"into"`
	IntoCommit   string            `json:"into_commit"`      // the commit that it was built on
	Tip          string            `json:"tip"`              // the worktree's commit
	Commit       string            `json:"commit,omitempty"` // "" when all is there already
	Tree         string            `json:"tree,omitempty"`
	FilesChanged int               `json:"files_changed"`
	GateResult   string            `json:"gate_result,omitempty"` // passed; "" without a gate
	Log          string            `json:"log,omitempty"`
	Ungated      string            `json:"ungated,omitempty"` // why no gate judged it, though one is configured
}

// Try builds the merged state that a request asks for and lets its gate judge it, but moves nothing: a worktree that waits for review shows
// it. It does not wait in the queue. Errors are those of Land; the worktree's status stays. The transaction that ends the trial runs keep,
// which stores what it found; it may be nil.
func (s *Store) Try(ctx context.Context, o Request, keep func(*registry.Tx, Trial) error) (out Trial, err error) {
	m := &merging{Store: s, deed: merged, trial: true}
	if err := m.plan(ctx, o); err != nil {
		return out, err
	}
	finished, err := worktree.Begin(m.w)
	if err != nil {
		return out, err
	}
	defer finished()
	err = m.Trees.DB.Write(ctx, m.scope(), func(tx *registry.Tx) error {
		return tx.Together(
			func() error { _, err := o.caller(tx); return err },
			func() error { return worktree.SetIntent(tx, m.w, worktree.OpMerge, m.w.Status, m.j) },
		)
	})
	if err != nil {
		return out, err
	}
	there, err := m.prepare(ctx)
	if err == nil && !there && m.judged() {
		err = m.judge(ctx)
	}
	if err != nil {
		return out, errors.Join(err, m.Trees.Settle(ctx, m.w, m.j.Before))
	}
	out = Trial{Worktree: m.w, Into: m.target, IntoCommit: m.j.Old, Tip: m.tip, Commit: m.j.New, Tree: m.tree, FilesChanged: len(m.changes), Log: m.log, Ungated: m.ungated}
	if m.tested != "" {
		out.GateResult = GatePassed
	}
	err = m.Trees.DB.Write(context.WithoutCancel(ctx), registry.Scope{Project: m.w.ProjectID}, func(tx *registry.Tx) error {
		if err := worktree.EndIntent(tx, m.w, m.j.Before); err != nil || keep == nil {
			return err
		}
		return keep(tx, out)
	})
	if err != nil {
		return out, errors.Join(err, m.Trees.Settle(ctx, m.w, m.j.Before))
	}
	return out, nil
}
