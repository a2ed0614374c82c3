package registry

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

func (db *sqliteEngine) Backup(ctx context.Context, target string, replace bool) error {
	taken := fault.Conflict("file", target, "backup target %q exists already", target).WithHint("name another file, or replace that copy with --replace")
	if _, err := os.Lstat(target); err == nil {
		if !replace {
			return taken
		}
		if err := db.replaceable(target); err != nil {
			return err
		}
	}
	part, err := db.copyFor(ctx, target)
	if err != nil {
		return err
	}
	defer part.Close()
	if err := checkFile(ctx, part.Name()); err != nil {
		return err
	}
	put := part.CommitNew
	if replace {
		put = part.Commit
	}
	switch err := put(); {
	case errors.Is(err, fs.ErrExist):
		return taken
	case err != nil:
		return fault.Database(err, "put the copy in place")
	}
	return nil
}

// replaceable refuses to replace what is not an earlier copy, the registry itself, and a copy that a program has open: its log would be
// taken for that of the new one.
func (db *sqliteEngine) replaceable(target string) error {
	refused := fault.Conflict("file", target, "%q is not replaced: it is not a copy of a registry", target).WithHint("name another file")
	hold(target)
	defer release(target)
	if _, ok := readHeader(target); !ok {
		return refused
	}
	here, err := os.Stat(target)
	if registry, other := os.Stat(db.path); err != nil || other != nil || os.SameFile(registry, here) {
		return refused.Saying("%q is not replaced: it is the registry", target)
	}
	if _, err := os.Lstat(target + "-wal"); err == nil {
		return refused.Saying("%q is not replaced: a program has it open, or left the log %q", target, target+"-wal")
	}
	return nil
}

// copyFor writes a copy of the registry that is to take target's place.
func (db *sqliteEngine) copyFor(ctx context.Context, target string) (*durable.File, error) {
	part, err := durable.Create(target, 0o600)
	if err != nil {
		return nil, fault.Database(err, "copy the registry to %q", target).WithHint("check that its folder exists and can be written")
	}
	if _, err = db.writes.ExecContext(ctx, `VACUUM INTO ?`, part.Name()); err == nil {
		err = stampFile(part.Name())
	}
	if err != nil {
		part.Close()
		if err = db.failure(err); fault.From(err).Hint == "" {
			err = fault.Database(err, "copy the registry to %q", target).WithHint("check that its folder has room")
		}
		return nil, err
	}
	return part, nil
}

// copyTo writes a copy of the registry to target, in the place of any other.
func (db *sqliteEngine) copyTo(ctx context.Context, target string) error {
	part, err := db.copyFor(ctx, target)
	if err != nil {
		return err
	}
	defer part.Close()
	if err := part.Commit(); err != nil {
		return fault.Database(err, "put the copy in place")
	}
	return nil
}

// copyPages runs SQLite's online backup from source into the live file: one
// transaction, seen whole or not at all by every open connection.
func (db *sqliteEngine) copyPages(ctx context.Context, source string) error {
	conn, err := db.writes.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(raw any) error {
		restorer, ok := raw.(*keeper).driverConn.(interface {
			NewRestore(string) (*sqlite.Backup, error)
		})
		if !ok {
			return errors.New("the driver cannot restore")
		}
		restore, err := restorer.NewRestore(fileURL(source))
		if err != nil {
			return err
		}
		if _, err := restore.Step(-1); err != nil {
			return errors.Join(err, restore.Finish())
		}
		return restore.Finish()
	})
}

// checkFile proves that path is a sound registry this program can read.
func checkFile(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fault.NotFound("file", path)
		}
		return fault.Database(err, "read %q", path)
	}
	hold(path)
	defer release(path)
	if err := checkLog(path); err != nil {
		return err
	}
	other, err := sql.Open("sqlite", fileURL(path)+"?mode=ro&_query_only=1")
	if err != nil {
		return err
	}
	defer other.Close()
	var version int
	if err := other.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		if _, ok := readHeader(path); ok {
			return fault.Database(asDamage(err), "%q is damaged", path).WithHint("name another backup")
		}
		return fault.Validation("file", "%q is not a registry: %v", path, err).WithHint("name a file written by `agit db backup`")
	}
	switch {
	case version > SchemaVersion:
		return newerSchema(version)
	case version < 0:
		return fault.Validation("file", "%q has schema %d, which no program of this suite makes", path, version).WithHint("name a file written by `agit db backup`")
	}
	var tables int
	if err := other.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_schema WHERE name IN ('registry_meta', 'projects', 'items')`).Scan(&tables); err != nil || tables != 3 {
		return fault.Validation("file", "%q is an SQLite file but not a registry", path).WithHint("name a file written by `agit db backup`")
	}
	return soundness(ctx, other, path)
}

func soundness(ctx context.Context, pool *sql.DB, path string) error {
	problems, err := integrity(ctx, pool)
	if err != nil {
		return fault.Database(asDamage(err), "check %q", path).WithHint("`agit doctor` lists the copies that are there")
	}
	if len(problems) > 0 {
		return fault.Database(damage{}, "%q is damaged: %s", path, problems[0]).WithHint("`agit doctor` lists the copies that are there")
	}
	return nil
}

func fileURL(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
}
