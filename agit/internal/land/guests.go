package land

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// A guest is a landing that waits in the queue, and that the process of the first in line lands along with its own. The guest's row names
// that landing (batch), and its worktree has that process's intent. The guest's own process waits for the outcome in its row.

// outcome is the result of a landing in a batch.
type outcome struct {
	Merged *Merged      `json:"merged,omitempty"`
	Red    *GateFailure `json:"red,omitempty"`
	Reason string       `json:"reason,omitempty"` // why it was returned, when neither Merged nor Red is set
	Broken string       `json:"broken,omitempty"` // what went wrong after the branch had moved
	err    error        // set only for this process's own landing
}

// merged returns the outcome as Land does.
func (o *outcome) merged(m *merging) (Merged, error) {
	switch {
	case o.err != nil && o.Merged == nil:
		return Merged{}, o.err
	case o.err != nil:
		return *o.Merged, o.err
	case o.Red != nil:
		return Merged{}, m.failure(*o.Red)
	case o.Merged != nil && o.Broken != "":
		return *o.Merged, fault.Operation(nil, "%s", o.Broken).WithHint("`agit doctor --fix` puts it in order")
	case o.Merged != nil:
		return *o.Merged, nil
	}
	return Merged{}, m.refusal("%s", o.Reason).WithHint("ask again").Retry()
}

// committed reports whether another process is about to move the branch to this landing, or did so.
func (l Landing) committed() bool {
	return l.batch != 0 && l.State == Running && l.GateResult == GatePassed
}

// identity returns the part of this process's environment that decides who writes a commit.
func identity() string {
	all := text.Each([]string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"}, os.Getenv)
	return strings.Trim(strings.Join(all, "\n"), "\n")
}

func byID(tx *registry.Tx, id int64) (Landing, error) {
	return scanLanding(tx.QueryRow(landingSelection+`WHERE l.id = ?`, id))
}

// reread returns a landing as it is now.
func (s *Store) reread(ctx context.Context, id int64) (Landing, error) {
	return registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) (Landing, error) { return byID(tx, id) })
}

// requeue puts a guest's landing back into the queue, where its own process waits.
func requeue(tx *registry.Tx, id int64) error {
	return tx.Do(`UPDATE landings SET state = 'queued', started_at = NULL, gate_result = '', batch = 0 WHERE id = ? AND state = 'running'`, id)
}

