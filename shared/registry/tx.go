package registry

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// ErrNoRows is what Row.Scan gives when the query matched nothing.
var ErrNoRows = sql.ErrNoRows

// Null is a column that may be NULL.
type Null[T any] = sql.Null[T]

// NullIfZero stores the zero value of T as NULL.
func NullIfZero[T comparable](v T) Null[T] {
	var zero T
	return Null[T]{V: v, Valid: v != zero}
}

// Scanner is a row whose columns can be read.
type Scanner interface{ Scan(dest ...any) error }

// Scope says what a write may touch. One file has one lock, so SQLite ignores
// it; a registry on a server locks by project.
type Scope struct{ Project int64 }

// Everything is the scope of a write that is not confined to one project.
var Everything = Scope{}

// Tx is a running transaction. All its rows share one time.
type Tx struct {
	ctx     context.Context
	sql     *sql.Tx
	now     time.Time
	changes []Change
}

// Context is the transaction's context, for helpers that need one.
func (tx *Tx) Context() context.Context { return tx.ctx }

// Now is the one time of this transaction, UTC, whole milliseconds.
func (tx *Tx) Now() time.Time { return tx.now }

// Stamp is Now as stored.
func (tx *Tx) Stamp() string { return FormatTime(tx.now) }

// Exec runs a statement and says how many rows it changed.
func (tx *Tx) Exec(query string, args ...any) (int64, error) {
	result, err := tx.sql.ExecContext(tx.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Insert runs a statement ending in RETURNING id and gives that id; ErrNoRows
// when nothing was inserted (ON CONFLICT DO NOTHING).
func (tx *Tx) Insert(query string, args ...any) (id int64, err error) {
	err = tx.QueryRow(query, args...).Scan(&id)
	return id, err
}

// Query runs a query; the caller closes the rows.
func (tx *Tx) Query(query string, args ...any) (*sql.Rows, error) {
	return tx.sql.QueryContext(tx.ctx, query, args...)
}

// QueryRow runs a query of which one row is wanted.
func (tx *Tx) QueryRow(query string, args ...any) *sql.Row {
	return tx.sql.QueryRowContext(tx.ctx, query, args...)
}

// Collect runs a query and scans every row; the result is never nil.
func Collect[T any](tx *Tx, scan func(Scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := tx.Query(query, args...)
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

// One scans a row of a single column.
func One[T any](row Scanner) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// Read runs fn on one snapshot of the registry. A write inside it fails.
func (db *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	t, err := db.reads.BeginTx(ctx, nil)
	if err != nil {
		return db.failure(err)
	}
	defer t.Rollback()
	return db.failure(fn(newTx(ctx, t)))
}

// Write runs fn in a transaction once it is this caller's turn, and commits it
// durably when fn gives no error. fn may run twice, so it has no effect outside
// the transaction: no network, no subprocess, no callback.
func (db *DB) Write(ctx context.Context, _ Scope, fn func(*Tx) error) error {
	const tries = 3 // only a program outside the queue can make a second one needed
	for try := 1; ; try++ {
		err := db.writeOnce(ctx, fn)
		if err == nil || try == tries || !isBusy(err) {
			return db.failure(err)
		}
	}
}

func (db *DB) writeOnce(ctx context.Context, fn func(*Tx) error) error {
	if err := db.queue.enter(ctx); err != nil {
		return err
	}
	defer db.queue.leave()
	return db.transact(ctx, fn)
}

// transact runs fn in an immediate transaction; the caller holds the queue.
func (db *DB) transact(ctx context.Context, fn func(*Tx) error) error {
	t, err := db.writes.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer t.Rollback()
	tx := newTx(ctx, t)
	if err := tx.checkSchema(); err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.writeChanges(); err != nil {
		return err
	}
	return t.Commit()
}

func newTx(ctx context.Context, t *sql.Tx) *Tx {
	return &Tx{ctx: ctx, sql: t, now: time.Now().UTC().Truncate(time.Millisecond)}
}

// NoRows reports whether err says that a query matched nothing.
func NoRows(err error) bool { return errors.Is(err, ErrNoRows) }
