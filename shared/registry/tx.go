package registry

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/registry/internal/postgres"
	"github.com/agit-suite/agit/shared/timestamp"
)

// ErrNoRows is what Row.Scan returns when the query matched nothing.
var ErrNoRows = sql.ErrNoRows

// Null is a column that may be NULL.
type Null[T any] = sql.Null[T]

// NullIfZero stores the zero value of T as NULL.
func NullIfZero[T comparable](v T) Null[T] {
	var zero T
	return Null[T]{V: v, Valid: v != zero}
}

// Nullable is a destination of Scan for a column that may be NULL, which is read as the zero value of T.
func Nullable[T any](to *T) sql.Scanner { return nullable[T]{to} }

type nullable[T any] struct{ to *T }

// Scan implements sql.Scanner.
func (n nullable[T]) Scan(stored any) error {
	var v sql.Null[T]
	err := v.Scan(stored)
	*n.to = v.V
	return err
}

// Scanner is a row whose columns can be read.
type Scanner interface{ Scan(dest ...any) error }

// Tx is a running transaction. All its rows share one time.
type Tx struct {
	ctx        context.Context
	conn       *sql.Conn
	log        *slog.Logger
	now        time.Time
	changes    []Change
	notices    []string
	statements statements
	explain    func(statement string, plan []string)
	confined   *confinement // of a write to a strict registry, else nil

	// Of a transaction on a server.
	server bool
	crowd  *crowd // of functions that run together, while they do
	clock  sync.Mutex
	saying sync.Mutex                                     // for changes and notices of functions that run together
	ahead  func(postgres.Query) error                     // to go along with the next statement
	trying int                                            // attempts that are being made
	opened func() error                                   // begins it, unless its first statement has
	lock   func(ctx context.Context, project int64) error // nil in a read
}

// Context is the transaction's context, for helpers that need one.
func (tx *Tx) Context() context.Context { return tx.ctx }

// Now is the one time of this transaction, UTC, whole milliseconds. A server that cannot be
// asked for its time is the error of the next statement, and of the transaction.
func (tx *Tx) Now() time.Time {
	if !tx.server {
		return tx.now
	}
	tx.clock.Lock()
	defer tx.clock.Unlock()
	if tx.now.IsZero() {
		_ = tx.opened()
	}
	return tx.now
}

// Notice shows a sentence to the user once the transaction is committed.
func (tx *Tx) Notice(format string, args ...any) {
	tx.saying.Lock()
	defer tx.saying.Unlock()
	tx.notices = append(tx.notices, fmt.Sprintf(format, args...))
}

// OnServer reports whether the registry is on a server, for the few statements that
// each engine has of its own.
func (tx *Tx) OnServer() bool { return tx.server }

// Attempt runs fn. When fn fails, its changes are undone and the transaction goes on. Outside of
// Attempt, on a server, the error of a statement ends the transaction.
func (tx *Tx) Attempt(fn func() error) error {
	if !tx.server {
		return fn()
	}
	if _, err := tx.conn.ExecContext(tx.ctx, `SAVEPOINT attempt`); err != nil {
		return err
	}
	tx.trying++
	defer func() { tx.trying-- }()
	if err := fn(); err != nil {
		if _, undone := tx.conn.ExecContext(tx.ctx, `ROLLBACK TO SAVEPOINT attempt`); undone != nil {
			return undone
		}
		return err
	}
	_, err := tx.conn.ExecContext(tx.ctx, `RELEASE SAVEPOINT attempt`)
	return err
}

// SkipLocked is what ends a SELECT that takes a row of a table, under the name that the
// statement has for it: on a server it locks the row and passes over those that others
// have. It is empty where a write has the whole registry.
func (tx *Tx) SkipLocked(name string) string {
	if !tx.server {
		return ""
	}
	return ` FOR UPDATE OF ` + name + ` SKIP LOCKED`
}

// Locked is SkipLocked that waits for rows which others have.
func (tx *Tx) Locked(name string) string {
	if !tx.server {
		return ""
	}
	return ` FOR UPDATE OF ` + name
}

// Stamp is Now as stored.
func (tx *Tx) Stamp() string { return FormatTime(tx.Now()) }

