package land

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// A landing with a gate takes its place in the queue of its repository when it asks: the id of its row. It runs when no landing before it
// is under way. Each process holds a lock while it lands, which the kernel releases however the process ends. A landing that waits behind
// one whose process is gone puts in order what that left, and goes on.

// enter writes the landing's row and, when it need not wait, begins it and returns true.
func (m *merging) enter(ctx context.Context) (begun bool, err error) {
	if err := m.ClearAbandoned(ctx, m.r); err != nil {
		return false, err
	}
	gate, err := m.gateText()
	if err != nil {
		return false, err
	}
	key, err := m.keyOf(ctx, m.settled)
	if err != nil {
		return false, err
	}
	if err := m.take(); err != nil {
		return false, err
	}
	err = m.Trees.DB.Write(ctx, m.scope(), func(tx *registry.Tx) error {
		begun = false
		var by agent.Agent
		var other *Landing
		var waits bool
		err := tx.Together(
			func() (err error) {
				by, err = m.o.caller(tx)
				return err
			},
			func() (err error) { other, err = Last(tx, m.w.ID); return err },
			func() (err error) { waits, err = m.waits(tx); return err },
		)
		switch {
		case err != nil:
			return err
		case other != nil && !other.State.Over():
			return asked(m.w, *other)
		}
		if err := m.decided(tx); err != nil {
			return err
		}
		if err := m.mayLand(waits); err != nil {
			return err
		}
		m.landing, err = tx.Insert(`INSERT INTO landings (uid, project_id, repo_id, worktree_id, agent_id, host, pid, process, state, strategy, target, tip_oid, gate, gate_skipped,
				message, keep_task, identity, gate_key, asked_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
			registry.NewUID(), m.r.ProjectID, m.r.ID, m.w.ID, registry.NullIfZero(by.ID), registry.Host(), os.Getpid(), m.present.ID,
			m.strategy, m.target, m.tip, gate, m.skipped, m.o.Message, m.o.KeepTask, identity(), key, tx.Stamp())
		if err != nil {
			return err
		}
		tx.Changed(registry.TopicWorktrees, m.r.ProjectID, m.w.Ref)
		if begun, err = m.first(tx); err != nil || !begun {
			return err
		}
		return m.begin(tx)
	})
	if !begun {
		m.release()
	}
	return begun, err
}

// waits reports whether the worktree waits for a review.
func (m *merging) waits(tx *registry.Tx) (bool, error) {
	return registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM worktrees_in_review WHERE worktree_id = ?)`, m.w.ID))
}

func (m *merging) mayLand(waits bool) error {
	return mayLand(m.o.Asker, m.set, m.w, waits, m.o.Here || m.target != m.set.DefaultBranch)
}

// decided lets the caller decide whether the worktree lands. Without such a decision it refuses one of several tries of a task.
func (m *merging) decided(tx *registry.Tx) (err error) {
	if m.o.Enter == nil {
		return m.uncontested(tx)
	}
	if err = m.o.Enter(tx); err == nil {
		m.w, err = worktree.ByID(tx, m.w.ID)
	}
	return err
}

// uncontested refuses to land one of several tries of a task, because another one would go on as the task's work.
func (m *merging) uncontested(tx *registry.Tx) error {
	task, shown, err := tries.Contested(tx, m.w.ID)
	if err != nil || task == "" {
		return err
	}
	f := m.refusal("it is one of several tries of task %q", task)
	if !shown {
		return f.WithHint("`agit review` shows them side by side")
	}
	return f.WithHint("`agit review %s --accept` lands it as the task's work", m.w.Ref)
}

func asked(w worktree.Worktree, l Landing) error {
	who := ""
	if l.Agent != "" {
		who = " by " + l.Agent
	}
	return worktree.Conflictf(w, "worktree %q was asked to land already%s and is %s", w.Ref, who, l.State).
		WithHint("`agit queue` shows how far it is").Retry()
}

func (m *merging) gateText() (string, error) {
	if len(m.gate) == 0 {
		return "", nil
	}
	content, err := json.Marshal(text.Each(m.gate, redact.Clean))
	return string(content), err
}

func (m *merging) scope() registry.Scope { return registry.Scope{Project: m.r.ProjectID} }

// first reports whether it is the landing's turn.
func (m *merging) first(tx *registry.Tx) (bool, error) {
	if len(m.gate) == 0 {
		return true, nil
	}
	list, err := underWay(tx, m.r.ID)
	return err == nil && len(ahead(list, m.landing)) == 0, err
}

// ahead returns the landings that a landing with a gate waits for, of those under way: the ones with a gate that asked earlier. A landing
// without a gate waits for none and holds up none.
func ahead(list []Landing, id int64) (before []Landing) {
	for _, l := range list {
		if l.ID < id && len(l.Gate) > 0 {
			before = append(before, l)
		}
	}
	return before
}

// begin starts the landing: its row is running, and the worktree has the intent of a merge.
func (m *merging) begin(tx *registry.Tx) error {
	m.j.Landing, m.j.Tip = m.landing, m.tip
	gone := worktree.Conflictf(m.w, "worktree %q was taken off the queue", m.w.Ref).WithHint("ask again").Retry()
	if err := tx.Must(gone, `UPDATE landings SET state = 'running', started_at = ? WHERE id = ? AND state = 'queued'`, tx.Time(), m.landing); err != nil {
		return err
	}
	return worktree.SetIntent(tx, m.w, worktree.OpMerge, m.w.Status, m.j)
}

// await waits for the landing's turn and begins it then, on the worktree as it is by then. When another landing took it along in a batch,
// await waits for the outcome and returns it.
func (m *merging) await(ctx context.Context) (*outcome, error) {
	for {
		list, own, err := m.line(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		if own.batch != 0 {
			if done, err := m.taken(ctx, own); done != nil || err != nil {
				return done, err
			}
		}
		before := ahead(list, m.landing)
		if len(before) == 0 && own.batch == 0 {
			if err := m.resume(ctx); !errors.Is(err, errHeld) {
				return nil, err
			}
		}
		if len(before) > 0 && m.abandoned(before[0]) {
			if cleared, err := m.Clear(ctx, m.r, before[0]); err != nil {
				return nil, err
			} else if cleared {
				continue
			}
		}
		if m.o.Waiting != nil && len(before) > 0 {
			m.o.Waiting(before)
		}
		wait := ctx.Done()
		if own.committed() {
			wait = nil // it is too late to take it back
		}
		select {
		case <-wait:
			return nil, ctx.Err()
		case <-time.After(pause(max(1, len(before)))):
		}
	}
}

// line returns the landings of the repository that are under way, and this one.
func (m *merging) line(ctx context.Context) (list []Landing, own Landing, err error) {
	err = m.Trees.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if list, err = underWay(tx, m.r.ID); err == nil {
			own, err = byID(tx, m.landing)
		}
		return err
	})
	return list, own, err
}

