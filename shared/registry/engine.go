package registry

import (
	"context"
	"errors"
	"sync/atomic"
)

// engine is where a registry is kept: a file or a server. It alone knows how
// transactions begin and wait for each other, whose clock counts, what an error of
// the store means, and how others hear of a change.
type engine interface {
	// Name is what people call the registry: its file, or its server without a password.
	Name() string
	// read and write run fn in one transaction, once. Their errors are the store's.
	read(ctx context.Context, fn func(*Tx) error) error
	write(ctx context.Context, scope Scope, fn func(*Tx) error) error
	// writeThenRead is write and read, once. An error after stored is that of the read.
	writeThenRead(ctx context.Context, scope Scope, fn, read func(*Tx) error) (stored bool, err error)
	// again reports whether a transaction that failed may be tried once more, and waits
	// until that makes sense. try counts from 1.
	again(ctx context.Context, err error, writing bool, try int) bool
	// failure turns an error of the store into a fault.
	failure(err error) error

	// Close releases the connections. For a file, the last of all processes to close folds the write-ahead log into it.
	Close() error
	// CloseAtExit is Close for a process that is about to end, which closes its connections anyway. Only a long log is worth the time that
	// folding it takes. A short one, whose commits are on the disk already, is left for the next process.
	CloseAtExit() error
	// Watch calls ready when it begins to listen, and again when it had to start over and may have missed something. It calls heard with what
	// any process has committed since the last call. It returns when ctx ends.
	Watch(ctx context.Context, ready func(), heard func([]Change)) error
	// Announce marks this process as running until Leave, or until it ends.
	Announce() (*Presence, error)
	// Present reports whether the process that announced itself as id still runs. Where that cannot be found out, it counts as running.
	Present(id string) bool
	// Check reads the whole registry and reports what is wrong with it.
	Check(ctx context.Context) (Report, error)
	// Vacuum frees unused space and returns how many bytes that were.
	Vacuum(ctx context.Context) (freed int64, err error)
	// Backup writes a consistent, checked copy of the registry to target while others go on working. An existing target is refused,
	// unless it is an earlier copy that is to be replaced; of several backups to one new name at once, one succeeds.
	Backup(ctx context.Context, target string, replace bool) error
	// Schema is the text of every table and index, in the order they were made.
	Schema(ctx context.Context) ([]string, error)
	// Rest returns the memory that connections keep as page caches, for a server that has not been asked for a while. Connections in use are
	// left alone.
	Rest(ctx context.Context) error
	// Leftovers lists the unfinished copies beside the registry's file that killed processes left. They hold nothing that is not elsewhere.
	Leftovers() []string
}

// DB is an open registry.
type DB struct {
	engine
	path   string
	told   func(string)
	repeat bool
	wrote  atomic.Bool // a write was committed
}

func newDB(o Options, e engine) *DB {
	return &DB{engine: e, path: o.Path, told: o.Told, repeat: o.Repeat}
}

// Path is the registry's file. For a registry on a server no such file exists: the path only names what this host keeps for itself.
func (db *DB) Path() string { return db.path }

// OnServer reports whether the registry is on a server.
func (db *DB) OnServer() bool {
	_, server := db.engine.(*serverEngine)
	return server
}

// Read runs fn on one snapshot of the registry. A write inside it fails.
func (db *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	for try := 1; ; try++ {
		err := db.engine.read(ctx, fn)
		if err == nil || !db.engine.again(ctx, err, false, try) {
			return db.engine.failure(err)
		}
	}
}

// Write runs fn in a transaction once it is this caller's turn, and commits it
// durably when fn returns no error. fn may run twice, so it has no effect outside
// the transaction: no network, no subprocess, no callback.
func (db *DB) Write(ctx context.Context, scope Scope, fn func(*Tx) error) error {
	return db.writing(ctx, scope, fn, func(fn func(*Tx) error) (bool, error) {
		err := db.engine.write(ctx, scope, fn)
		return err == nil, err
	})
}

// Read returns what read finds on one snapshot of the registry; see DB.Read.
func Read[T any](ctx context.Context, db *DB, read func(*Tx) (T, error)) (found T, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		found, err = read(tx)
		return err
	})
	return found, err
}

// Write returns what write made in a transaction; see DB.Write.
func Write[T any](ctx context.Context, db *DB, scope Scope, write func(*Tx) (T, error)) (made T, err error) {
	err = db.Write(ctx, scope, func(tx *Tx) (err error) {
		made, err = write(tx)
		return err
	})
	return made, err
}

// WriteThenRead is Write and, once that is stored, Read. On a server the end of the write goes in one message with what the read asks
// first. Both functions may run twice. A read that fails takes nothing back. When the write fails at its end, the read runs all the same, and
// its first question returns the error: it must set nothing before that.
func (db *DB) WriteThenRead(ctx context.Context, scope Scope, fn, read func(*Tx) error) error {
	var failed error
	err := db.writing(ctx, scope, fn, func(fn func(*Tx) error) (stored bool, err error) {
		stored, failed = db.engine.writeThenRead(ctx, scope, fn, read)
		if stored {
			return true, nil
		}
		return false, failed
	})
	if err != nil || failed == nil {
		return err
	}
	return db.Read(ctx, read)
}

// writing is Write by means of write, which reports whether the changes were stored.
func (db *DB) writing(ctx context.Context, scope Scope, fn func(*Tx) error, write func(fn func(*Tx) error) (stored bool, err error)) error {
	if db.repeat {
		err := db.engine.write(ctx, scope, func(tx *Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			return errAgain
		})
		if !errors.Is(err, errAgain) {
			return db.engine.failure(err)
		}
	}
	for try := 1; ; try++ {
		var notices []string
		stored, err := write(func(tx *Tx) error {
			err := fn(tx)
			notices = tx.notices
			return err
		})
		if stored {
			db.wrote.Store(true)
			for _, sentence := range notices {
				db.told(sentence)
			}
			return nil
		}
		if !db.engine.again(ctx, err, true, try) {
			return db.engine.failure(err)
		}
	}
}

// errAgain undoes the first run of a write that is run twice.
var errAgain = errors.New("to be run again")

// Wrote reports whether a write of this process was committed.
func (db *DB) Wrote() bool { return db.wrote.Load() }
