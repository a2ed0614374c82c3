package registry

import (
	"context"
	"database/sql"
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
	TopicPush      = "push" // commits are about to be pushed
)

// Change says that something under a topic changed; Subject, when set, is what.
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
		seq, err := tx.changeRow(c)
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

func (tx *Tx) changeRow(c Change) (seq int64, err error) {
	err = tx.QueryRow(`INSERT INTO changes (at, topic, project_id, subject) VALUES (?, ?, ?, ?) RETURNING seq`,
		tx.Stamp(), c.Topic, NullIfZero(c.ProjectID), c.Subject).Scan(&seq)
	return seq, err
}

// watchInterval bounds how often the registry is looked at: PRAGMA data_version
// costs 3 µs, and a person does not notice a fifth of a second.
const watchInterval = 200 * time.Millisecond

// Watch calls ready once it listens, then heard with what any process has
// committed since the last call, in order, until ctx ends. It looks at most
// five times a second.
func (db *DB) Watch(ctx context.Context, ready func(), heard func([]Change)) error {
	conn, err := db.reads.Conn(ctx)
	if err != nil {
		return db.failure(err)
	}
	defer conn.Close()
	var version, last int64
	if err := conn.QueryRowContext(ctx, `SELECT COALESCE(MAX(seq), 0) FROM changes`).Scan(&last); err != nil {
		return db.failure(err)
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
		var now int64
		if err := conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&now); err != nil {
			return stopped(ctx, db.failure(err))
		}
		if now == version {
			continue
		}
		version = now
		fresh, err := changesSince(ctx, conn, last)
		if err != nil {
			return stopped(ctx, db.failure(err))
		}
		if len(fresh) > 0 {
			last = fresh[len(fresh)-1].Seq
			heard(fresh)
		}
	}
}

func changesSince(ctx context.Context, conn *sql.Conn, seq int64) ([]Change, error) {
	rows, err := conn.QueryContext(ctx, `SELECT seq, topic, project_id, subject FROM changes WHERE seq > ? ORDER BY seq`, seq)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []Change
	for rows.Next() {
		var c Change
		var project Null[int64]
		if err := rows.Scan(&c.Seq, &c.Topic, &project, &c.Subject); err != nil {
			return nil, err
		}
		c.ProjectID = project.V
		found = append(found, c)
	}
	return found, rows.Err()
}

// stopped hides the error of a query that ctx cut off.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
