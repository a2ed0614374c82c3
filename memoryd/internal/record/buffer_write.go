package record

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/registry"
)

// now is the time of a write that is stored later, as the registry keeps times.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// Status says how an agent stands, with what is pending.
func (b *Buffer) Status(ctx context.Context, nameOrID string) (st Status, err error) {
	release, err := b.own(ctx)
	if err != nil {
		return st, err
	}
	defer release()
	st, err = b.store.Status(ctx, nameOrID)
	return b.pending.over(st), err
}

// List says how every agent stands, with what is pending.
func (b *Buffer) List(ctx context.Context) ([]Status, error) {
	release, err := b.own(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	all, err := b.store.List(ctx)
	for i := range all {
		all[i] = b.pending.over(all[i])
	}
	return all, err
}

// Bug stores a bug at once, after everything that was said before it.
func (b *Buffer) Bug(ctx context.Context, bug Bug) (Reported, error) {
	release, err := b.own(ctx)
	if err != nil {
		return Reported{}, err
	}
	defer release()
	if err := b.flush(ctx); err != nil {
		return Reported{}, err
	}
	return b.store.Bug(ctx, bug)
}

// Use counts uses.
func (b *Buffer) Use(ctx context.Context, u Use) (st Status, err error) {
	if err := u.check(); err != nil {
		return st, err
	}
	release, err := b.own(ctx)
	if err != nil {
		return st, err
	}
	defer release()
	if b.closed {
		return b.store.Use(ctx, u)
	}
	err = b.take(ctx, u.By, func(tx *registry.Tx, to booked) error {
		if st, err = load(tx, to.agent); err != nil {
			return err
		}
		key := useKey(to, u.Kind)
		if w := b.pending.get(key); w != nil {
			w.use.Times += u.Times
		} else {
			b.pending.put(&write{to: to, key: key, use: &u})
		}
		st = b.pending.over(st)
		return nil
	})
	return st, err
}

// Commit keeps a commit.
func (b *Buffer) Commit(ctx context.Context, c Commit) (Commit, error) {
	if err := c.check(); err != nil {
		return c, err
	}
	release, err := b.own(ctx)
	if err != nil {
		return c, err
	}
	defer release()
	if b.closed {
		return b.store.Commit(ctx, c)
	}
	if c.At.IsZero() {
		c.At = now()
	}
	err = b.take(ctx, c.By, func(tx *registry.Tx, to booked) (err error) {
		c.book(to)
		if c.New, err = b.unheard(tx, to, c.OID); err != nil {
			return err
		}
		key := commitKey(to, c.OID)
		if w := b.pending.get(key); w != nil {
			kept := c
			kept.New = w.commit.New
			w.commit = &kept
			return nil
		}
		kept := c
		b.pending.put(&write{to: to, key: key, commit: &kept})
		return nil
	})
	return c, err
}

// unheard reports whether nothing is known of a commit, here or in the registry.
func (b *Buffer) unheard(tx *registry.Tx, to booked, oid string) (bool, error) {
	if b.pending.get(commitKey(to, oid)) != nil {
		return false, nil
	}
	for _, w := range b.pending.writes {
		if w.grading != nil && w.to.project.ID == to.project.ID && w.grading.Commit == oid {
			return false, nil
		}
	}
	n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM commits WHERE project_id = ? AND oid = ?`, to.project.ID, oid))
	return n == 0, err
}

// Grade keeps the grades of a commit. A second grade of it is refused, also of one
// that is only pending.
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
		if w := b.pending.get(key); w != nil {
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
		out = Graded{Agent: to.agent.Name, Project: to.project.UID, Commit: g.Commit, Task: g.Task,
			AgentGrade: g.AgentGrade, UserGrade: g.UserGrade, ScoreBefore: standing.CS, Status: b.pending.over(before)}
		out.ScoreAfter, out.LevelUp = out.Status.CS, out.Status.SP > standing.SP
		return nil
	})
	return out, err
}

// subject is what is known of a commit's first line.
func (b *Buffer) subject(tx *registry.Tx, to booked, g Grading) string {
	if g.Subject != "" {
		return g.Subject
	}
	if w := b.pending.get(commitKey(to, g.Commit)); w != nil {
		return w.commit.Subject
	}
	subject, _ := registry.One[string](tx.QueryRow(`SELECT subject FROM commits WHERE project_id = ? AND oid = ?`, to.project.ID, g.Commit))
	return subject
}

// Retrospect keeps a retrospective; of a commit the last word holds.
func (b *Buffer) Retrospect(ctx context.Context, r Retrospective) (Retrospective, error) {
	if err := r.check(); err != nil {
		return r, err
	}
	release, err := b.own(ctx)
	if err != nil {
		return r, err
	}
	defer release()
	if b.closed {
		return b.store.Retrospect(ctx, r)
	}
	if r.At.IsZero() {
		r.At = now()
	}
	err = b.take(ctx, r.By, func(tx *registry.Tx, to booked) (err error) {
		if r.Commit, err = knownOID(tx, to.project.ID, r.Commit); err != nil {
			return err
		}
		r.book(to)
		kept := r
		key := ""
		if r.Commit != "" {
			key = retrospectiveKey(to, r.Commit)
		}
		if w := b.pending.get(key); w != nil && key != "" {
			w.retrospective.merge(r)
			kept = *w.retrospective
		} else {
			b.pending.put(&write{to: to, key: key, retrospective: &kept})
		}
		r = kept // the answer is what will be stored, as far as it is known now
		return b.answer(tx, to, &r)
	})
	return r, err
}

// answer completes a retrospective as storing it will.
func (b *Buffer) answer(tx *registry.Tx, to booked, r *Retrospective) error {
	if w := b.pending.get(gradeKey(to, r.Commit)); w != nil {
		if r.AgentGrade == 0 {
			r.AgentGrade = w.grading.AgentGrade
		}
		if r.UserGrade == 0 {
			r.UserGrade = w.grading.UserGrade
		}
	}
	given := [2]bool{r.ScoreBefore != nil, r.ScoreAfter != nil}
	if err := r.complete(tx, to); err != nil {
		return err
	}
	st, err := load(tx, to.agent)
	if err != nil {
		return err
	}
	cs := b.pending.over(st).CS
	if !given[0] {
		r.ScoreBefore = &cs
	}
	if !given[1] {
		after := cs
		r.ScoreAfter = &after
	}
	return nil
}

// Log keeps an activity.
func (b *Buffer) Log(ctx context.Context, a Activity) (Activity, error) {
	if err := a.check(); err != nil {
		return a, err
	}
	release, err := b.own(ctx)
	if err != nil {
		return a, err
	}
	defer release()
	if b.closed {
		return b.store.Log(ctx, a)
	}
	a.ID = registry.NewUID()
	if a.At.IsZero() {
		a.At = now()
	}
	err = b.take(ctx, a.By, func(_ *registry.Tx, to booked) error {
		a.book(to)
		kept := a
		b.pending.put(&write{to: to, activity: &kept})
		return nil
	})
	return a, err
}

// Pending gives the retrospectives, activities and commits that are taken and not
// yet stored, for searches that look into the registry.
func (b *Buffer) Pending(ctx context.Context) (rs []Retrospective, as []Activity, cs []Commit) {
	release, err := b.own(ctx)
	if err != nil {
		return nil, nil, nil
	}
	defer release()
	for _, w := range b.pending.writes {
		switch {
		case w.retrospective != nil:
			rs = append(rs, *w.retrospective)
		case w.grading != nil:
			g := w.grading
			rs = append(rs, Retrospective{Commit: g.Commit, Task: g.Task, AgentGrade: g.AgentGrade, UserGrade: g.UserGrade,
				AgentNote: g.AgentNote, UserNote: g.UserNote, At: now(), Project: w.to.project.UID, Agent: w.to.agent.Name, Scope: w.to.scope})
		case w.activity != nil:
			as = append(as, *w.activity)
		case w.commit != nil:
			cs = append(cs, *w.commit)
		}
	}
	return rs, as, cs
}