// errHeld means that another call in this process works on the worktree: it mends what a killed process left, or takes the landing along.
var errHeld = errors.New("another call works on the worktree")

// pause returns how long to wait before looking again: the next in line looks often.
func pause(ahead int) time.Duration {
	return min(time.Duration(ahead)*40*time.Millisecond, 400*time.Millisecond)
}

// resume begins a landing that had to wait. The requested commit lands: work that was added to the branch meanwhile stays in the worktree,
// and a branch that no longer has the commit is returned. The error is errHeld while another call of this process has the worktree.
func (m *merging) resume(ctx context.Context) error {
	_, w, g, err := m.Trees.Open(ctx, m.r.Name, m.w.Ref)
	if err != nil {
		return err
	}
	m.w, m.g, m.j.Before, m.seen = w, g, w.Status, ""
	p, err := obstacle.Identify(ctx, m.Trees, m.subject())
	if err != nil {
		return err
	}
	if err := obstacle.Refuse(w, "merged", p.Obstacles); err != nil {
		return err
	}
	if err := m.holds(ctx, p); err != nil {
		return err
	}
	if m.take() != nil {
		return errHeld
	}
	return m.Trees.DB.Write(ctx, m.scope(), func(tx *registry.Tx) error {
		first, err := m.first(tx)
		if err != nil {
			return err
		}
		if !first {
			return worktree.Conflictf(w, "worktree %q lost its place in the queue", w.Ref).WithHint("ask again").Retry()
		}
		return m.begin(tx)
	})
}

