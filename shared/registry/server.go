package registry

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry/internal/postgres"
)

// serverEngine is a registry in a PostgreSQL database. A write takes a shared lock on the registry's row in write_locks and an
// exclusive lock on the row of each project that it names; a write to everything takes an exclusive lock on the registry's row. The
// start of a transaction is one message to the server, and so is its end.
type serverEngine struct {
	server  *postgres.Server
	pool    *sql.DB
	path    string
	serving bool
	notice  func(string)
	log     *slog.Logger
	reached atomic.Bool // this process has reached the server before
}

const (
	// serverConnections bounds the connections of one process, because they are expensive for a server.
	serverConnections = 3
	// idleConnection is how long a server process keeps an unused connection.
	idleConnection = 30 * time.Second

	// mostAhead bounds the statements that are held back and sent with the next one, as in an import.
	mostAhead = 200

	// Rows of write_locks that do not belong to a project.
	registryLock = 0
)

// openServer returns the registry at o.Server. The first transaction contacts the server and finds out in one round trip whether tables
// are missing or old.
func openServer(o Options) (*serverEngine, error) {
	server, err := postgres.Parse(o.Server)
	if err != nil {
		return nil, fault.Validation("database.path", "the registry's URL %q cannot be read: %v", postgres.Redacted(o.Server), err).
			WithHint("write it as postgres://HOST/DATABASE; the password belongs in PGPASSWORD or ~/.pgpass")
	}
	e := &serverEngine{
		server: server, pool: sql.OpenDB(server), path: o.Path, serving: o.Readers > 0,
		notice: o.Notice, log: o.Log,
	}
	e.pool.SetMaxOpenConns(serverConnections)
	e.pool.SetMaxIdleConns(serverConnections)
	if e.serving {
		e.pool.SetConnMaxIdleTime(idleConnection)
	}
	return e, nil
}

func (e *serverEngine) Name() string { return e.server.Name() }

func (e *serverEngine) Close() error { return e.pool.Close() }

// CloseAtExit leaves the connection open until the process ends, which the server notices by itself.
func (e *serverEngine) CloseAtExit() error { return nil }

func (e *serverEngine) Rest(context.Context) error { return nil }

// Leftovers are copies of files that were merged or moved into this registry.
func (e *serverEngine) Leftovers() []string { return leftovers(filepath.Dir(e.path)) }

// settings apply to one transaction, so that a pooler may reuse the connection. The server ends the transaction of a vanished client
// after idleTransaction, which releases its locks.
func (e *serverEngine) settings() string {
	s := fmt.Sprintf(`SELECT set_config('lock_timeout', '%dms', true), set_config('idle_in_transaction_session_timeout', '%dms', true)`,
		busyTimeout.Milliseconds(), idleTransaction.Milliseconds())
	if schema := e.server.Schema(); schema != "" {
		s += `, set_config('search_path', ` + postgres.Quote(postgres.QuoteName(schema)) + `, true)`
	}
	return s
}

const idleTransaction = time.Minute

// standingOfServer asks for the transaction's time and the schema's version.
const standingOfServer = `SELECT set_config('agit.now', ` + serverNow + `, true), (SELECT value FROM registry_meta WHERE key = 'schema_version')`

// guardOfSchema fails with an older or newer schema.
var guardOfSchema = fmt.Sprintf(`SELECT 1 / (SELECT COUNT(*) FROM registry_meta WHERE key = 'schema_version' AND value = '%d')`, SchemaVersion)

// timeOfServer returns the time of the transaction in the registry's format.
const timeOfServer = `current_setting('agit.now')`

func (e *serverEngine) read(ctx context.Context, fn func(*Tx) error) error {
	return e.transact(ctx, e.beginRead(), func(tx *Tx, conn *postgres.Conn) error { return e.reading(ctx, tx, conn, fn) })
}

func (e *serverEngine) beginRead() []string {
	return []string{`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`, e.settings(), standingOfServer}
}

// reading runs fn in a transaction that only reads, and ends that.
func (e *serverEngine) reading(ctx context.Context, tx *Tx, conn *postgres.Conn, fn func(*Tx) error) error {
	if err := fn(tx); err != nil {
		return err
	}
	if err := conn.Opened(ctx); err != nil {
		return err
	}
	if !e.serving {
		conn.Later(`COMMIT`)
		return nil
	}
	_, err := conn.Batch(context.WithoutCancel(ctx), `COMMIT`)
	return err
}

