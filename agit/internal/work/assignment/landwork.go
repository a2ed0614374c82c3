package assignment

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// land merges the work into the default branch.
func (f *finish) land(ctx context.Context) (Finished, error) {
	if err := f.measure(ctx); err != nil {
		return f.out, err
	}
	m, err := f.Landings.Land(ctx, f.request())
	if err != nil {
		return f.out, err
	}
	f.spoke()
	f.out.State, f.out.Commit, f.tip = Landed, m.Commit, f.at.head.OID
	if len(f.set.Gate) > 0 && m.Commit != "" {
		f.out.Gate = land.GatePassed
	}
	f.out.Notes = append(f.out.Notes, leftBy(m)...)
	return f.landed(ctx)
}

// leftBy returns what a landing left undone, as notes.
func leftBy(m land.Merged) (notes []string) {
	if m.TaskOpen != "" {
		notes = append(notes, m.TaskOpen)
	}
	if m.Left != "" {
		notes = append(notes, "the worktree stays: "+m.Left)
	}
	for _, o := range m.Kept {
		notes = append(notes, "the worktree was kept: "+o.Text)
	}
	return notes
}

// landed does what is left after the work landed, in this call or an earlier one.
func (f *finish) landed(ctx context.Context) (Finished, error) {
	if f.w.ItemID != 0 {
		err := f.DB.Write(ctx, registry.Scope{Project: f.w.ProjectID}, func(tx *registry.Tx) error {
			return f.Tasks.SayResult(tx, f.w.ItemID, task.MergedResult(f.w.Branch), f.q.Summary)
		})
		if err != nil {
			return f.out, err
		}
	}
	f.endSession(ctx, "success")
	return f.out, f.unblocked(ctx)
}

// request returns the request to land the worktree's present commit.
func (f *finish) request() land.Request {
	q := land.Request{Repo: f.r.UID, Worktree: f.w.Ref, Found: f.found, By: f.w.Agent, Asker: f.q.Asker, Tip: f.at.head.OID, Message: review.Message(f.w.Branch, f.w.Task, f.q.Summary),
		Waiting: f.q.Waiting, Running: f.q.Running, Here: f.q.Land == worktree.LandGate}
	if f.holding.Agent.ID == f.w.AgentID {
		q.Agent = f.holding.Agent
	}
	return q
}

// spoke notes that a request was carried out, which was a sign of life of the worktree's agent.
func (f *finish) spoke() {
	if f.owed.ID == f.w.AgentID {
		f.owed = agent.Agent{}
	}
}

// show leaves the work for review, once the gate is green on the state that accepting it would create. Work that was shown before and is
// unchanged is not judged again.
func (f *finish) show(ctx context.Context) (Finished, error) {
	if err := f.measure(ctx); err != nil {
		return f.out, err
	}
	f.out.State = InReview
	if f.mode() == worktree.LandNever {
		f.out.State = Kept
	}
	v := f.shown()
	if f.out.Repeated = v.ID != 0; !f.out.Repeated {
		a := review.Asked{Worktree: f.w, Tip: f.at.head.OID, Onto: f.at.target, Summary: f.q.Summary, Doubt: f.q.Doubt,
			Files: f.out.Changes.Files, Insertions: f.out.Changes.Insertions, Deletions: f.out.Changes.Deletions}
		var err error
		if f.out.State == InReview {
			a, err = f.tried(ctx, a, review.AskIn)
		} else {
			_, err = f.ask(ctx, a)
		}
		if err != nil {
			return f.out, err
		}
		v.Tip, v.Gate = a.Tip, a.Gate
	}
	f.out.Commit, f.out.Gate = v.Tip, v.Gate
	f.endSession(ctx, "success")
	return f.out, f.Trees.Share(ctx, f.r)
}

// tried lets the gate judge the state that accepting the work would create, and runs keep in the transaction that ends the trial; nil keeps
// nothing.
func (f *finish) tried(ctx context.Context, a review.Asked, keep func(*registry.Tx, review.Asked) error) (review.Asked, error) {
	trial, err := f.Landings.Try(ctx, f.request(), func(tx *registry.Tx, trial land.Trial) error {
		a.Onto, a.Gate, a.GateLog = trial.IntoCommit, trial.GateResult, trial.Log
		if keep == nil {
			return nil
		}
		return keep(tx, a)
	})
	if err != nil {
		return a, err
	}
	f.spoke()
	if trial.Ungated != "" {
		f.out.Notes = append(f.out.Notes, "no gate judged it: "+trial.Ungated)
	}
	return a, nil
}

// answered refuses work that a person returned and that has not changed since. The refusal quotes the person: the agent that finishes the
// work again may never have read that. A new commit or another summary counts as an answer.
func (f *finish) answered(tx *registry.Tx) (err error) {
	f.last, _, err = review.Last(tx, f.w.ID)
	last := f.last
	if err != nil || last.State != review.Returned || last.Tip != f.at.head.OID || f.q.Summary != "" && f.q.Summary != last.Summary {
		return err
	}
	return worktree.Conflictf(f.w, "the work in worktree %q was returned by %s and has not changed since: %q", f.w.Ref, last.By, text.Cut(strings.Join(strings.Fields(last.Why), " "), 1000)).
		WithHint("do what that says, commit, and finish again; where nothing has to change, say why in the summary")
}

// shown returns the waiting review of the same commits; the zero one when there is none.
func (f *finish) shown() review.Review {
	if f.last.State == review.Waiting && f.last.Tip == f.at.head.OID && f.last.Onto == f.at.target && (f.q.Summary == "" || f.q.Summary == f.last.Summary) {
		return f.last
	}
	return review.Review{}
}

func (f *finish) measure(ctx context.Context) (err error) {
	f.out.Changes, err = f.at.size(ctx)
	return err
}

// again returns the result for a worktree that was merged or removed before, by a call whose answer was lost or by a person.
func (f *finish) again(ctx context.Context) (Finished, error) {
	if f.q.Outcome == Failed || f.q.Outcome == Released {
		if f.w.TaskID == "" {
			return f.out, worktree.Conflictf(f.w, "worktree %q was %s already", f.w.Ref, f.w.Status).WithHint("`agit status` lists those under way")
		}
		return f.stop(ctx)
	}
	if err := f.unblocked(ctx); err != nil {
		return f.out, err
	}
	if f.w.Status != worktree.Completed && f.out.Task != nil && f.out.Task.Status == task.Completed {
		f.out.State, f.out.Repeated = Removed, true // it needed no commit
		return f.out, nil
	}
	if f.w.Status != worktree.Completed {
		return f.out, worktree.Conflictf(f.w, "worktree %q was removed without a merge", f.w.Ref).WithHint("`agit undo %s` brings it back", f.w.Ref)
	}
	f.out.State, f.out.Repeated = Landed, true
	err := f.DB.Read(ctx, func(tx *registry.Tx) error {
		l, err := land.Last(tx, f.w.ID)
		if l != nil {
			f.out.Commit, f.out.Gate, f.tip = l.Commit, l.GateResult, l.Tip
			f.at.head.OID, f.at.target = l.Tip, l.TargetCommit
		}
		return err
	})
	if err != nil {
		return f.out, err
	}
	if f.at.tree, err = f.r.Open(); err == nil {
		err = f.measure(ctx)
	}
	if err != nil {
		f.out.Notes = append(f.out.Notes, fault.From(err).Message)
	}
	return f.landed(ctx)
}
