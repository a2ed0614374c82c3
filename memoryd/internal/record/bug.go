package record

import (
	"context"

	"github.com/agit-suite/agit/shared/registry"
)

// Bug is a report of a bug that an agent made. Its tags are those of the parameters of agent_report_bug.
type Bug struct {
	By     By     `json:"-"`
	Note   string `json:"note,omitempty" also:"description" desc:"What was wrong"` // for warnings to later work
	Commit string `json:"commit,omitempty" also:"commit_hash" is:"name"`           // that introduced it; may be empty

	secrets redacted
}

// Reported is the effect of a bug on an agent.
type Reported struct {
	Status
	// Halts means that this bug took the last score point.
	Halts    bool    `json:"halts"`
	BookedOn Booking `json:"booked_on"`
	Redacted string  `json:"redacted,omitempty" wire:"-"` // kinds of secrets removed before storing
}

func (b *Bug) check() (err error) {
	if b.Commit != "" {
		if b.Commit, err = storedOID(b.Commit); err != nil {
			return err
		}
	}
	return b.secrets.texts(map[string]*string{"note": &b.Note})
}

// Bug takes one score point from an agent and halts it when none is left. A server
// stores it at once, since the next claim depends on it.
func (s *Store) Bug(ctx context.Context, b Bug) (r Reported, err error) {
	if err := b.check(); err != nil {
		return r, err
	}
	err = s.write(ctx, b.By, func(tx *registry.Tx, to booked) error {
		r, err = b.apply(tx, to)
		return err
	})
	return r, err
}

func (b Bug) apply(tx *registry.Tx, to booked) (r Reported, err error) {
	if b.Commit != "" && to.project.ID != 0 {
		if b.Commit, err = knownOID(tx, to.project.ID, b.Commit); err != nil {
			return r, err
		}
	}
	if err := to.tell(tx, event{kind: "bug", dSP: -1, oid: b.Commit, note: b.Note}); err != nil {
		return r, err
	}
	after, err := to.add(tx, delta{sp: -1, bugs: 1})
	if err != nil {
		return r, err
	}
	if after.SP <= 0 && !after.Halted {
		if err := tx.Do(`UPDATE agent_scores SET halted = 1 WHERE agent_id = ?`, to.agent.ID); err != nil {
			return r, err
		}
		r.Halts = true
		if err := to.tell(tx, event{kind: "halt", oid: b.Commit, note: b.Note}); err != nil {
			return r, err
		}
	}
	r.BookedOn, r.Redacted = to.booking(), b.secrets.said()
	r.Status, err = load(tx, to.agent)
	return r, err
}