// ClearAbandoned puts in order what processes that are gone left in a repository's queue.
func (s *Store) ClearAbandoned(ctx context.Context, r repo.Repo) error {
	list, err := s.Abandoned(ctx, r)
	if err != nil {
		return err
	}
	for _, l := range list {
		if _, err := s.Clear(ctx, r, l); err != nil {
			return err
		}
	}
	return nil
}

// Abandoned returns the landings of a repository that are not over, although their process is gone.
func (s *Store) Abandoned(ctx context.Context, r repo.Repo) (list []Landing, err error) {
	list, err = registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) ([]Landing, error) { return underWay(tx, r.ID) })
	return slices.DeleteFunc(list, func(l Landing) bool { return !s.abandoned(l) }), err
}

// Clear takes a landing whose process is gone off the queue, after putting in order what it left half done. When the branch was moved, the
// recovery of worktrees ends it as landed; otherwise it is returned. cleared is false while another process does so.
func (s *Store) Clear(ctx context.Context, r repo.Repo, l Landing) (cleared bool, err error) {
	if _, err := s.Trees.Recovered(ctx, r); err != nil {
		return false, err
	}
	left, err := s.Trees.Interrupted(ctx, r.ID) // could not be put in order, which a notice reported
	if err != nil {
		return false, err
	}
	hopeless := slices.ContainsFunc(left, func(w worktree.Worktree) bool { return w.ID == l.WorktreeID })
	err = s.Trees.DB.Write(ctx, registry.Scope{Project: l.ProjectID}, func(tx *registry.Tx) error {
		w, err := worktree.ByID(tx, l.WorktreeID)
		if cleared = err == nil && (w.Operation() == "" || hopeless); !cleared {
			return err
		}
		if hopeless && unsureOf(w) {
			return endUnsure(tx, l.ID)
		}
		return end(tx, l.ID, Returned, "", abandonedReason)
	})
	return cleared, err
}

// end completes the row of a landing that is under way, or that only the remote knew the result of. reason may be as long as an error.
func end(tx *registry.Tx, id int64, state State, commit, reason string) error {
	if id == 0 {
		return nil
	}
	const most = 4000
	project, err := registry.One[int64](tx.QueryRow(`UPDATE landings SET state = ?, commit_oid = ?, reason = ?, finished_at = ?,
		gate_result = CASE WHEN gate_result = 'running' THEN '' ELSE gate_result END
		WHERE id = ? AND (state IN ('queued', 'running') OR state = 'returned' AND reason = ?) RETURNING project_id`,
		state, commit, text.Cut(redact.Clean(reason), most), tx.Stamp(), id, unsureReason))
	if registry.NoRows(err) {
		return nil // over already
	}
	tx.Changed(registry.TopicWorktrees, project, "")
	return err
}

// ended returns the state and the reason of a landing that failed.
func (m *merging) ended(ctx context.Context, cause error) (State, string) {
	if ctx.Err() != nil {
		return Cancelled, "cancelled while it was waiting or running"
	}
	return Returned, strings.TrimPrefix(fault.From(cause).Message, fmt.Sprintf("worktree %q was not merged: ", m.w.Ref))
}

// leave takes a landing that never began off the queue. A landing that another process is moving the branch to, in a batch, stays.
func (m *merging) leave(ctx context.Context, cause error) error {
	state, reason := m.ended(ctx, cause)
	err := m.Trees.DB.Write(context.WithoutCancel(ctx), m.scope(), func(tx *registry.Tx) error {
		own, err := byID(tx, m.landing)
		if err != nil || own.committed() {
			return err
		}
		return end(tx, m.landing, state, "", reason)
	})
	return errors.Join(m.told(ctx, cause), err)
}
