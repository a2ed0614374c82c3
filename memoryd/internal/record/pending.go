package record

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

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
