package costs

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/sessions/price"
)

// Run is a run of a client on this machine.
type Run struct {
	Client  string
	Session string // the client's id; "" when unknown
	Folder  string // its working folder
	Begun   time.Time
}

// Taken is the use of a run, from the transcript of its session.
type Taken struct {
	Sum
	Model string // model of its last answer
}

// Run reads the use of a run so far from its client's transcript. It returns zero when the client keeps no readable transcript.
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