func (e *serverEngine) write(ctx context.Context, scope Scope, fn func(*Tx) error) error {
	return e.writing(ctx, scope, fn, func(tx *Tx, conn *postgres.Conn) error {
		return e.commit(context.WithoutCancel(ctx), tx, conn)
	})
}

// writeThenRead has the write end together with the first questions of the read.
func (e *serverEngine) writeThenRead(ctx context.Context, scope Scope, fn, read func(*Tx) error) (stored bool, err error) {
	err = e.writing(ctx, scope, fn, func(tx *Tx, conn *postgres.Conn) error {
		mark, statements, after := e.ending(tx)
		end, err := conn.EndLater(statements, after)
		if err != nil {
			return err
		}
		next := e.transaction(ctx, tx.conn, conn, e.beginRead())
		failed := e.reading(ctx, next, conn, read)
		if !end.Sent { // the read asked nothing, and failed
			conn.Flush(ctx)
		}
		if lost := end.Err(); lost != nil {
			if postgres.Judge(lost) != postgres.Lost {
				return lost
			}
			if err := e.judgedByMark(context.WithoutCancel(ctx), tx, conn, mark, lost); err != nil {
				return err
			}
		}
		stored = true
		return failed
	})
	return stored, err
}

// writing runs fn in a transaction that changes what scope names, and then end, which ends it.
func (e *serverEngine) writing(ctx context.Context, scope Scope, fn func(*Tx) error, end func(*Tx, *postgres.Conn) error) error {
	return e.transact(ctx, e.beginWrite(scope), func(tx *Tx, conn *postgres.Conn) error {
		held := &projectLocks{conn: conn, claims: scope.claims, all: scope.all}
		if scope.Project != 0 {
			held.held = append(held.held, scope.Project)
		}
		tx.lock = func(_ context.Context, project int64) error {
			return tx.conn.Raw(func(any) error { held.take(project); return nil })
		}
		if err := fn(tx); err != nil {
			return err
		}
		if err := conn.Failed(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return end(tx, conn)
	})
}

// beginWrite uses READ COMMITTED, so that a write sees the rows as they are when it gets the lock. A project has no row before its
// first write.
func (e *serverEngine) beginWrite(scope Scope) []string {
	how := `FOR SHARE`
	if scope.all && !scope.claims {
		how = `FOR UPDATE`
	}
	begin := []string{`BEGIN ISOLATION LEVEL READ COMMITTED`, e.settings(), lockRow(registryLock, how)}
	if scope.Project != 0 && !scope.claims {
		begin = append(begin, makeLock(scope.Project), lockRow(scope.Project, `FOR UPDATE`))
	}
	return append(begin, standingOfServer)
}

func makeLock(project int64) string {
	return `INSERT INTO write_locks (project_id) VALUES (` + strconv.FormatInt(project, 10) + `) ON CONFLICT DO NOTHING`
}

func lockRow(project int64, how string) string {
	return `SELECT 1 FROM write_locks WHERE project_id = ` + strconv.FormatInt(project, 10) + ` ` + how
}

// projectLocks are the locks that a write holds.
type projectLocks struct {
	conn   *postgres.Conn
	claims bool
	all    bool
	held   []int64
}

// take locks a project until the end of the transaction, before its next statement runs.
func (l *projectLocks) take(project int64) {
	if project == 0 || l.claims || l.all || slices.Contains(l.held, project) {
		return
	}
	l.conn.Ahead(postgres.Query{Text: makeLock(project)})
	l.conn.Ahead(postgres.Query{Text: lockRow(project, `FOR UPDATE`)})
	l.held = append(l.held, project)
}

// transact runs fn in a transaction. The statements in begin are sent with the first statement of fn; the last answer to begin is that
// of standingOfServer. fn ends the transaction.
func (e *serverEngine) transact(ctx context.Context, begin []string, fn func(*Tx, *postgres.Conn) error) error {
	migrated := false
	for {
		err := e.transactOnce(ctx, begin, fn)
		if _, old := errors.AsType[olderSchema](err); !old || migrated {
			return err
		}
		if err := e.migrate(ctx); err != nil {
			return err
		}
		migrated = true
	}
}

// olderSchema means that a transaction found missing or old tables.
type olderSchema struct{ cause error }

func (o olderSchema) Error() string { return "the registry's tables are missing or old" }
func (o olderSchema) Unwrap() error { return o.cause }

func (e *serverEngine) transactOnce(ctx context.Context, begin []string, fn func(*Tx, *postgres.Conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	conn, err := e.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // returns it to the pool
	var raw *postgres.Conn
	if err := conn.Raw(func(c any) error { raw = c.(*postgres.Conn); return nil }); err != nil {
		return err
	}
	tx := e.transaction(ctx, conn, raw, begin)
	err = fn(tx, raw)
	if failed := raw.Failed(); failed != nil { // even if fn has ignored it
		err = failed
		if postgres.Judge(failed) == postgres.Missing {
			err = olderSchema{failed}
		}
	}
	if err != nil {
		e.undo(conn, raw)
	}
	return err
}

// transaction is one that begins with the next statement on a connection.
func (e *serverEngine) transaction(ctx context.Context, conn *sql.Conn, raw *postgres.Conn, begin []string) *Tx {
	tx := &Tx{ctx: ctx, conn: conn, log: e.log, server: true}
	tx.ahead = func(q postgres.Query) error {
		return conn.Raw(func(any) error {
			raw.Ahead(q)
			if raw.Waiting() < mostAhead {
				return nil
			}
			_, err := raw.Ask(ctx, nil)
			return err
		})
	}
	tx.opened = func() error {
		return conn.Raw(func(any) error { _ = raw.Opened(ctx); return nil }) // keeps the error
	}
	raw.Open(begin, guardOfSchema, func(answers [][][]string) error {
		e.reached.Store(true)
		now, version, err := readStanding(answers)
		tx.now = now
		if err == nil && version != SchemaVersion {
			err = e.otherSchema(version)
		}
		return err
	})
	return tx
}

func readStanding(answers [][][]string) (now time.Time, version int, err error) {
	row := answers[len(answers)-1][0]
	if now, err = time.Parse(time.RFC3339, row[0]); err != nil {
		return now, 0, err
	}
	if row[1] != "" {
		version, err = strconv.Atoi(row[1])
	}
	return now, version, err
}

func (e *serverEngine) otherSchema(version int) error {
	if version > SchemaVersion {
		f := newerSchema(version)
		f.Message = fmt.Sprintf("the registry %q has schema %d, newer than this program's %d: another host upgraded it", e.Name(), version, SchemaVersion)
		return f
	}
	return olderSchema{}
}

// undo rolls a transaction back. If that fails it closes the connection, which has the same effect.
func (e *serverEngine) undo(conn *sql.Conn, raw *postgres.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), busyTimeout)
	defer cancel()
	if err := raw.Undo(ctx); err != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}

