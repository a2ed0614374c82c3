package costs

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/sessions/price"
)

// Run is a run of a client on this machine.
type Run struct {
	Client  string
	Session string // the client's id; "" where it is not known
	Folder  string // in which it works
	Begun   time.Time
}

// Taken is what a run took by the transcript of its session.
type Taken struct {
	Sum
	Model string // of its last answer
}

// Run reads what a run took so far from its client's transcript; that is nothing where the client keeps
// none that can be read.
func (s *Store) Run(ctx context.Context, r Run) (t Taken, err error) {
	table, err := price.Open(s.Table)
	if err != nil {
		return t, err
	}
	answers, err := s.Kept.Read(ctx, r.Begun.Add(-margin))
	if err != nil {
		return t, err
	}
	a := attempt{session: r.Session, path: r.Folder}
	for _, one := range answers {
		e := priced(one, table)
		if e.Client != ClientName(r.Client) || !a.has(&e) {
			continue
		}
		t.add(e)
		t.Model = e.Model
	}
	t.round()
	return t, nil
}
