package assignment_test

import (
	"errors"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Work that cannot be proposed stays unchanged, with its agent, and is shown to no one. An agent sends nothing to a forge where no person
// chose that.
func TestProposing(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	b := w.begin("ann", "T-1")
	w.commit(b, "login.go")
	propose := func(asker land.Asker) error {
		_, err := w.finish("ann", func(q *assignment.FinishRequest) { q.Land, q.Asker = worktree.LandPR, asker })
		return err
	}
	if err := propose(land.Asker{}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("without forges: %v", err)
	}
	w.store.Forges = &forge.Store{Trees: w.Worktrees, Notice: func(string) {}}
	var not *assignment.Unproposed
	if err := propose(land.Asker{Agent: "ann"}); !fault.Is(err, fault.KindConflict) || errors.As(err, &not) {
		t.Errorf("an agent, where work waits for a review: %v", err)
	}
	if err := propose(land.Asker{}); !errors.As(err, &not) || !fault.Is(err, fault.KindValidation) {
		t.Errorf("a repository without a remote: %v", err)
	}
	w.Set.Land = worktree.LandPR
	if err := propose(land.Asker{Agent: "ann"}); !errors.As(err, &not) {
		t.Errorf("an agent, where work is proposed: %v", err)
	}
	if w.status("T-1") != task.InProgress {
		t.Errorf("T-1 is %s", w.status("T-1"))
	}
	err := w.DB.Read(t.Context(), func(tx *registry.Tx) error {
		found, err := worktree.List(tx, worktree.Filter{})
		if err != nil {
			return err
		}
		for _, one := range found {
			if v, shown, err := review.Last(tx, one.ID); shown || err != nil {
				t.Errorf("%+v, %v", v, err)
			}
		}
		return nil
	})
	worktreetest.Must(t, err)
}

// Where work lands by pull requests, a plain request to land proposes the work; other ways of landing are not affected.
func TestProposeInsteadOfLanding(t *testing.T) {
	t.Parallel()
	w := newWay(t)
	b := w.begin("ann", "T-1")
	w.commit(b, "login.go")
	w.store.Forges = &forge.Store{Trees: w.Worktrees, Notice: func(string) {}}
	q := land.Request{Repo: "app", Worktree: b.Worktree.ID}
	if _, proposed, err := w.store.Propose(t.Context(), q); proposed || err != nil {
		t.Errorf("where work waits for a review: %v, %v", proposed, err)
	}
	w.Set.Land = worktree.LandPR
	var not *assignment.Unproposed
	if _, proposed, err := w.store.Propose(t.Context(), q); proposed || !errors.As(err, &not) {
		t.Errorf("where it is proposed: %v, %v", proposed, err)
	}
	done, err := w.finish("ann", func(q *assignment.FinishRequest) { q.Land = worktree.LandReview })
	if err != nil || done.State != assignment.InReview || done.Land != worktree.LandPR {
		t.Errorf("left for review there: %+v, %v", done, err)
	}
}
