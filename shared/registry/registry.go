// Package registry opens the suite's registry, one SQLite file or a PostgreSQL database, and runs transactions on it: Read on a
// snapshot, Write in turn with other writers. It is the only importer of the SQL drivers, and owns the connection settings, the write
// queue, the migrations, the change feed and all operations on the whole file. Each table has one writer package, named in
// docs/registry.md, which takes a *Tx and never begins or commits. A DB is safe for concurrent use by goroutines and processes; a
// Tx is not.
//
// Opening: registry.go, files.go and header.go (checks of the files), filesystem_*.go, migrate.go. Transactions: tx.go, queue.go,
// statement.go, rows.go, failure.go; keep.go saves a server time and memory. Values: id.go, host.go. Notifications:
// changes.go, announce.go. The whole file: backup.go, restore.go, merge.go, move.go, dump.go, check.go, integrity.go, leftover.go.
// PostgreSQL: server*.go.
package registry

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	_ "modernc.org/sqlite" // the driver; no cgo

	"github.com/agit-suite/agit/shared/fault"
)

// Size limits of the registry file, in bytes; the default applies when
// Options.MaxSize is 0.
const (
	DefaultMaxSize = 512 << 20
	MinMaxSize     = 1 << 20
	MaxMaxSize     = 2 << 30
)

// Options describe the registry's place and use.
type Options struct {
	// Path is the file; missing folders are created. A host's own files lie beside it, even when the registry is on a server.
	Path string
	// Server is the URL of a PostgreSQL database that is used instead of the file; empty for a file. Its password is never shown.
	Server string
	// MaxSize is the size in bytes beyond which writes are refused.
	MaxSize int64
	// Readers is how many reads may run at once: 0 for a command, which reads and writes on one connection; more for a server.
	Readers int
	// Notice receives sentences for the user, such as one about a network file system; nil drops them.
	Notice func(sentence string)
	// Told receives the texts of Tx.Notice; nil drops them.
	Told func(sentence string)
	// Log receives the text of every statement at DEBUG, without its bound values. nil logs nothing.
	Log *slog.Logger
	// Explain receives the query plan of every prepared statement, for tests that check the use of indexes; nil turns it off.
	Explain func(statement string, plan []string)
	// Strict is for tests. It makes writes fail that a registry on a server would refuse: a changed row of a project outside of the
	// scope, or a text with a NUL or invalid UTF-8.
	// It returns the SQL of the temporary table write_scope (project) and of the triggers that refuse such a row. nil turns it off.
	Strict func(tx *Tx) (statements string, err error)
	// Repeat is for tests. It runs the function of every write twice and keeps only the second run; both must have the same effect.
	Repeat bool
}

