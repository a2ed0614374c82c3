package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// now returns the time of a write that is stored later, in the registry's precision.
func now() timestamp.Time { return timestamp.Of(time.Now().UTC().Truncate(time.Millisecond)) }

// Status returns an agent's status, including pending writes.
func (b *Buffer) Status(ctx context.Context, nameOrID string) (st Status, err error) {
	release, err := b.own(ctx)
	if err != nil {
		return st, err
	}
	defer release()
	st, err = b.store.Status(ctx, nameOrID)
	return b.pending.over(st), err
}

// Bug stores a bug at once, after all earlier writes.
func (b *Buffer) Bug(ctx context.Context, bug Bug) (Reported, error) {
	release, err := b.own(ctx)
	if err != nil {
		return Reported{}, err
	}
	defer release()
	_ = b.flush(ctx) // it has logged its error; the bug is reported all the same
	return b.store.Bug(ctx, bug)
}

// unheard reports whether a commit is unknown: it has no pending grading and no row.
func (b *Buffer) unheard(tx *registry.Tx, to booked, oid string) (bool, error) {
	for _, w := range b.pending.writes {
		if w.grading != nil && w.to.project.ID == to.project.ID && w.grading.Commit == oid {
			return false, nil
		}
	}
	n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM commits WHERE project_id = ? AND oid = ?`, to.project.ID, oid))
	return n == 0, err
}

// Grade buffers the grades of a commit. A second grade is refused, even when the first is still pending.
func (b *Buffer) Grade(ctx context.Context, g Grading) (out Graded, err error) {
	if err := g.check(); err != nil {
		return out, err
	}
	release, err := b.own(ctx)
	if err != nil {
		return out, err
	}
	defer release()
	if b.closed {
		return b.store.Grade(ctx, g)
	}
	err = b.take(ctx, g.By, func(tx *registry.Tx, to booked) error {
		if g.Commit, err = knownOID(tx, to.project.ID, g.Commit); err != nil {
			return err
		}
		key := gradeKey(to, g.Commit)
		if w := b.pending.byKey[key]; w != nil {
			return gradedAlready(to, g.Commit, w.grading.AgentGrade, w.grading.UserGrade)
		}
		if err := g.refuseTwice(tx, to); err != nil {
			return err
		}
		if g.firstWord, err = b.unheard(tx, to, g.Commit); err != nil {
			return err
		}
		if g.Task == "" {
			g.Task = b.subject(tx, to, g)
		}
		before, err := load(tx, to.agent)
		if err != nil {
			return err
		}
		standing := b.pending.over(before)
		b.pending.put(&write{to: to, key: key, grading: &g})
		out = g.graded(to)
		out.ScoreBefore, out.Status = standing.CS, b.pending.over(before)
		out.ScoreAfter, out.LevelUp = out.Status.CS, out.Status.SP > standing.SP
		return nil
	})
	return out, err
}

// subject returns the known subject of a commit.
func (b *Buffer) subject(tx *registry.Tx, to booked, g Grading) string {
	if g.Subject != "" {
		return g.Subject
	}
	subject, _ := registry.One[string](tx.QueryRow(`SELECT subject FROM commits WHERE project_id = ? AND oid = ?`, to.project.ID, g.Commit))
	return subject
}

// Retrospect buffers a retrospective; a later one of the same commit replaces the fields that it sets.
func (b *Buffer) Retrospect(ctx context.Context, r Retrospective) (out Retrospected, err error) {
	if err := r.check(); err != nil {
		return out, err
	}
	release, err := b.own(ctx)
	if err != nil {
		return out, err
	}
	defer release()
	if b.closed {
		return b.store.Retrospect(ctx, r)
	}
	if r.At.IsZero() {
		r.At = now()
	}
	r.uid = registry.NewUID()
	err = b.take(ctx, r.By, func(tx *registry.Tx, to booked) (err error) {
		if r.Commit, err = knownOID(tx, to.project.ID, r.Commit); err != nil {
			return err
		}
		key := ""
		if r.Commit != "" {
			key = fmt.Sprintf("retrospective %d %d %s", to.agent.ID, to.project.ID, r.Commit)
		}
		kept := &r
		if w := b.pending.byKey[key]; w != nil {
			kept = w.retrospective
			kept.merge(r)
			w.to = to
		} else {
			b.pending.put(&write{to: to, key: key, retrospective: kept})
		}
		out, err = b.answer(tx, to, *kept)
		return err
	})
	return out, err
}

// answer predicts the result of storing a retrospective, as far as it is known now.
func (b *Buffer) answer(tx *registry.Tx, to booked, r Retrospective) (out Retrospected, err error) {
	graded := b.pending.byKey[gradeKey(to, r.Commit)]
	if graded != nil {
		r.AgentGrade = cmp.Or(r.AgentGrade, graded.grading.AgentGrade)
		r.UserGrade = cmp.Or(r.UserGrade, graded.grading.UserGrade)
		r.Task = cmp.Or(r.Task, graded.grading.Task)
	}
	st, err := load(tx, to.agent)
	if err != nil {
		return out, err
	}
	after := b.pending.over(st).CS
	before := after
	if r.Commit != "" {
		if graded != nil { // this one will complete the retrospective of that grading
			before = b.pending.until(graded).over(st).CS
			after = before + int64(graded.grading.AgentGrade) + int64(graded.grading.UserGrade)
		}
		var uid, task string
		var keptBefore, keptAfter int64
		err := tx.QueryRow(`SELECT uid, task, score_before, score_after FROM retrospectives WHERE agent_id = ? AND project_id = ? AND oid = ?`,
			to.agent.ID, to.project.ID, r.Commit).Scan(&uid, &task, &keptBefore, &keptAfter)
		switch {
		case err == nil:
			r.uid, r.Task = uid, cmp.Or(r.Task, task)
			before, after = keptBefore, keptAfter
		case !registry.NoRows(err):
			return out, err
		}
	}
	r.ScoreBefore, r.ScoreAfter = cmp.Or(r.ScoreBefore, &before), cmp.Or(r.ScoreAfter, &after)
	if err := r.complete(tx, to); err != nil {
		return out, err
	}
	return r.answer(to), nil
}

// Log buffers an activity.
func (b *Buffer) Log(ctx context.Context, a Activity) (out Logged, err error) {
	if err := a.check(); err != nil {
		return out, err
	}
	release, err := b.own(ctx)
	if err != nil {
		return out, err
	}
	defer release()
	if b.closed {
		return b.store.Log(ctx, a)
	}
	a.uid = registry.NewUID()
	if a.At.IsZero() {
		a.At = now()
	}
	err = b.take(ctx, a.By, func(_ *registry.Tx, to booked) error {
		b.pending.put(&write{to: to, activity: &a})
		out = a.answer(to)
		return nil
	})
	return out, err
}

// pending holds the writes of a Buffer in the order they came, with at most one for each key. The zero value is empty.
type pending struct {
	writes []*write
	byKey  map[string]*write
}

// write is one pending write; exactly one of its kinds is set.
type write struct {
	to            booked
	key           string
	grading       *Grading
	retrospective *Retrospective
	activity      *Activity
}

// put adds a write; one without a key is never merged.
func (p *pending) put(w *write) {
	p.writes = append(p.writes, w)
	if w.key == "" {
		return
	}
	if p.byKey == nil {
		p.byKey = map[string]*write{}
	}
	p.byKey[w.key] = w
}

// The keys by which writes are merged.
func gradeKey(to booked, oid string) string {
	return fmt.Sprintf("grade %d %d %s", to.agent.ID, to.project.ID, oid)
}

// store stores writes in the transaction. A write that is refused by now (another process graded the commit meanwhile) is logged and left
// out; an error of the registry ends it.
func store(tx *registry.Tx, writes []*write, log *slog.Logger) error {
	alive := map[int64]bool{}
	for _, w := range writes {
		if !alive[w.to.agent.ID] {
			alive[w.to.agent.ID] = true
			// The record of an agent that was removed meanwhile is stored all the same.
			if _, err := agent.Heartbeat(tx, w.to.agent.UID); err != nil && !fault.Is(err, fault.KindNotFound) {
				return err
			}
		}
		err := w.apply(tx)
		var refusal *fault.Fault
		switch {
		case err == nil:
		case errors.As(err, &refusal) && refusal.Kind != fault.KindDatabase:
			log.WarnContext(tx.Context(), "a buffered record was left out", "agentName", w.to.agent.Name, "error", err)
		default:
			return err
		}
	}
	return nil
}

// apply stores one write. It may run twice, so it works on copies.
func (w *write) apply(tx *registry.Tx) (err error) {
	switch {
	case w.grading != nil:
		_, err = w.grading.apply(tx, w.to)
	case w.retrospective != nil:
		r := *w.retrospective
		err = r.apply(tx, w.to)
	case w.activity != nil:
		a := *w.activity
		err = a.apply(tx, w.to)
	}
	return err
}

// until returns the writes pending before w.
func (p *pending) until(w *write) *pending {
	return &pending{writes: p.writes[:max(slices.Index(p.writes, w), 0)]}
}

// over adds an agent's pending writes to its status in the registry.
func (p *pending) over(st Status) Status {
	s, n := st.Scores, 0
	for _, w := range p.writes {
		if w.to.agent.ID != st.id {
			continue
		}
		n++
		if w.grading != nil {
			s.Graded(w.grading.AgentGrade, w.grading.UserGrade)
			if w.grading.firstWord {
				s.Commits++
			}
		}
	}
	if n == 0 {
		return st
	}
	out := st.with(s)
	out.Buffered = n
	return out
}

// merge adds a later retrospective of the same commit to an earlier one.
func (r *Retrospective) merge(later Retrospective) {
	r.Task = cmp.Or(later.Task, r.Task)
	r.AgentNote = cmp.Or(later.AgentNote, r.AgentNote)
	r.UserNote = cmp.Or(later.UserNote, r.UserNote)
	r.AgentGrade = cmp.Or(later.AgentGrade, r.AgentGrade)
	r.UserGrade = cmp.Or(later.UserGrade, r.UserGrade)
	r.ScoreBefore = cmp.Or(later.ScoreBefore, r.ScoreBefore)
	r.ScoreAfter = cmp.Or(later.ScoreAfter, r.ScoreAfter)
	r.At = later.At
}
