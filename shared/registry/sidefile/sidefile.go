// Package sidefile opens SQLite files that are not the registry: an index that is derived from
// other files and can be deleted at will, and databases of other programs, which are only read.
//
// A File is safe for concurrent use by goroutines and processes; SQLite's own locks hold them
// apart. Nothing here migrates: a derived file of another version is made anew.
package sidefile

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver; no cgo

	"github.com/agit-suite/agit/shared/fault"
)

// File is an open SQLite file.
type File struct {
	db   *sql.DB
	path string
	copy string // a folder to remove when the file is closed
}

// Schema is what a derived file holds. A file of another version is deleted and made anew.
type Schema struct {
	Version int
	SQL     string
	// Page is the bytes of a page; 0 is SQLite's default. Rows of about a kilobyte leave less of larger pages empty. A page in memory takes
	// a power of two and more than itself: 64 kB for one of 16 kB.
	Page  int
	Cache int // kilobytes of pages that are kept in memory; 0 is 16,000
}

// Open opens the derived file at path, made by its schema where it does not exist, is of
// another version or cannot be read. A power cut may lose the last changes, never more.
func Open(ctx context.Context, path string, schema Schema) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fault.Database(err, "create the folder of %q", path)
	}
	f, err := open(ctx, path, schema)
	if err == nil {
		return f, nil
	}
	if ctx.Err() != nil || !broken(err) {
		return nil, fault.Database(err, "open %q", path)
	}
	for _, ending := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + ending); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fault.Database(err, "replace %q", path)
		}
	}
	if f, err = open(ctx, path, schema); err != nil {
		return nil, fault.Database(err, "open %q", path)
	}
	return f, nil
}

var errVersion = errors.New("it is of another version")

// broken reports whether a derived file is to be made anew: a lock or a full disk is not a
// reason.
func broken(err error) bool {
	text := err.Error()
	return errors.Is(err, errVersion) || strings.Contains(text, "not a database") || strings.Contains(text, "malformed") || strings.Contains(text, "no such table")
}

func open(ctx context.Context, path string, schema Schema) (*File, error) {
	v := url.Values{}
	v.Set("_txlock", "immediate")
	v.Set("_journal_mode", "wal") // after the pragmas: the size of pages is set before the first is written
	if schema.Page > 0 {
		v.Add("_pragma", fmt.Sprintf("page_size(%d)", schema.Page))
	}
	for _, p := range []string{"busy_timeout(10000)", "synchronous(off)", fmt.Sprintf("cache_size(-%d)", cmp.Or(schema.Cache, 16000)), "temp_store(memory)"} {
		v.Add("_pragma", p)
	}
	if err := private(path); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", fileURL(path)+"?"+v.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	f := &File{db: db, path: path}
	if err := f.prepare(ctx, schema); err != nil {
		_ = db.Close()
		return nil, err
	}
	return f, nil
}

// private makes the file its owner's alone before SQLite writes to it.
func private(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

func (f *File) prepare(ctx context.Context, schema Schema) error {
	var version, tables int
	if err := f.Get(ctx, `PRAGMA user_version`, nil, &version); err != nil {
		return err
	}
	if version == schema.Version {
		return nil
	}
	return f.Change(ctx, func(tx *Tx) error {
		if err := tx.Get(`SELECT count(*) FROM sqlite_master`, nil, &tables); err != nil {
			return err
		}
		if tables > 0 {
			if err := tx.Get(`PRAGMA user_version`, nil, &version); err != nil || version == schema.Version {
				return err // another process made it
			}
			return errVersion
		}
		if err := tx.Run(schema.SQL); err != nil {
			return err
		}
		return tx.Run(fmt.Sprintf(`PRAGMA user_version = %d`, schema.Version))
	})
}

// Foreign opens another program's database for reading alone: nothing is written or created
// beside it. Where its log cannot be read in place, database and log are read as a copy, of at
// most maxCopy bytes. A missing file is an error that os.ErrNotExist matches.
func Foreign(ctx context.Context, path string) (*File, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	way := "mode=ro&immutable=1" // no log: the file holds everything
	if size(path+"-wal") > 0 {
		way = "mode=ro&readonly_shm=1"
		if _, err := os.Stat(path + "-shm"); err != nil {
			return copied(ctx, path)
		}
	}
	f, err := foreign(ctx, path, way)
	if err != nil && way != "mode=ro&immutable=1" && ctx.Err() == nil {
		return copied(ctx, path)
	}
	return f, err
}

// maxCopy bounds the bytes of a database that is read as a copy.
const maxCopy = 1 << 30

func copied(ctx context.Context, path string) (*File, error) {
	if size(path)+size(path+"-wal") > maxCopy {
		return nil, fault.Operation(nil, "%q has a log that only its own program can read", path).WithHint("close that program, and ask again")
	}
	folder, err := os.MkdirTemp("", "agit-read-")
	if err != nil {
		return nil, err
	}
	f, err := func() (*File, error) {
		to := filepath.Join(folder, "copy.db")
		for _, ending := range []string{"-wal", ""} { // the log first: a checkpoint in between leaves its frames in the file
			if err := copyFile(path+ending, to+ending); err != nil {
				return nil, err
			}
		}
		return foreign(ctx, to, "mode=rw&_query_only=1")
	}()
	if err != nil {
		_ = os.RemoveAll(folder)
		return nil, err
	}
	f.copy = folder
	return f, nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(in)
	return errors.Join(err, out.Close())
}

func foreign(ctx context.Context, path, how string) (*File, error) {
	db, err := sql.Open("sqlite", fileURL(path)+"?"+how+"&_busy_timeout=300&_query_only=1")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	f := &File{db: db, path: path}
	var tables int
	if err := f.Get(ctx, `SELECT count(*) FROM sqlite_master`, nil, &tables); err != nil {
		_ = db.Close()
		return nil, err
	}
	return f, nil
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func fileURL(path string) string {
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}).String()
}