// commit ends a write with one message: the changes, the mark of the transaction, COMMIT, and the notification. A write that asked
// nothing, and only left statements to go along, is that message alone. If the answer is lost, the
// mark shows whether the transaction was committed.
//
// The notification is not part of the transaction, because the server lets only one transaction with a notification commit at a time, and
// that one syncs its log meanwhile. A listener that misses one finds the changes when it looks again.
func (e *serverEngine) commit(ctx context.Context, tx *Tx, conn *postgres.Conn) error {
	mark, all, after := e.ending(tx)
	err := conn.End(ctx, all, after)
	if postgres.Judge(err) != postgres.Lost {
		return err
	}
	return e.judgedByMark(ctx, tx, conn, mark, err)
}

// judgedByMark is whatBecameOf for the transaction of a connection that ended with the answer to COMMIT. Where that was also the answer to
// BEGIN, the connection counts the transaction as not begun, which would have it run again.
func (e *serverEngine) judgedByMark(ctx context.Context, tx *Tx, conn *postgres.Conn, mark string, lost error) error {
	e.undo(tx.conn, conn)
	return e.whatBecameOf(ctx, mark, lost)
}

// ending returns the mark of a write, the statements that end it, and those that follow.
func (e *serverEngine) ending(tx *Tx) (mark string, all, after []string) {
	mark = NewUID()
	all = []string{fmt.Sprintf(`INSERT INTO write_marks (mark, at) VALUES (%s, `+timeOfServer+`)`, postgres.Quote(mark))}
	for _, c := range tx.changes {
		project := `NULL`
		if c.ProjectID != 0 {
			project = strconv.FormatInt(c.ProjectID, 10)
		}
		all = append(all, fmt.Sprintf(`INSERT INTO changes (at, topic, project_id, subject) VALUES (`+timeOfServer+`, %s, %s, %s)`,
			postgres.Quote(c.Topic), project, postgres.Quote(c.Subject)))
	}
	if len(tx.changes) > 0 {
		after = []string{`NOTIFY ` + changeChannel}
	}
	if rand.IntN(tidyOneIn) == 0 {
		all = append(all, tidying(tx.Now())...)
	}
	return mark, append(all, `COMMIT`), after
}

// tidyOneIn is the number of writes after which one removes outdated rows, on average.
const tidyOneIn = 256

