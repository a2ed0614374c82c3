package registry

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"

	"github.com/agit-suite/agit/shared/fault"
)

// Backup writes a consistent, checked copy of the registry to target while
// others go on working. An existing target is refused.
func (db *DB) Backup(ctx context.Context, target string) error {
	if _, err := os.Lstat(target); err == nil {
		return fault.Conflict("file", target, "backup target %q exists already", target).WithHint("name another file")
	}
	if err := db.copyTo(ctx, target); err != nil {
		return err
	}
	return db.checkFile(ctx, target)
}

// copyTo writes the copy beside target and renames it, so that a name never
// holds half a registry.
func (db *DB) copyTo(ctx context.Context, target string) error {
	part := target + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Database(err, "clear a copy that was cut off")
	}
	if _, err := db.writes.ExecContext(ctx, `VACUUM INTO ?`, part); err != nil {
		os.Remove(part)
		return fault.Database(err, "copy the registry to %q", target).WithHint("check that its folder exists and has room")
	}
	if err := os.Chmod(part, 0o600); err != nil {
		return fault.Database(err, "protect the copy")
	}
	if err := syncFile(part); err != nil {
		return fault.Database(err, "write the copy to disk")
	}
	if err := os.Rename(part, target); err != nil {
		return fault.Database(err, "put the copy in place")
	}
	return nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// Restore puts a backup's content into the live registry under the write lock;
// processes that have it open go on with the restored rows. A copy of what was
// there is kept and its path returned. The source must be sound and of a schema
// this program knows; an older one is upgraded.
func (db *DB) Restore(ctx context.Context, source string) (kept string, err error) {
	if err := db.checkFile(ctx, source); err != nil {
		return "", err
	}
	if err := db.queue.enter(ctx); err != nil {
		return "", err
	}
	defer db.queue.leave()
	kept = fmt.Sprintf("%s.before-restore-%s", db.path, NewID(""))
	if err := db.copyTo(ctx, kept); err != nil {
		return "", err
	}
	if err := db.copyPages(ctx, source); err != nil {
		return kept, db.failure(err)
	}
	version, err := db.schemaOf(ctx, db.writes)
	if err != nil {
		return kept, err
	}
	return kept, db.migrate(ctx, version)
}

// copyPages runs SQLite's online backup from source into the live file: one
// transaction, seen whole or not at all by every open connection.
func (db *DB) copyPages(ctx context.Context, source string) error {
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
func (db *DB) checkFile(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fault.NotFound("file", path)
		}
		return fault.Database(err, "read %q", path)
	}
	other, err := sql.Open("sqlite", fileURL(path)+"?mode=ro&_query_only=1")
	if err != nil {
		return err
	}
	defer other.Close()
	var version int
	if err := other.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return fault.Validation("file", "%q is not a registry: %v", path, err).WithHint("name a file written by `agit db backup`")
	}
	if version > SchemaVersion {
		return newerSchema(version)
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
		return fault.Database(err, "check %q", path)
	}
	if len(problems) > 0 {
		return fault.Database(nil, "%q is damaged: %s", path, problems[0])
	}
	return nil
}

func fileURL(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
}
