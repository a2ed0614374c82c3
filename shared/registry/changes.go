package registry

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"
)

// Topics of the change feed.
const (
	TopicRepos     = "repos"
	TopicWorktrees = "worktrees"
	TopicAgents    = "agents"
	TopicTasks     = "tasks"
	TopicConflicts = "conflicts"
	TopicSessions  = "sessions"
	TopicTickets   = "tickets" // tickets, plans, criteria, sprints and what waits to be sent
	TopicPush      = "push"    // commits are about to be pushed
)

// Change is a change under a topic; Subject, when set, names what changed.
type Change struct {
	Seq       int64
	Topic     string
	ProjectID int64
	Subject   string
}

// The feed keeps what a server that was asleep for a while still wants to hear.
const feedRows = 10_000

// Changed notes a change for other processes; it is published by the commit.
// One row per topic and project is written, with the last subject.
func (tx *Tx) Changed(topic string, projectID int64, subject string) {
	tx.saying.Lock()
	defer tx.saying.Unlock()
	for i := range tx.changes {
		if c := &tx.changes[i]; c.Topic == topic && c.ProjectID == projectID {
			if c.Subject != subject {
				c.Subject = ""
			}
			return
		}
	}
	tx.changes = append(tx.changes, Change{Topic: topic, ProjectID: projectID, Subject: subject})
}

func (tx *Tx) writeChanges() error {
	for _, c := range tx.changes {
		seq, err := One[int64](tx.QueryRow(`INSERT INTO changes (at, topic, project_id, subject) VALUES (?, ?, ?, ?) RETURNING seq`,
			tx.Stamp(), c.Topic, NullIfZero(c.ProjectID), c.Subject))
		if err != nil {
			return err
		}
		if seq%256 == 0 {
			if _, err := tx.Exec(`DELETE FROM changes WHERE seq <= ?`, seq-feedRows); err != nil {
				return err
			}
		}
	}
	return nil
}

// watchInterval bounds how often the registry is looked at: PRAGMA data_version
// costs 3 µs, and a person does not notice a fifth of a second.
const watchInterval = 200 * time.Millisecond

// Watch calls ready again when the registry was put back from a copy, and heard in the
// order of the commits. It looks at most five times a second.
func (db *sqliteEngine) Watch(ctx context.Context, ready func(), heard func([]Change)) error {
	w := &watcher{db: db}
	defer w.close()
	if err := w.begin(ctx); err != nil {
		return stopped(ctx, db.failure(err))
	}
	ready()
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		switch fresh, err := w.look(ctx); {
		case errors.Is(err, driver.ErrBadConn): // the file was replaced or is missing
			if w.begin(ctx) == nil {
				ready()
			}
		case err != nil:
			return stopped(ctx, db.failure(err))
		case len(fresh) > 0:
			heard(fresh)
		}
	}
}

// watcher looks for changes on a connection of its own, whose data_version shows cheaply whether another one has committed.
type watcher struct {
	db            *sqliteEngine
	conn          *sql.Conn
	version, last int64
}

func (w *watcher) begin(ctx context.Context) (err error) {
	w.close()
	if err := w.db.enter(ctx, false); err != nil {
		return err
	}
	defer w.db.files.leave()
	if w.conn, err = w.db.reads.Conn(ctx); err != nil {
		return err
	}
	w.version = 0
	return w.conn.QueryRowContext(ctx, `SELECT COALESCE(MAX(seq), 0) FROM changes`).Scan(&w.last)
}

// look returns what was committed since the last look, or ErrBadConn when the connection no longer belongs to the registry.
func (w *watcher) look(ctx context.Context) ([]Change, error) {
	if w.conn == nil || w.db.enter(ctx, false) != nil {
		return nil, driver.ErrBadConn
	}
	defer w.db.files.leave()
	current := false
	if err := w.conn.Raw(func(raw any) error { current = w.db.files.current(raw.(*keeper)); return nil }); err != nil || !current {
		return nil, driver.ErrBadConn
	}
	var now int64
	if err := w.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&now); err != nil || now == w.version {
		return nil, err
	}
	w.version = now
	fresh, err := changesSince(ctx, w.conn, w.last)
	if len(fresh) > 0 {
		w.last = fresh[len(fresh)-1].Seq
	}
	return fresh, err
}

func (w *watcher) close() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// changesSince returns what was noted after a number. That numbers are committed in
// their order holds because a registry's writers take turns. On an engine where they
// run side by side a smaller number may be committed after a larger one was read, and
// would be passed over: there the reader must wait for the gaps below the last one, or
// be told by the engine (LISTEN). See docs/decisions/0009-several-hosts.md.
func changesSince(ctx context.Context, conn *sql.Conn, seq int64) ([]Change, error) {
	rows, err := conn.QueryContext(ctx, `SELECT seq, topic, project_id, subject FROM changes WHERE seq > ? ORDER BY seq`, seq)
	return scanAll(rows, err, func(row Scanner) (c Change, err error) {
		return c, row.Scan(&c.Seq, &c.Topic, Nullable(&c.ProjectID), &c.Subject)
	})
}

// stopped hides the error of a query that ctx cut off.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