// invite takes along the landings behind this one that can be judged with it, in the order they asked: same gate and environment, same
// branch, same person. The first that cannot be ends the batch.
func (m *merging) invite(ctx context.Context) (guests []*merging, err error) {
	list, own, err := m.line(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range list {
		if l.ID <= m.landing || len(l.Gate) == 0 || m.abandoned(l) {
			continue
		}
		if len(guests)+1 >= m.set.Batch || !fits(own, l) {
			break
		}
		g, err := m.guest(ctx, l)
		if err != nil {
			return guests, err
		}
		if g != nil {
			guests = append(guests, g)
		}
	}
	return guests, nil
}

// fits reports whether one run of a gate can judge both landings, and one process make both commits.
func fits(a, b Landing) bool {
	return b.State == Queued && a.host == b.host && a.Target == b.Target && a.gateKey == b.gateKey && a.identity == b.identity && a.GateSkipped == b.GateSkipped
}

// guest begins another process's landing in this one. It returns nil when that process must find out on its turn what stands in the way.
func (m *merging) guest(ctx context.Context, l Landing) (*merging, error) {
	g := &merging{Store: m.Store, deed: merged, r: m.r, g: m.g, set: m.set, gate: m.gate, skipped: m.skipped, settled: m.settled,
		target: m.target, with: m.with, local: m.local, remote: m.remote, strategy: l.Strategy, tip: l.Tip, landing: l.ID,
		o: Request{Repo: m.r.Name, Worktree: l.Worktree, By: l.Agent, Message: l.message, KeepTask: l.keepTask, Strategy: l.Strategy, Tip: l.Tip, Running: m.o.Running}}
	var err error
	if g.w, err = m.Trees.Reload(ctx, worktree.Worktree{ID: l.WorktreeID}); err != nil {
		return nil, err
	}
	if worktree.Idle(g.w) != nil || !g.w.Status.Live() {
		return nil, nil
	}
	g.j = journal{Before: g.w.Status, Keep: l.keepTask, Guest: true, Remote: m.remote}
	p, err := obstacle.Identify(ctx, m.Trees, g.subject())
	if err == nil {
		err = errors.Join(obstacle.Refuse(g.w, "merged", p.Obstacles), g.holds(ctx, p))
	}
	if err == nil {
		err = g.take()
	}
	if err != nil {
		return nil, ctx.Err()
	}
	err = m.Trees.DB.Write(ctx, m.scope(), func(tx *registry.Tx) error {
		n, err := tx.Exec(`UPDATE landings SET batch = ? WHERE id = ? AND state = 'queued'`, m.landing, l.ID)
		if err != nil || n == 0 {
			return errors.Join(err, errLeft)
		}
		tx.Changed(registry.TopicWorktrees, m.r.ProjectID, g.w.Ref)
		return g.begin(tx)
	})
	if err != nil {
		g.release()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, nil //nolint:nilerr // it was taken off the queue, or another operation began on the worktree
	}
	return g, nil
}

// errLeft means that a landing was taken off the queue while it was being landed in a batch.
var errLeft = errors.New("a landing of the batch was taken off the queue")

// goesBack puts a guest back into the queue.
func (m *merging) goesBack(ctx context.Context) error {
	defer m.release()
	return m.Trees.DB.Write(context.WithoutCancel(ctx), m.scope(), func(tx *registry.Tx) error {
		return errors.Join(requeue(tx, m.landing), worktree.EndIntent(tx, m.w, m.j.Before))
	})
}

// tell writes the outcome of a guest's landing for its own process to read.
func (m *merging) tell(ctx context.Context, o outcome) error {
	content, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return m.Trees.DB.Write(context.WithoutCancel(ctx), m.scope(), func(tx *registry.Tx) error {
		return tx.Do(`UPDATE landings SET outcome = ? WHERE id = ?`, string(content), m.landing)
	})
}

// told returns the outcome that another process wrote; nil when it wrote none.
func (l Landing) told() (*outcome, error) {
	if l.outcome == "" {
		return nil, nil
	}
	var o outcome
	return &o, json.Unmarshal([]byte(l.outcome), &o)
}

// taken returns the outcome of a landing that another process took along; nil while it is not known. When that process is gone, taken first
// puts in order what it left half done; the landing is then over or waits in the queue again.
func (m *merging) taken(ctx context.Context, own Landing) (*outcome, error) {
	if own.outcome != "" {
		return own.told()
	}
	ctx = context.WithoutCancel(ctx)
	host, err := m.reread(ctx, own.batch)
	if err != nil {
		return nil, err
	}
	if m.Trees.DB.Present(host.process) && !m.abandoned(host) {
		return nil, nil
	}
	if own, err = m.reread(ctx, m.landing); err != nil {
		return nil, err
	}
	if own.outcome != "" { // it was written before the process ended, and after own was read
		return own.told()
	}
	if _, err := m.Trees.Recovered(ctx, m.r); err != nil {
		return nil, err
	}
	w, err := m.Trees.Reload(ctx, m.w)
	if err != nil {
		return nil, err
	}
	if unsureOf(w) && !own.State.Over() {
		return m.takenUnsure(ctx, own)
	}
	if w.Operation() != "" || !own.State.Over() {
		return nil, nil // the next look sees the row as it is by then
	}
	if own.State == Landed {
		return &outcome{Merged: &Merged{Worktree: w, Into: m.target, Commit: own.Commit, Removed: !w.Status.Live()}}, nil
	}
	return &outcome{Reason: own.Reason}, nil
}

// takenUnsure ends a landing whose process died while it pushed, when the remote cannot be reached. It returns nil while another process
// finds out.
func (m *merging) takenUnsure(ctx context.Context, own Landing) (*outcome, error) {
	left, err := m.Trees.Interrupted(ctx, m.r.ID)
	if err != nil || !slices.ContainsFunc(left, func(w worktree.Worktree) bool { return w.ID == own.WorktreeID }) {
		return nil, err
	}
	err = m.Trees.DB.Write(ctx, m.scope(), func(tx *registry.Tx) error { return endUnsure(tx, own.ID) })
	return &outcome{Reason: unsureReason}, err
}
