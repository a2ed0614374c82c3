package registry

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"modernc.org/sqlite"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

// An open connection goes on with the files it opened, whoever deletes them or
// puts others in their place: what it stores then, no other program ever sees.
// So before each transaction, and after each commit, the files that stand at the
// registry's path are compared with those that the connections have open. A file
// that is the same registry again is opened anew; a log that was deleted is first
// folded into the file from the connections that still have it; anything else is
// said, and nothing is stored.

// files are what the connections of a DB have open. It is safe for concurrent use.
type files struct {
	path string
	uid  string // of the registry; set once it is open, and then the same for life

	once sync.Once // that the file is released

	mu       sync.Mutex
	main     fs.FileInfo // nil before there is one
	log, shm fs.FileInfo // nil until a connection is known to have them open
	conns    map[*keeper]bool
	active   int         // transactions that run
	refused  fs.FileInfo // a file at the path that is another registry, or no sound one
	why      error       // what is said of it
	stuck    error       // what keeps this process from going on at all
	saved    string      // where the deleted registry was kept
}

// connector makes the connections of one pool.
type connector struct {
	driver.Connector                  // makes the file when it is missing
	existing         driver.Connector // does not
	files            *files
	keeps            bool // statements, between transactions
}

// openPool returns a pool of connections to path; those that keep their statements
// are for a server's reading.
func (f *files) openPool(settings map[string][]string, connections int, keeps bool) *sql.DB {
	c := connector{files: f, keeps: keeps}
	for _, into := range []struct {
		mode string
		to   *driver.Connector
	}{{"rwc", &c.Connector}, {"rw", &c.existing}} {
		settings["mode"] = []string{into.mode}
		made, err := sqlite.NewConnector(dataSource(f.path, settings))
		if err != nil {
			panic(err) // only settings that contradict each other fail here
		}
		*into.to = made
	}
	pool := sql.OpenDB(c)
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return pool
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	f := c.files
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := checkLog(f.path); err != nil {
		return nil, err
	}
	make := c.existing
	if f.main == nil {
		make = c.Connector
	}
	opened, err := make.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := opened.(driverConn)
	if !ok {
		return nil, errors.Join(errors.New("the driver lacks what a connection needs"), opened.Close())
	}
	if f.main == nil {
		if f.main, err = os.Stat(f.path); err != nil {
			return nil, errors.Join(err, opened.Close())
		}
	}
	k := &keeper{driverConn: conn, files: f}
	if c.keeps {
		k.free = map[string]driverStmt{}
	}
	f.conns[k] = true
	return k, nil
}

// current reports whether a connection may be used.
func (f *files) current(k *keeper) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !k.ended
}

// end closes a connection, once.
func (f *files) end(k *keeper) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.conns[k] {
		return nil
	}
	if f.stuck != nil {
		// To close the last one would write into a file that others use by now. The
		// end of the process closes it without.
		return nil
	}
	return f.endLocked(k)
}

func (f *files) endLocked(k *keeper) error {
	delete(f.conns, k)
	k.ended = true
	if len(f.conns) == 0 {
		f.log, f.shm = nil, nil // from now on another program may take them away
	}
	return k.end()
}

// endAll closes every connection: none is in use.
func (f *files) endAll() {
	for k := range f.conns {
		_ = f.endLocked(k) // it will not be used again, whatever it says
	}
	f.log, f.shm = nil, nil
}

// enter begins a transaction, after making sure that the registry's files are the ones
// that were opened. Unless it fails, the caller must call leave. queued is set when the
// caller holds the write queue.
func (db *sqliteEngine) enter(ctx context.Context, queued bool) error {
	f := db.files
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := db.settle(ctx, queued); err != nil {
		return err
	}
	f.active++
	return nil
}

// leave ends a transaction, in which the log was opened at the latest.
func (f *files) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active--
	if f.log == nil && len(f.conns) > 0 {
		f.log, _ = os.Stat(f.path + "-wal") // missing where there is no such journal
		f.shm, _ = os.Stat(f.path + "-shm")
	}
}

// reachable checks, after a commit on a connection, whether what was stored is in the registry that others see.
func (db *sqliteEngine) reachable(ctx context.Context, conn *sql.Conn) error {
	f := db.files
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.look()
	if at == inPlace {
		return nil
	}
	return conn.Raw(func(raw any) error {
		k := raw.(*keeper)
		if at == logLost && f.fold(ctx, k) == nil {
			return nil // the rest is for the next transaction
		}
		f.save(ctx, k)
		return f.explain("was deleted or replaced while a change was being stored", "`agit doctor` shows how it is now")
	})
}

// place is what happened to the registry's files.
type place int

const (
	inPlace place = iota
	gone
	replaced
	logLost
)

func (f *files) look() place {
	if f.main == nil {
		return inPlace // nothing is open yet
	}
	main, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gone
	case err == nil && !os.SameFile(main, f.main):
		return replaced
	case f.log == nil:
		return inPlace
	}
	log, err := os.Stat(f.path + "-wal")
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(log, f.log) {
		return logLost
	}
	return inPlace
}

// settle connects the DB to the registry at its path, or returns why that is impossible.
func (db *sqliteEngine) settle(ctx context.Context, queued bool) error {
	f := db.files
	if f.stuck != nil {
		return f.stuck
	}
	switch f.look() {
	case gone:
		f.save(ctx, f.free())
		return f.explain("was deleted while this program had it open", "put it back with `agit db restore FILE`")
	case replaced:
		return db.adopt(ctx)
	case logLost:
		return db.rejoin(ctx, queued)
	}
	return nil
}

