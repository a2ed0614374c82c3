package registry

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agit-suite/agit/shared/registry/internal/postgres"
)

const (
	// changeChannel is what a transaction with changes notifies.
	changeChannel = "agit_changes"
	// pollHeard is how often changes are looked for by a listener that is notified, and
	// pollDeaf by one behind a pooler that loses notifications.
	pollHeard = 10 * time.Second
	pollDeaf  = 500 * time.Millisecond
	// rewatch is how long a watcher waits before it dials again.
	rewatch = time.Second
	// lateCommit is how long a number in changes may be missing before it counts as one
	// that was never committed.
	lateCommit = 30 * time.Second
	// looksBack is how many of the last changes a watcher that begins looks through for
	// numbers that are still missing.
	looksBack = 200
)

// watch listens on a connection of its own. It also looks by itself, rarely while
// notifications arrive.
func (e *serverEngine) watch(ctx context.Context, ready func(), heard func([]Change)) error {
	for began := false; ; {
		err := e.listen(ctx, func() { began = true; ready() }, heard)
		switch {
		case ctx.Err() != nil:
			return nil
		case !began || postgres.Judge(err) == postgres.Other || postgres.Judge(err) == postgres.Missing || postgres.Judge(err) == postgres.Denied:
			return e.failure(err)
		}
		select { // the server is away: what it stored meanwhile may be missed, so that ready is called again
		case <-ctx.Done():
			return nil
		case <-time.After(rewatch):
		}
	}
}

// listen reports changes until the connection breaks or ctx ends.
func (e *serverEngine) listen(ctx context.Context, ready func(), heard func([]Change)) error {
	conn, err := e.server.Dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// The probe comes back where nothing stands between that hands connections around.
	if _, err := conn.Batch(ctx, `LISTEN `+changeChannel+`; NOTIFY `+changeChannel); err != nil {
		return err
	}
	last, err := e.changesAfter(ctx, conn, -1)
	if err != nil {
		return err
	}
	f := newFeed(last)
	ready()
	poll := pollDeaf
	for {
		woken, err := waitForChange(ctx, conn, poll)
		if err != nil {
			return err
		}
		if woken {
			poll = pollHeard
		}
		if f.isWaiting() {
			poll = pollDeaf
		}
		rows, err := e.changesAfter(ctx, conn, f.floor)
		if err != nil {
			return err
		}
		if fresh := f.take(rows, time.Now()); len(fresh) > 0 {
			heard(fresh)
		}
	}
}

// waitForChange waits for a notification for some time and reports whether one came.
func waitForChange(ctx context.Context, conn *postgres.Conn, limit time.Duration) (bool, error) {
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := conn.Raw().WaitForNotification(waiting)
	switch {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	case pgconn.Timeout(err) || errors.Is(err, context.DeadlineExceeded):
		return false, nil
	}
	return false, err
}

// changesAfter reads the changes with higher numbers; with a negative one the last few.
func (e *serverEngine) changesAfter(ctx context.Context, conn *postgres.Conn, seq int64) ([]Change, error) {
	query := `SELECT seq, topic, COALESCE(project_id, 0), subject FROM changes WHERE seq > ` + itoa(seq) + ` ORDER BY seq`
	if seq < 0 {
		query = `SELECT seq, topic, COALESCE(project_id, 0), subject FROM (SELECT * FROM changes ORDER BY seq DESC LIMIT ` + itoa(looksBack) + `) c ORDER BY seq`
	}
	answers, err := conn.Batch(ctx, `BEGIN READ ONLY; `+e.settings()+`; `+query+`; COMMIT`)
	if err != nil {
		return nil, err
	}
	rows := answers[len(answers)-2]
	changes := make([]Change, len(rows))
	for i, row := range rows {
		changes[i] = Change{Seq: atoi(row[0]), Topic: row[1], ProjectID: atoi(row[2]), Subject: row[3]}
	}
	return changes, nil
}

// feed picks out what was not reported yet. Numbers are given out before transactions
// commit, so that a smaller one may become visible after a larger one: a number that is
// missing is waited for, and everything that is there is reported at once.
type feed struct {
	floor   int64               // every number up to it is done with
	done    map[int64]bool      // those above it that were reported
	missing map[int64]time.Time // those below the largest that were not there, since when
}

// newFeed begins after some changes, the last there are.
func newFeed(last []Change) *feed {
	f := &feed{done: map[int64]bool{}, missing: map[int64]time.Time{}}
	if len(last) > 0 {
		f.floor = last[0].Seq - 1
		f.take(last, time.Now())
	}
	return f
}

// isWaiting reports whether a number is missing.
func (f *feed) isWaiting() bool { return len(f.missing) > 0 }

// take is given all changes above floor that are there, in order, and returns those that
// it did not return before.
func (f *feed) take(rows []Change, now time.Time) []Change {
	var fresh []Change
	next := f.floor + 1
	for _, c := range rows {
		for ; next < c.Seq; next++ {
			if _, known := f.missing[next]; !known && !f.done[next] {
				f.missing[next] = now
			}
		}
		next = c.Seq + 1
		delete(f.missing, c.Seq)
		if !f.done[c.Seq] {
			f.done[c.Seq] = true
			fresh = append(fresh, c)
		}
	}
	for seq, since := range f.missing {
		if now.Sub(since) > lateCommit {
			delete(f.missing, seq)
			f.done[seq] = true
		}
	}
	for f.done[f.floor+1] {
		f.floor++
		delete(f.done, f.floor)
	}
	return slices.Clip(fresh)
}
