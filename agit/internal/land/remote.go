package land

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// When a repository's settings name a remote, work lands on the default branch there, by a push of exactly the tested commit. The server
// checks that the branch still is at the commit which the work was built on. The intent names the pushed commit before the push; after a
// kill the remote is asked whether it has it. The branch here follows afterwards.

// unsureReason is the reason of a returned landing whose push has no answer yet.
const unsureReason = "it was being pushed when its agit ended, and the remote cannot be asked yet whether it has it; the next command that reaches the remote finds out"

// errUnsure means that only the remote knows whether a landing happened.
var errUnsure = errors.New("only the remote knows whether it landed")

// remoteTip returns the remote branch's commit. A dry run does not contact the remote, and a trial uses the commit that was seen last when
// the remote does not answer.
func (m *merging) remoteTip(ctx context.Context) (oid string, err error) {
	switch {
	case m.seen != "":
		return m.seen, nil
	case m.dry || m.trial:
		if m.trial {
			if err := m.Trees.Fetch(ctx, m.g, m.r); err != nil {
				return "", err
			}
		}
		_, oid, err = checkout.DefaultBranch(ctx, m.g, m.target, m.remote)
	default:
		oid, err = checkout.Fetch(ctx, m.g, m.remote, m.target, m.set.RemoteWait)
		if err != nil && ctx.Err() == nil {
			err = m.unreached(err)
		}
	}
	m.seen = oid
	return oid, err
}

// unreached turns a remote's fault into that of a landing which did not happen because of it.
func (m *merging) unreached(cause error) error {
	f := *fault.From(cause)
	f.Message = fmt.Sprintf("worktree %q was not merged: %s", m.w.Ref, f.Message)
	return &f
}

// pushBranch moves the remote's branch to the merge; it returns false when others moved it first. The branch here follows.
func (m *merging) pushBranch(ctx context.Context) (moved bool, err error) {
	if err := m.verify(ctx); err != nil {
		return false, err
	}
	if err := m.Trees.SyncWithObjects(ctx, m.g, m.w, m.keptFiles()); err != nil {
		return false, err
	}
	for _, o := range m.together() {
		o.j.Pushing = true
	}
	if err := m.noteDown(ctx, m.gatePassed()); err != nil {
		return false, err
	}
	if err := m.Trees.Reach("push:noted"); err != nil {
		return false, err
	}
	done := checkout.Slow(m.Trees.Notice, func() string {
		return fmt.Sprintf("pushing %.12s to branch %s of %s", m.j.New, m.target, m.remote)
	})
	moved, err = checkout.Push(ctx, m.g, m.remote, m.target, m.j.Old, m.j.New, m.set.RemoteWait)
	done()
	if err != nil {
		return false, m.notPushed(err)
	}
	if !moved {
		for _, o := range m.together() {
			o.j.Pushing = false
		}
		return false, nil
	}
	m.moved = true
	if err := m.Trees.Reach("push:done"); err != nil {
		return true, err
	}
	// From here on there is no way back, so cancelling must not stop it.
	return true, m.followRemote(context.WithoutCancel(ctx))
}

// notPushed returns the error of a landing whose push failed.
func (m *merging) notPushed(cause error) error {
	var refused *checkout.Refused
	switch {
	case errors.Is(cause, checkout.ErrUnsure):
		for _, o := range m.together() {
			o.unsure = true
		}
		f := fault.Provider(cause, "worktree %q was pushed to branch %s of remote %q, which did not answer: whether it landed is not known yet", m.w.Ref, m.target, m.remote).
			WithHint("the next agit command that reaches the remote finds out, and `agit queue` shows it")
		return errors.Join(f, errUnsure)
	case errors.As(cause, &refused):
		f := m.refusal("remote %q refused the push of commit %.12s to branch %s: %s", m.remote, m.j.New, m.target, refused.Words)
		if refused.Closed() {
			return &Blocked{shown{f.WithHint("nothing was pushed; let agit push to %s there, or open a pull request with `agit pr %s`", m.target, m.w.Ref)}}
		}
		return f.WithHint("nothing was pushed; do what the message of the remote asks, or open a pull request with `agit pr %s`", m.w.Ref)
	}
	return m.unreached(cause)
}