// explain returns a fault that describes what happened to the registry, and where this program saved what it still had of it.
func (f *files) explain(what, hint string) error {
	if f.saved != "" {
		hint = "what it held is kept in " + fmt.Sprintf("%q", f.saved) + "; " + hint
	}
	return fault.Database(nil, "the registry %q %s; nothing was stored", f.path, what).WithHint("%s", hint)
}

// adopt switches to a file that replaced the registry, if it is the same registry: a copy that was restored.
func (db *sqliteEngine) adopt(ctx context.Context) error {
	f := db.files
	if err := checkLog(f.path); err != nil {
		return err
	}
	now, err := os.Stat(f.path)
	if err != nil {
		return db.failure(err)
	}
	if f.refused != nil && os.SameFile(f.refused, now) && f.refused.ModTime().Equal(now.ModTime()) {
		return f.why
	}
	err = db.sameRegistry(ctx)
	if err == nil {
		f.endUnused()
		f.main, f.log, f.shm, f.refused, f.saved = now, nil, nil, nil, ""
		return nil
	}
	if _, damaged := errors.AsType[*fault.Fault](err); !damaged {
		f.save(ctx, f.free())
		err = f.explain(err.Error(), "restart this program to work with that file, or put the registry back with `agit db restore FILE`")
	}
	f.refused, f.why = now, err
	return err
}

// endUnused closes the connections that no transaction uses. The others are closed when they are returned, since their file is no longer
// the registry.
func (f *files) endUnused() {
	if f.active == 0 {
		f.endAll()
		return
	}
	for k := range f.conns {
		k.ended = true
	}
}

// sameRegistry proves that the file at the path is a sound copy of the registry
// that this DB opened. An error that is not a fault completes "the registry …".
func (db *sqliteEngine) sameRegistry(ctx context.Context) error {
	other, err := sql.Open("sqlite", fileURL(db.path)+"?mode=rw&_query_only=1&_busy_timeout=10000")
	if err != nil {
		return err
	}
	defer other.Close()
	var version int
	if err := other.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return db.failure(err)
	}
	var uid string
	err = other.QueryRowContext(ctx, `SELECT value FROM registry_meta WHERE key = 'registry_uid'`).Scan(&uid)
	switch {
	case err != nil || uid != db.files.uid:
		return errors.New("was replaced by another file while this program had it open")
	case version != SchemaVersion:
		return fmt.Errorf("was replaced by one of schema %d while this program, of schema %d, had it open", version, SchemaVersion)
	}
	return soundness(ctx, other, db.path)
}

// rejoin repairs a registry whose log was deleted. A connection that still has the log open copies its content into the file, and then
// all connections reopen.
func (db *sqliteEngine) rejoin(ctx context.Context, queued bool) error {
	f := db.files
	if f.active > 0 {
		return fault.Database(nil, "the log of the registry %q was deleted; calls that still use it are being finished", f.path).
			WithHint("try again").Retry()
	}
	if !queued {
		if err := db.queue.enter(ctx); err != nil {
			return err
		}
		defer db.queue.leave()
	}
	if err := f.fold(ctx, f.free()); err != nil {
		f.stuck = fault.Database(err, "the log of the registry %q was deleted while this program had it open, and others have gone on without it", f.path).
			WithHint("restart this program, and look with `agit db check`")
		return f.stuck
	}
	f.endAll()
	return nil
}

// free returns a connection that no transaction uses; nil while one may.
func (f *files) free() *keeper {
	if f.active > 0 {
		return nil
	}
	for k := range f.conns {
		if !k.ended {
			return k
		}
	}
	return nil
}

// fold writes what the deleted log holds into the file. It is safe while no one
// has begun a log of their own: there is none, or an empty one, and the index
// beside it is the one that this process has, or none.
func (f *files) fold(ctx context.Context, k *keeper) error {
	if shm, err := os.Stat(f.path + "-shm"); err == nil && (f.shm == nil || !os.SameFile(shm, f.shm)) {
		return errors.New("another index of the log is in use")
	}
	if k == nil || fileSize(f.path+"-wal") > 0 {
		return nil // it is folded, and others have written since
	}
	rows, err := k.QueryContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`, nil)
	if err != nil {
		return err
	}
	busy := make([]driver.Value, len(rows.Columns()))
	err = rows.Next(busy)
	if closed := rows.Close(); err == nil {
		err = closed
	}
	if n, _ := busy[0].(int64); err == nil && n != 0 {
		return errors.New("it is in use")
	}
	return err
}

// save keeps what this process still has of a registry that was deleted. The first program to notice does it.
func (f *files) save(ctx context.Context, k *keeper) {
	target := fmt.Sprintf("%s.saved-%s", f.path, f.uid)
	if _, err := os.Lstat(target); err == nil {
		f.saved = target
	}
	if k == nil || f.uid == "" || f.saved != "" {
		return
	}
	part := target + "." + ShortID(6)
	defer os.Remove(part)
	_, err := k.ExecContext(ctx, `PRAGMA query_only = 0`, nil)
	if err == nil {
		_, err = k.ExecContext(ctx, `VACUUM INTO ?`, []driver.NamedValue{{Ordinal: 1, Value: part}})
	}
	k.ended = true // it has lost its settings
	if err == nil && stampFile(part) == nil && os.Chmod(part, 0o600) == nil && durable.SyncFile(part) == nil && os.Link(part, target) == nil {
		f.saved = target
	}
}
