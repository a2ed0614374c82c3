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
	// changeChannel is the channel that a transaction with changes notifies.
	changeChannel = "agit_changes"
	// pollHeard is the polling interval of a listener that gets notifications, and pollDeaf that of one behind a pooler that loses
	// them.
	pollHeard = 10 * time.Second
	pollDeaf  = 500 * time.Millisecond
	// rewatch is how long a watcher waits before it dials again.
	rewatch = time.Second
	// lateCommit is how long a number in changes may be missing before it counts as never committed.
	lateCommit = 30 * time.Second
	// looksBack is how many of the last changes a new watcher searches for missing numbers.
	looksBack = 200
)

// Watch listens on a connection of its own. It also polls, rarely while notifications arrive.
func (e *serverEngine) Watch(ctx context.Context, ready func(), heard func([]Change)) error {
	for began := false; ; {
		err := e.listen(ctx, func() { began = true; ready() }, heard)
		switch {
		case ctx.Err() != nil:
			return nil
		case !began || postgres.Judge(err) == postgres.Other || postgres.Judge(err) == postgres.Missing || postgres.Judge(err) == postgres.Denied:
			return e.failure(err)
		}
		select { // the server is unreachable; changes may be missed meanwhile, so ready is called again
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
	// The probe comes back only if no pooler switches connections in between.
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

// waitForChange waits for a notification for a limited time and reports whether one came.
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

// changesAfter reads the changes with higher numbers; a negative number means the last few changes.
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

// feed selects the changes that were not reported yet. Numbers are assigned before transactions commit, so a smaller number may become
// visible after a larger one. The feed waits for a missing number, but reports all visible changes at once.
type feed struct {
	floor   int64               // every number up to it is settled
	done    map[int64]bool      // reported numbers above floor
	missing map[int64]time.Time // numbers below the largest one that are missing, and since when
}

// newFeed begins after the given changes, which are the last ones.
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

// take gets all visible changes above floor, in order, and returns those that it has not returned before.
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
