package land

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/halving"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// batch is a landing with others that land along with it. Each is built on the one before it, the gate judges the last, and one
// compare-and-swap moves the branch over all of them. When the gate is red the batch is halved; a member that fails on top of those that
// landed is returned.
type batch struct {
	head    *merging
	members []*merging // in the order they asked; head is the first
	ref     string     // the branch
	at      string     // the branch's commit
	reds    map[*merging]*GateFailure
	over    map[*merging]bool
	own     *outcome // of the head
}

// errOvertaken means that others moved the branch while a batch was being judged.
var errOvertaken = errors.New("the branch moved meanwhile")

// runTogether is run, together with the landings that wait behind this one. The outcome is nil when the landing is not concluded; the
// caller then has to conclude it, or to put it in order after the error.
func (m *merging) runTogether(ctx context.Context) (*outcome, error) {
	for range patience {
		if len(m.gate) == 0 || len(m.set.PreMerge) > 0 || m.set.Batch < 2 {
			break
		}
		if err := m.linger(ctx); err != nil {
			return nil, err
		}
		guests, err := m.invite(ctx)
		b := &batch{head: m, members: append([]*merging{m}, guests...), reds: map[*merging]*GateFailure{}, over: map[*merging]bool{}}
		if err == nil && len(guests) > 0 {
			err = b.run(ctx)
		}
		if err = errors.Join(err, b.dissolve(ctx)); b.own != nil {
			return b.own, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m.seen = ""
		if !errors.Is(err, errOvertaken) && !errors.Is(err, errLeft) {
			break // each landing's own run reports what stands in its way
		}
	}
	return nil, m.run(ctx)
}

// run lands the members of the batch that it can. The head's landing stays undecided when it must land alone.
func (b *batch) run(ctx context.Context) (err error) {
	if b.ref, b.at, err = b.head.destination(ctx); err != nil || b.at == "" {
		return err
	}
	b.head.j.Old = b.at
	if err := b.head.resettle(ctx); err != nil {
		return err
	}
	return halving.Rule{Test: b.test, Take: b.land, Leave: b.returned}.Separate(ctx, len(b.members))
}

// build makes the commits of some members, one on top of the other. Guests that do not merge there go back into the queue. So do all guests
// behind a member that changes the project's settings, because the new settings judge what lands after it.
func (b *batch) build(ctx context.Context, set []int) (built []*merging, err error) {
	at := b.at
	for i, n := range set {
		m := b.members[n]
		if b.over[m] {
			continue
		}
		there, err := m.prepareOn(ctx, b.ref, at)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || there {
			if err := b.apart(ctx, m); err != nil {
				return nil, err
			}
			continue
		}
		built, at = append(built, m), m.j.New
		if slices.ContainsFunc(m.changes, func(c git.RawChange) bool { return worktree.IsSettings(c.Path) }) {
			for _, n := range set[i+1:] {
				if err := b.apart(ctx, b.members[n]); err != nil {
					return nil, err
				}
			}
			break
		}
	}
	return built, nil
}

// apart takes a member out of the batch to land alone, where it learns what stands in its way.
func (b *batch) apart(ctx context.Context, m *merging) error {
	if b.over[m] {
		return nil
	}
	b.over[m] = true
	if m == b.head {
		return nil
	}
	return m.goesBack(ctx)
}

// test lets the gate judge some members together, on top of what landed.
func (b *batch) test(ctx context.Context, set []int) (bool, error) {
	built, err := b.build(ctx, set)
	if err != nil || len(built) == 0 {
		return true, err
	}
	last := built[len(built)-1]
	last.along = built[:len(built)-1]
	err = last.judge(ctx)
	if red, failed := errors.AsType[*GateFailure](err); failed {
		b.reds[last] = red
		return false, nil
	}
	return err == nil, err
}

// land moves the branch over members that passed together, and concludes each.
func (b *batch) land(ctx context.Context, set []int) error {
	var all []*merging
	for _, n := range set {
		if m := b.members[n]; !b.over[m] {
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	last.j.Old = b.at // the branch moves from there to the last commit
	changes, err := diffTree(ctx, last.g, git.Options{}, last.j.Old, last.j.New)
	if err != nil {
		return err
	}
	files := map[*merging]int{}
	for _, m := range all {
		files[m] = len(m.changes)
	}
	last.changes = changes
	err = b.move(ctx, last)
	if last.unsure {
		return b.unsure(ctx, all, err)
	}
	if err != nil && !last.moved {
		return err
	}
	b.at = last.j.New
	for _, m := range all {
		m.moved = true
		b.over[m] = true
		b.conclude(ctx, m, files[m], err)
	}
	return err
}

// unsure ends the landing of members that were pushed, when only the remote knows whether they landed.
func (b *batch) unsure(ctx context.Context, all []*merging, cause error) (err error) {
	for _, m := range all {
		m.unsure, b.over[m] = true, true
		err = errors.Join(err, b.end(ctx, m, outcome{Reason: unsureReason, err: m.giveUp(ctx, cause)}))
	}
	return errors.Join(err, cause)
}

// move moves the branch to the last of several members by compare-and-swap.
func (b *batch) move(ctx context.Context, last *merging) error {
	end, err := last.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer end()
	done, err := last.moveBranch(ctx)
	if err == nil && !done {
		err = errOvertaken
	}
	return err
}

// conclude ends the landing of a member that the branch has. failed is an error from after the move.
func (b *batch) conclude(ctx context.Context, m *merging, files int, failed error) {
	out := Merged{Worktree: m.w, Into: m.target, Commit: m.j.New, FilesChanged: files}
	var err error
	if failed != nil {
		err = m.giveUp(ctx, failed)
	} else {
		out, err = m.conclude(context.WithoutCancel(ctx), out)
	}
	o := outcome{Merged: &out, err: err}
	if err != nil {
		o.Broken = fault.From(err).Message
	}
	if err := b.end(ctx, m, o); err != nil {
		m.Trees.Notice("the result of a landing could not be stored: " + err.Error())
	}
}

// returned ends the landing of a member that the gate fails on.
func (b *batch) returned(ctx context.Context, n int) error {
	m := b.members[n]
	if b.over[m] {
		return nil
	}
	b.over[m] = true
	red := b.reds[m]
	if red == nil {
		return m.goesBack(ctx)
	}
	m.along = nil
	return b.end(ctx, m, outcome{Red: red, err: m.giveUp(ctx, m.failure(*red))})
}

// end ends the landing of a member with its outcome, which a guest's own process reads.
func (b *batch) end(ctx context.Context, m *merging, o outcome) error {
	if m == b.head {
		b.own = &o
		return nil
	}
	m.release()
	return m.tell(ctx, o)
}

// dissolve puts the guests that are not concluded back into the queue.
func (b *batch) dissolve(ctx context.Context) (err error) {
	for _, m := range b.members[1:] {
		if !b.over[m] {
			b.over[m] = true
			err = errors.Join(err, m.goesBack(ctx))
		}
	}
	b.head.along = nil
	return err
}

// together returns the landings that the branch has once it is at this one's commit: those that land along, and this one.
func (m *merging) together() []*merging { return append(slices.Clip(m.along), m) }

// quiet is the time without a new landing after which the first in line stops waiting for others.
const quiet = 300 * time.Millisecond

// lingers returns how long to wait for others at most, and without a new one. linger is the configured wait, and took the gate's last
// duration, 0 where that is not known.
func lingers(linger, took time.Duration) (most, still time.Duration) {
	most = linger
	if took > 0 {
		most = min(most, took/20)
	}
	return most, min(quiet, most)
}

// linger waits a moment for others that ask at the same time, since the gate would not judge them together with this one later. It waits at
// most a twentieth of the gate's last duration.
func (m *merging) linger(ctx context.Context) error {
	took, err := m.Verdicts().Took(ctx, m.r.ID)
	if err != nil {
		return err
	}
	most, still := lingers(m.set.Linger, took)
	begun := time.Now()
	for count, since := -1, begun; most > 0 && time.Since(begun) < most && time.Since(since) < still; {
		list, err := registry.Read(ctx, m.Trees.DB, func(tx *registry.Tx) ([]Landing, error) { return underWay(tx, m.r.ID) })
		if err != nil {
			return err
		}
		if len(list) != count {
			count, since = len(list), time.Now()
		}
		if count >= m.set.Batch {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(still / 6):
		}
	}
	return nil
}