// tidying removes old marks and changes. After that, a repeated move can no longer tell that nothing was written since.
func tidying(now time.Time) []string {
	yesterday := postgres.Quote(FormatTime(now.Add(-24 * time.Hour)))
	return []string{
		fmt.Sprintf(`DELETE FROM registry_meta WHERE key = '%s' AND value < %s`, keyMoved, yesterday),
		`DELETE FROM write_marks WHERE at < ` + yesterday,
		fmt.Sprintf(`DELETE FROM changes WHERE seq <= (SELECT MAX(seq) FROM changes) - %d`, feedRows),
	}
}

// whatBecameOf finds out whether the transaction with a mark was committed. It inserts the same mark, which waits for a transaction
// that still runs and prevents a late one from committing. It returns nil if the transaction was committed, and err otherwise.
func (e *serverEngine) whatBecameOf(ctx context.Context, mark string, lost error) error {
	for try := 1; ; try++ {
		taken, err := e.takeMark(ctx, mark)
		switch {
		case err == nil && taken:
			return lost
		case err == nil:
			return nil
		case !e.again(ctx, err, true, try):
			return fault.Database(err, "the connection to the registry %q ended while a change was being stored, and the server does not answer: it is not known whether the change is stored", e.Name()).
				WithHint("check whether the change was stored before making it again")
		}
	}
}

func (e *serverEngine) takeMark(ctx context.Context, mark string) (taken bool, err error) {
	conn, err := e.server.Dial(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	answers, err := conn.Batch(ctx, `BEGIN; `+e.settings()+`; INSERT INTO write_marks (mark, at) VALUES (`+postgres.Quote(mark)+`, `+serverNow+`) ON CONFLICT DO NOTHING RETURNING 1; COMMIT`)
	if err != nil {
		return false, err
	}
	return len(answers[len(answers)-2]) == 1, nil
}

// patience bounds how often a process that has reached the server before tries again, at growing intervals: about half a minute in
// total.
const patience = 18

// again waits before the next try of a transaction.
func (e *serverEngine) again(ctx context.Context, err error, _ bool, try int) bool {
	if ctx.Err() != nil {
		return false
	}
	if _, final := errors.AsType[*fault.Fault](err); final {
		return false
	}
	var wait time.Duration
	switch postgres.Judge(err) {
	case postgres.Conflict:
		if try > 12 {
			return false
		}
		wait = time.Duration(try) * 5 * time.Millisecond
	case postgres.Unreachable:
		if !e.reached.Load() {
			return false
		}
		fallthrough
	case postgres.Lost, postgres.Busy:
		if try > patience {
			return false
		}
		wait = min(time.Duration(try)*200*time.Millisecond, 2*time.Second)
	default:
		if !errors.Is(err, driver.ErrBadConn) || try > 3 {
			return false
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// failure converts an error of the server to a fault by its code.
func (e *serverEngine) failure(err error) error {
	if err == nil {
		return nil
	}
	if _, already := errors.AsType[*fault.Fault](err); already {
		return err
	}
	cause := postgres.Briefly(err)
	switch postgres.Judge(err) {
	case postgres.Unreachable, postgres.Lost:
		return fault.Provider(cause, "the registry's server %q cannot be reached; nothing was changed", e.Name()).
			WithHint("check the network and that the server runs, then try again").Retry()
	case postgres.Busy:
		return fault.Provider(cause, "the registry's server %q takes no connection now", e.Name()).WithHint("try again in a moment").Retry()
	case postgres.Refused:
		return fault.Database(cause, "the registry's server %q refused the login", e.Name()).
			WithHint("check the name and the database in the URL, and the password in PGPASSWORD or ~/.pgpass")
	case postgres.Conflict, postgres.Waiting:
		return fault.Database(cause, "rows of the registry %q stayed locked by others for too long", e.Name()).WithHint("try again").Retry()
	case postgres.Denied:
		return fault.Database(cause, "the registry's server %q does not allow it", e.Name()).
			WithHint("ask the administrator of the database for a schema of the role's own, or for `agit db grant ROLE --write`")
	case postgres.ReadOnly:
		return fault.Database(cause, "the registry's server %q takes no changes", e.Name()).WithHint("name the server that is the primary").Retry()
	case postgres.Full:
		return fault.Database(cause, "the registry's server %q has no room", e.Name()).WithHint("nothing stored was lost; make room on the server")
	}
	if postgres.Said(err) != "" {
		return fault.Database(cause, "the registry refused a statement")
	}
	return err
}