// followRemote brings the branch here, and the places where it is checked out, up to the pushed commit. If something stands in the way the
// branch stays where it was, with a notice. An error can mean that the branch followed, and files did not.
func (m *merging) followRemote(ctx context.Context) error {
	if err := m.sees(ctx); err != nil {
		m.Trees.Notice(fault.From(err).Message)
	}
	here, err := m.g.Resolve(ctx, m.j.Target)
	if err != nil || here == "" || here == m.j.New {
		return err
	}
	forward, err := checkout.IsAncestor(ctx, m.g, here, m.j.New)
	if err != nil {
		return err
	}
	if !forward {
		if ahead, err := checkout.IsAncestor(ctx, m.g, m.j.New, here); err != nil || ahead {
			return err
		}
		m.stays(fmt.Sprintf("it has commits that branch %s of remote %q lacks", m.target, m.remote))
		return nil
	}
	f := *m
	f.remote, f.local, f.moved, f.j.Old, f.j.Here = "", true, false, here, here
	moved, err := f.followHere(ctx)
	switch {
	case f.moved:
		m.j.Here = here
		return err
	case err != nil:
		m.stays(strings.TrimPrefix(fault.From(err).Message, fmt.Sprintf("worktree %q was not merged: ", m.w.Ref)))
	case !moved:
		m.stays("others moved it meanwhile")
	}
	return nil
}

// stays passes a notice of why the branch here stays where it was.
func (m *merging) stays(why string) {
	m.Trees.Notice(fmt.Sprintf("worktree %s landed on branch %s of remote %q, and branch %s here stays where it was: %s", m.w.Ref, m.target, m.remote, m.target, why))
}

// followHere moves the branch here as a landing on it does.
func (m *merging) followHere(ctx context.Context) (moved bool, err error) {
	if m.changes, err = diffTree(ctx, m.g, git.Options{}, m.j.Old, m.j.New); err != nil {
		return false, err
	}
	if m.j.Trees, err = workingTreesOn(ctx, m.g, m.w, m.j.Target); err != nil {
		return false, err
	}
	if err := m.noteDown(ctx, nil); err != nil {
		return false, err
	}
	return m.moveWith(ctx, m.j.Trees)
}

// sees notes the remote branch's new commit; a push does so by itself where git is set to fetch the branch.
func (m *merging) sees(ctx context.Context) error {
	ref := checkout.SeenRef(m.remote, m.target)
	seen, err := m.g.Resolve(ctx, ref)
	if err != nil || seen == m.j.New {
		return err
	}
	if seen == "" {
		seen = git.ZeroOID(m.j.New)
	}
	return checkout.UpdateRefs(ctx, m.g, git.Options{}, m.Trees.Notice, []string{ref}, "-m", "agit merge", ref, m.j.New, seen)
}

// pushed asks the remote whether it has the commit of an intent whose process is gone. It returns an error when the remote does not answer.
func (s *Store) pushed(ctx context.Context, g *git.Repo, j journal, set worktree.Settings) (bool, error) {
	if !j.Pushing || j.New == "" {
		return false, nil
	}
	now, err := checkout.Fetch(ctx, g, j.Remote, j.branch(), set.RemoteWait)
	if err != nil {
		return false, err
	}
	return checkout.IsAncestor(ctx, g, j.New, now)
}

// mendFollowing brings the branch here up to a commit that was pushed by a process that is gone. It finishes files that were already
// following.
func (m *merging) mendFollowing(ctx context.Context) error {
	here, err := m.g.Resolve(ctx, m.j.Target)
	if err != nil {
		return err
	}
	followed := m.j.Here != "" && here == m.j.New
	for _, t := range m.j.Trees {
		if followed {
			err = t.finish(ctx, m.g, m.j.Here, m.j.New)
		} else {
			err = t.unlock()
		}
		if err != nil {
			return err
		}
	}
	if !followed {
		m.j.Trees = nil
		return m.followRemote(ctx)
	}
	if m.changes, err = diffTree(ctx, m.g, git.Options{}, m.j.Here, m.j.New); err != nil {
		return err
	}
	return m.syncMerged(ctx)
}

// unsureOf reports whether a landing whose process is gone has a result that only the remote knows: the remote did not answer when the
// worktree's intent was to be mended.
func unsureOf(w worktree.Worktree) bool {
	var j journal
	return w.Operation() == worktree.OpMerge && w.ReadJournal(&j) == nil && j.Pushing
}

// endUnsure ends the row of a landing whose result only the remote knows: once it answers, the row gets the result.
func endUnsure(tx *registry.Tx, id int64) error { return end(tx, id, Returned, "", unsureReason) }
