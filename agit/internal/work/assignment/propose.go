package assignment

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Unproposed is the error for good work whose pull request could not be opened because the forge or the remote cannot be reached. Neither
// the agent nor the task can change that; finishing again tries again.
type Unproposed struct{ cause error }

func (u *Unproposed) Error() string { return u.cause.Error() }

// Unwrap returns the cause.
func (u *Unproposed) Unwrap() error { return u.cause }

// propose pushes the work and opens a pull request for it, or brings that up to date, once the gate is green here. Then the task waits, as
// for a review, until the forge merges the pull request or returns it. It pushes the very commit that was tried. A call that was cut off
// anywhere can be repeated.
func (f *finish) propose(ctx context.Context) (Finished, error) {
	if err := f.mayPropose(); err != nil {
		return f.out, err
	}
	if err := f.measure(ctx); err != nil {
		return f.out, err
	}
	f.out.State = Proposed
	v := f.shown()
	a := review.Asked{Worktree: f.w, Tip: f.at.head.OID, Onto: f.at.target, Summary: f.q.Summary, Gate: v.Gate, GateLog: v.GateLog,
		Files: f.out.Changes.Files, Insertions: f.out.Changes.Insertions, Deletions: f.out.Changes.Deletions}
	p, open, err := f.opened(ctx)
	if err != nil {
		return f.out, err
	}
	if v.ID == 0 {
		if a, err = f.tried(ctx, a, nil); err != nil {
			return f.out, err
		}
	}
	fresh := false
	if f.out.Repeated = v.ID != 0 && open; !f.out.Repeated {
		f.sent = true
		made, err := f.Forges.Open(ctx, forge.Request{Repo: f.r.UID, Worktree: f.w.Ref, Base: f.set.DefaultBranch, Tip: f.at.head.OID})
		switch {
		case err != nil && ctx.Err() == nil && !fault.Is(err, fault.KindConflict):
			return f.out, &Unproposed{err}
		case err != nil:
			return f.out, err
		}
		p, fresh = made.PullRequest, made.New
		if v, err = f.ask(ctx, a); err != nil {
			return f.out, err
		}
	}
	f.out.Commit, f.out.Gate = v.Tip, v.Gate
	f.out.Pull = &Pull{Number: p.Number, URL: p.URL, Stands: p.Stands(), New: fresh}
	if f.set.AutoMerge {
		if _, err := f.Forges.AutoMerge(ctx, f.w, p, v.Tip); err != nil {
			f.out.Notes = append(f.out.Notes, "the forge does not merge it by itself: "+fault.From(err).Message)
		}
	}
	f.endSession(ctx, "success")
	return f.out, nil
}

// opened returns the pull request that proposes this very commit already; open is false when there is none.
func (f *finish) opened(ctx context.Context) (p forge.PullRequest, open bool, err error) {
	err = f.DB.Read(ctx, func(tx *registry.Tx) error {
		p, open, err = forge.LastIn(tx, f.w)
		return err
	})
	return p, open && p.State == forge.Open && p.Head == f.at.head.OID, err
}

// mayPropose refuses an agent that would send work to a remote where no person chose that.
func (f *finish) mayPropose() error {
	switch {
	case f.Forges == nil:
		return fault.Validation("land", "no pull request can be opened from here").WithHint("use `agit pr %s`", f.w.Ref)
	case f.set.Land == worktree.LandPR || f.q.Asker.Person() || f.set.ByAgents:
		return nil
	}
	return worktree.Conflictf(f.w, "worktree %q was not finished: land is %q here, and %s may not send work to a forge", f.w.Ref, f.set.Land, fmt.Sprint(f.q.Asker)).
		WithHint("finish it without --land, as the configuration has it")
}

// Propose opens the pull request of a worktree that was asked to land, where work lands by pull requests, and so finishes it. Where work
// lands in another way it does nothing, and proposed is false.
func (s *Store) Propose(ctx context.Context, q land.Request) (out Finished, proposed bool, err error) {
	r, _, err := s.Trees.Meant(ctx, q.Repo, q.Worktree)
	if err != nil {
		return out, false, err
	}
	set, err := s.Trees.SettingsNow(ctx, r)
	if err != nil || set.Land != worktree.LandPR {
		return out, false, err
	}
	out, err = s.Finish(ctx, FinishRequest{Caller: task.Caller{Agent: q.By}, Repo: r.UID, Worktree: q.Worktree, Asker: q.Asker, Waiting: q.Waiting, Running: q.Running})
	return out, err == nil, err
}