// Time is Stamp as an argument of a statement. Unless the server's time is known already, the
// server fills it in itself. That saves a round trip when this is a transaction's first statement.
func (tx *Tx) Time() any {
	if tx.server {
		tx.clock.Lock()
		defer tx.clock.Unlock()
		if tx.now.IsZero() {
			return postgres.Expression(timeOfServer)
		}
	}
	return FormatTime(tx.now)
}

// Exec runs a statement and says how many rows it changed.
func (tx *Tx) Exec(query string, args ...any) (int64, error) {
	query, args = postgres.Placed(query, args)
	statement, err := tx.take(query, args)
	if err != nil {
		return 0, err
	}
	defer tx.give(query, statement)
	ctx, err := tx.asking(query, args)
	if err != nil {
		return 0, err
	}
	result, err := statement.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Do runs a statement whose effect is needed by the end of the transaction, and of which
// nothing but an error is of interest. On a server it goes along with the next statement,
// which has the error then; so it is not for what is expected to fail.
func (tx *Tx) Do(query string, args ...any) error {
	if !tx.server || tx.trying > 0 {
		_, err := tx.Exec(query, args...)
		return err
	}
	return tx.goAlong(query, args, nil)
}

// Must is Do for a statement that has to change a row: where it changes none, refusal is the error, and the transaction ends with it.
func (tx *Tx) Must(refusal error, query string, args ...any) error {
	if !tx.server || tx.trying > 0 {
		n, err := tx.Exec(query, args...)
		if err == nil && n == 0 {
			err = refusal
		}
		return err
	}
	return tx.goAlong(query, args, refusal)
}

// goAlong has a statement go along with the next one, to a server. refusal is the error where it changes no row; nil where it need not.
func (tx *Tx) goAlong(query string, args []any, refusal error) error {
	query, args = postgres.Placed(query, args)
	tx.tell(query)
	values, err := named(args)
	if err != nil {
		return err
	}
	text := Views(query)
	if refusal != nil {
		text = `WITH changed AS (` + text + ` RETURNING 1) SELECT 1 / COUNT(*) FROM changed`
	}
	return tx.ahead(postgres.Query{Text: text, Args: values, Refusal: refusal})
}

// Insert runs a statement ending in RETURNING id and returns that id; ErrNoRows
// when nothing was inserted (ON CONFLICT DO NOTHING).
func (tx *Tx) Insert(query string, args ...any) (id int64, err error) {
	return One[int64](tx.QueryRow(query, args...))
}

// Rows runs a query and returns its rows, to be ranged over once. An error comes in
// place of a row, and is the last.
func (tx *Tx) Rows(query string, args ...any) iter.Seq2[Scanner, error] {
	query, args = postgres.Placed(query, args)
	return func(yield func(Scanner, error) bool) {
		tx.tell(query)
		ctx, err := tx.asking(query, args)
		if err != nil {
			yield(nil, err)
			return
		}
		rows, err := tx.conn.QueryContext(ctx, Views(query), args...)
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			if !yield(rows, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// Row is the one row wanted of a query, which runs when the row is scanned.
type Row struct {
	tx    *Tx
	query string
	args  []any
}

// QueryRow returns the first row of a query.
func (tx *Tx) QueryRow(query string, args ...any) Row {
	query, args = postgres.Placed(query, args)
	return Row{tx, query, args}
}

// Scan runs the query and reads the row's columns; ErrNoRows when there is none.
func (r Row) Scan(dest ...any) error {
	statement, err := r.tx.take(r.query, r.args)
	if err != nil {
		return err
	}
	defer r.tx.give(r.query, statement)
	ctx, err := r.tx.asking(r.query, r.args)
	if err != nil {
		return err
	}
	return statement.QueryRowContext(ctx, r.args...).Scan(dest...)
}

// Collect runs a query and scans every row; the result is never nil.
func Collect[T any](tx *Tx, scan func(Scanner) (T, error), query string, args ...any) ([]T, error) {
	query, args = postgres.Placed(query, args)
	statement, err := tx.take(query, args)
	if err != nil {
		return nil, err
	}
	defer tx.give(query, statement)
	ctx, err := tx.asking(query, args)
	if err != nil {
		return nil, err
	}
	rows, err := statement.QueryContext(ctx, args...)
	return scanAll(rows, err, scan)
}

// scanAll scans every row of a query that may have failed; the result is never nil.
func scanAll[T any](rows *sql.Rows, err error, scan func(Scanner) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// scanColumns scans a row of n columns, whatever their types.
func scanColumns(row Scanner, n int) ([]any, error) {
	values, into := make([]any, n), make([]any, n)
	for i := range values {
		into[i] = &values[i]
	}
	return values, row.Scan(into...)
}

// One scans a row of a single column.
func One[T any](row Scanner) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

func (db *sqliteEngine) read(ctx context.Context, fn func(*Tx) error) error {
	how := reading
	if !db.serving {
		how = readingOnly
	}
	return db.transact(ctx, db.reads, how, fn)
}

func (db *sqliteEngine) write(ctx context.Context, scope Scope, fn func(*Tx) error) error {
	if err := db.queue.enter(ctx); err != nil {
		return err
	}
	defer db.queue.leave()
	return db.transact(ctx, db.writes, writing, func(tx *Tx) error {
		before, err := tx.checkSchema()
		if err != nil {
			return err
		}
		if err := db.confine(tx, scope); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		if err := tx.writeChanges(); err != nil {
			return err
		}
		return tx.sign(before)
	})
}

func (db *sqliteEngine) writeThenRead(ctx context.Context, scope Scope, fn, read func(*Tx) error) (stored bool, err error) {
	if err := db.write(ctx, scope, fn); err != nil {
		return false, err
	}
	return true, db.read(ctx, read)
}

// again reports whether a write may be tried once more: only a program outside of the
// queue can make a second try needed.
func (db *sqliteEngine) again(_ context.Context, err error, writing bool, try int) bool {
	const tries = 3
	return writing && try < tries && isBusy(err)
}

// frame is what stands around a transaction.
type frame struct{ begin, commit, rollback string }

var (
	writing = frame{`BEGIN IMMEDIATE`, `COMMIT`, `ROLLBACK`}
	reading = frame{`BEGIN`, `COMMIT`, `ROLLBACK`} // on a connection that cannot write
	// readingOnly is reading on a connection that can, and may again afterwards.
	readingOnly = frame{`PRAGMA query_only = 1; BEGIN`, `COMMIT; PRAGMA query_only = 0`, `ROLLBACK; PRAGMA query_only = 0`}
)

// transact runs fn inside a frame; for a write the caller holds the queue. It
// takes a connection and not a sql.Tx, whose every query starts a goroutine.
func (db *sqliteEngine) transact(ctx context.Context, pool *sql.DB, how frame, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = db.lasting(ctx)
	if err := db.enter(ctx, how == writing); err != nil {
		return err
	}
	defer db.files.leave()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // returns it to the pool
	if _, err := conn.ExecContext(ctx, how.begin); err != nil {
		rollback(conn, how)
		return err
	}
	tx := &Tx{ctx: ctx, conn: conn, log: db.log, explain: db.explain, now: time.Now().UTC().Truncate(time.Millisecond)}
	committed := false
	defer func() {
		tx.statements.close()
		if !committed {
			rollback(conn, how)
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// Once it runs nothing may stop it: a stored change must not be reported as failed.
	_, err = conn.ExecContext(context.WithoutCancel(ctx), how.commit)
	committed = err == nil
	if err != nil || how != writing {
		return err
	}
	return db.reachable(context.WithoutCancel(ctx), conn)
}

// rollback ends a transaction that is not to be kept, whether or not its context
// has ended. A connection that cannot is closed, which does it too; after some
// errors SQLite has rolled back already.
func rollback(conn *sql.Conn, how frame) {
	if _, err := conn.ExecContext(context.Background(), how.rollback); err != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}

// lasting is the context that statements run under. A server stops them when its
// client cancels. Those of a command take milliseconds, and to watch for the end
// of a context costs a goroutine each: a command stops between transactions.
func (db *sqliteEngine) lasting(ctx context.Context) context.Context {
	if db.serving {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// NoRows reports whether err says that a query matched nothing.
func NoRows(err error) bool { return errors.Is(err, ErrNoRows) }

// Found reports whether a query for one row matched one, by its error. That it matched nothing is not an error any more.
func Found(err error) (found bool, failed error) {
	if NoRows(err) {
		return false, nil
	}
	return err == nil, err
}

// FormatTime returns t as the registry stores it: UTC, RFC 3339, milliseconds. It is
// fixed-width, so that stored times sort as text.
func FormatTime(t time.Time) string { return timestamp.Format(t) }