// Open opens the registry that o describes, and creates or migrates it when needed. Many processes may do so at once: one migrates, the
// others wait. A registry with a newer schema is refused and not changed.
func Open(ctx context.Context, o Options) (*DB, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	var e engine
	if o.Server != "" {
		e, err = openServer(o)
	} else {
		e, err = openFile(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	return newDB(o, e), nil
}

// complete sets the defaults of o and makes its path absolute.
func (o Options) complete() (Options, error) {
	o.MaxSize = cmp.Or(o.MaxSize, DefaultMaxSize)
	if o.MaxSize < MinMaxSize || o.MaxSize > MaxMaxSize {
		return o, fault.Validation("max_database_size", "a registry size limit of %d bytes is outside 1 MB to 2 GB", o.MaxSize).
			WithHint("set max_database_size to a value between them")
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Told == nil {
		o.Told = func(string) {}
	}
	if err := checkHost(); err != nil {
		return o, err
	}
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return o, fault.Database(err, "resolve registry path %q", o.Path)
	}
	o.Path = path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return o, fault.Validation("db", "the registry %q is a folder", path).WithHint("name a file in it with --db or AGIT_DB: %s", filepath.Join(path, "agit.db"))
	}
	return o, nil
}

// openOwn opens a file that only this process uses.
func openOwn(ctx context.Context, path string) (*sqliteEngine, error) {
	o, err := Options{Path: path, MaxSize: MaxMaxSize}.complete()
	if err != nil {
		return nil, err
	}
	return openFile(ctx, o)
}

// sqliteEngine is a registry in a file.
type sqliteEngine struct {
	path    string
	serving bool // for many concurrent callers, not for one command
	reads   *sql.DB
	writes  *sql.DB // in a command, the same pool as reads
	files   *files
	queue   *writeQueue
	notice  func(string)
	log     *slog.Logger
	explain func(string, []string)
	strict  func(*Tx) (string, error)
}

// openFile opens the registry in the file at o.Path.
func openFile(ctx context.Context, o Options) (*sqliteEngine, error) {
	path := o.Path
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fault.Database(err, "create the registry's folder").
			WithHint("set AGIT_HOME to a folder that can be written")
	}
	if err := checkPresence(path, o.Notice); err != nil {
		return nil, err
	}
	db := &sqliteEngine{
		path: path, serving: o.Readers > 0, files: &files{path: path, conns: map[*keeper]bool{}},
		queue: newWriteQueue(path + ".lock"), notice: o.Notice, log: o.Log, explain: o.Explain, strict: o.Strict,
	}
	if db.serving {
		db.reads = db.files.openPool(readSettings(), o.Readers, true)
		// Each agent starts several servers, so the caches of idle readers add up.
		db.reads.SetConnMaxIdleTime(30 * time.Second)
		db.writes = db.files.openPool(writeSettings(o.MaxSize), 1, false)
	} else {
		db.writes = db.files.openPool(writeSettings(o.MaxSize), commandConnections, false)
		db.reads = db.writes
	}
	hold(path)
	err := db.prepare(ctx)
	if err == nil && db.serving {
		db.files.uid, err = db.registryUID(ctx)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func (db *sqliteEngine) Name() string { return db.path }

func (db *sqliteEngine) Close() error {
	readErr := db.reads.Close()
	writeErr := db.writes.Close()
	db.queue.close()
	db.files.once.Do(func() { release(db.path) })
	return cmp.Or(writeErr, readErr)
}

func (db *sqliteEngine) CloseAtExit() error {
	if fileSize(db.path+"-wal") <= keptLog {
		return nil
	}
	return db.Close()
}

// keptLog is the largest log, in bytes, that a process leaves behind. The next process reads it once, which takes a tenth of the time
// of a checkpoint, because a checkpoint waits for the disk twice more.
const keptLog = 128 << 10

// readSettings are for connections that must never write. They still open the file read-write: after an unclean exit, a read-only
// connection would rebuild the write-ahead log's index on every start, while a read-write one repairs it.
func readSettings() url.Values {
	v := commonSettings()
	v.Set("_query_only", "1")
	return v // SQLite's default cache of 2 MB is enough, even five times per agent
}

func writeSettings(maxSize int64) url.Values {
	v := commonSettings()
	v.Set("_foreign_keys", "1")
	v.Set("_synchronous", "FULL")
	v.Add("_pragma", "cache_size(-8000)")
	v.Add("_pragma", "journal_size_limit(16777216)")
	v.Add("_pragma", fmt.Sprintf("max_page_count(%d)", (maxSize+emptySize)/pageSize))
	return v
}

func commonSettings() url.Values {
	return url.Values{
		"_busy_timeout": {strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
		"_dqs":          {"0"},
		"_defensive":    {"1"},
		"_error_rc":     {"1"},
	}
}

const (
	// A command usually needs one connection, because each one reads the whole schema when it opens. Further ones are for overlapping
	// transactions.
	commandConnections = 4

	pageSize = 4096
	// An empty registry takes a page for each table and index, about a megabyte. The limit applies to what is stored beyond that.
	emptySize = 1280 << 10
	// The queue makes waiting fair. The busy handler is only for programs that do not queue, such as the sqlite3 shell.
	busyTimeout = 10 * time.Second
)

func dataSource(path string, settings url.Values) string {
	source := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: settings.Encode()}
	return source.String()
}