// HasColumn reports whether a table has a column, which a release of another program may lack.
func (f *File) HasColumn(ctx context.Context, table, column string) bool {
	var n int
	return f.Get(ctx, `SELECT count(*) FROM pragma_table_info(?) WHERE name = ?`, []any{table, column}, &n) == nil && n > 0
}

// Path is the file.
func (f *File) Path() string { return f.path }

// Close releases the file.
func (f *File) Close() error {
	err := f.db.Close()
	if f.copy != "" {
		err = errors.Join(err, os.RemoveAll(f.copy))
	}
	return err
}

// Get reads the one row of a query into to; ErrNone when there is none.
func (f *File) Get(ctx context.Context, query string, args []any, to ...any) error {
	return f.db.QueryRowContext(ctx, query, args...).Scan(to...)
}

// ErrNone is a query for one row that found none.
var ErrNone = sql.ErrNoRows

// Each calls row for each row of a query, with the function that reads its columns.
func (f *File) Each(ctx context.Context, row func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := f.db.QueryContext(ctx, query, args...)
	return each(rows, err, row)
}

func each(rows *sql.Rows, err error, row func(scan func(...any) error) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Tx is a transaction of Change; it belongs to the function that it was given to.
type Tx struct {
	ctx      context.Context
	tx       *sql.Tx
	prepared map[string]*sql.Stmt
}

// Change runs f in one transaction, which is undone when f fails.
func (f *File) Change(ctx context.Context, do func(*Tx) error) (err error) {
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	t := &Tx{ctx: ctx, tx: tx, prepared: map[string]*sql.Stmt{}}
	defer func() {
		for _, s := range t.prepared {
			_ = s.Close()
		}
	}()
	if err := do(t); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Run executes a statement; one with values is prepared once a transaction.
func (t *Tx) Run(statement string, args ...any) error {
	_, err := t.Changed(statement, args...)
	return err
}

// Changed is Run for callers that ask how many rows it changed.
func (t *Tx) Changed(statement string, args ...any) (int64, error) {
	if len(args) == 0 {
		r, err := t.tx.ExecContext(t.ctx, statement)
		return changed(r, err)
	}
	s, err := t.prepare(statement) //nolint:sqlclosecheck // it ends with the transaction
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(t.ctx, args...)
	return changed(r, err)
}

func changed(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// Get reads the one row of a query into to; ErrNone when there is none.
func (t *Tx) Get(query string, args []any, to ...any) error {
	s, err := t.prepare(query) //nolint:sqlclosecheck // it ends with the transaction
	if err != nil {
		return err
	}
	return s.QueryRowContext(t.ctx, args...).Scan(to...)
}

// Each calls row for each row of a query.
func (t *Tx) Each(row func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := t.tx.QueryContext(t.ctx, query, args...)
	return each(rows, err, row)
}

func (t *Tx) prepare(statement string) (*sql.Stmt, error) {
	if s := t.prepared[statement]; s != nil {
		return s, nil
	}
	s, err := t.tx.PrepareContext(t.ctx, statement)
	if err == nil {
		t.prepared[statement] = s
	}
	return s, err
}
