package registry

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/agit-suite/agit/shared/fault"
)

// The one history of migrations: NNNN_name.sql, numbered without a gap, each
// run once and never edited after a release. Statements for one engine (a text
// index) stand under sqlite/ or postgres/ in a file of the same name, run right after.
//
//go:embed migrations/*.sql migrations/sqlite/*.sql migrations/postgres/*.sql
var migrationFiles embed.FS

// newest are the tables of a new registry, as all migrations together make them: a new file
// need not take thirty steps and as many transactions. A test holds the one to the other;
// go test ./shared/registry -run TestNewestIsWhatMigrationsMake -update writes it.
//
//go:embed newest.sql
var newest string

type migration struct {
	name   string
	text   string
	sqlite string // what only SQLite runs; empty for most
}

// migrations reads the history when it is first needed: a command on a current
// registry never does.
var migrations = sync.OnceValue(func() []migration {
	entries, err := fs.ReadDir(migrationFiles, "migrations")
	if err != nil {
		panic(err)
	}
	var history []migration
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		text, err := migrationFiles.ReadFile("migrations/" + entry.Name())
		if err != nil {
			panic(err)
		}
		own, err := migrationFiles.ReadFile("migrations/sqlite/" + entry.Name())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			panic(err)
		}
		history = append(history, migration{name: entry.Name(), text: string(text), sqlite: string(own)})
	}
	return history
})

// SchemaVersion is the schema this binary writes; a test holds it to the number
// of migrations.
const SchemaVersion = 35

// minimumSQLite is the first release without the WAL-reset bug, by which
// several processes that write and checkpoint could corrupt the file.
var minimumSQLite = [3]int{3, 51, 3}

// prepare brings the file to SchemaVersion, or refuses.
func (db *sqliteEngine) prepare(ctx context.Context) error {
	version, err := db.schemaOf(ctx, db.reads)
	switch {
	case err != nil:
		return err
	case version == SchemaVersion:
		return nil
	case version > SchemaVersion:
		return db.newerSchema(version)
	case version < 0:
		return fault.Database(damage{}, "the registry %q has schema %d, which no program of this suite makes; nothing was changed", db.path, version).
			WithHint("`agit doctor` lists the copies that are there, `agit db restore FILE` puts one back")
	}
	if err := db.queue.enter(ctx); err != nil {
		return err
	}
	defer db.queue.leave()
	version, err = db.schemaOf(ctx, db.writes)
	if err != nil {
		return err
	}
	if version == 0 {
		if err := db.initialise(ctx); err != nil {
			return err
		}
	}
	if err := db.migrate(ctx, version); err != nil {
		return err
	}
	return db.mark(ctx)
}

// schemaOf refuses the database of another program: one that has tables, or a version, and not the table of every registry.
func (db *sqliteEngine) schemaOf(ctx context.Context, pool *sql.DB) (version int, err error) {
	var ours, used bool
	if err := pool.QueryRowContext(db.lasting(ctx), `SELECT user_version, EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'registry_meta'),
		EXISTS (SELECT 1 FROM sqlite_schema WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\') FROM pragma_user_version`).Scan(&version, &ours, &used); err != nil {
		return 0, db.failure(err)
	}
	if !ours && (used || version != 0) {
		return 0, fault.Validation("db", "%q is the database of another program, not a registry; nothing was changed", db.path).
			WithHint("name a registry, or a file that does not exist, with --db, AGIT_DB or the setting database.path")
	}
	return version, nil
}

// initialise sets what a file keeps for life. WAL is switched on once, here,
// under the lock, and not at all where several machines may see the file.
func (db *sqliteEngine) initialise(ctx context.Context) error {
	if err := db.checkSQLite(ctx); err != nil {
		return err
	}
	mode := "WAL"
	if kind := networkFileSystem(db.path); kind != "" {
		mode = "DELETE"
		db.notice(fmt.Sprintf("the registry %q is on a network file system (%s), where write-ahead logging can corrupt it; using a rollback journal, which is slower", db.path, kind))
	}
	var got string
	if err := db.writes.QueryRowContext(ctx, `PRAGMA journal_mode = `+mode).Scan(&got); err != nil {
		return db.failure(err)
	}
	return os.Chmod(db.path, 0o600)
}

func (db *sqliteEngine) checkSQLite(ctx context.Context) error {
	var text string
	if err := db.writes.QueryRowContext(ctx, `SELECT sqlite_version()`).Scan(&text); err != nil {
		return db.failure(err)
	}
	return checkSQLiteVersion(text)
}

func checkSQLiteVersion(text string) error {
	var v [3]int
	if _, err := fmt.Sscanf(text, "%d.%d.%d", &v[0], &v[1], &v[2]); err != nil {
		return fault.Database(err, "read SQLite's version %q", text)
	}
	for i := range v {
		if v[i] != minimumSQLite[i] {
			if v[i] > minimumSQLite[i] {
				return nil
			}
			return fault.Database(nil, "this build holds SQLite %s, whose write-ahead log can corrupt a registry that several processes use", text).
				WithHint("use a build with SQLite %d.%d.%d or newer", minimumSQLite[0], minimumSQLite[1], minimumSQLite[2])
		}
	}
	return nil
}

// migrate runs what is missing; the caller holds the queue. A copy is kept
// before an existing registry is touched.
func (db *sqliteEngine) migrate(ctx context.Context, from int) error {
	if from > SchemaVersion {
		return db.newerSchema(from)
	}
	if from == SchemaVersion {
		return nil
	}
	if from > 0 {
		copied := fmt.Sprintf("%s.schema-%d", db.path, from)
		if err := db.copyTo(ctx, copied); err != nil {
			return fmt.Errorf("keep a copy before the upgrade: %w", err)
		}
		db.notice(fmt.Sprintf("upgrading the registry to schema %d; a copy of it as it was is %q", SchemaVersion, copied))
	}
	steps := []migration{{name: "newest.sql", text: newest}}
	if from > 0 {
		steps = migrations()[from:]
	}
	at, err := db.apply(ctx, steps, from == 0)
	switch {
	case err == nil:
		return nil
	case isOfThePlace(err):
		return fmt.Errorf("apply migration %s: %w", at, db.failure(err))
	}
	return fault.Database(err, "apply migration %s", at).WithHint("the registry is as it was; please report this")
}

// apply runs migrations and the mark of their version in one transaction, and returns the name of the last one that it began. A new
// registry gets the id that it is known by.
func (db *sqliteEngine) apply(ctx context.Context, steps []migration, isNew bool) (at string, err error) {
	err = db.transact(ctx, db.writes, writing, func(tx *Tx) error {
		tx.explain = nil // a migration is many statements, and runs once
		id, err := One[int64](tx.QueryRow(`PRAGMA application_id`))
		if err != nil {
			return err
		}
		for _, m := range steps {
			at = m.name
			for _, text := range []string{m.text, m.sqlite} {
				if text == "" {
					continue
				}
				if _, err := tx.conn.ExecContext(tx.ctx, text); err != nil { // as it stands: it may make a view
					return err
				}
			}
		}
		if isNew {
			if _, err := tx.Exec(`INSERT INTO registry_meta (key, value) VALUES ('registry_uid', ?)`, NewUID()); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(fmt.Sprintf(`PRAGMA user_version = %d`, SchemaVersion)); err != nil {
			return err
		}
		return tx.sign(standing{id: id, changed: -1})
	})
	return at, err
}

// standing is the state in which a write transaction begins.
type standing struct {
	id      int64 // of the file, see header
	changed int64 // rows that the connection has changed so far
}

// checkSchema stops a process whose registry was upgraded under it.
func (tx *Tx) checkSchema() (s standing, err error) {
	var version int
	err = tx.QueryRow(`SELECT user_version, application_id, total_changes() FROM pragma_user_version, pragma_application_id`).
		Scan(&version, &s.id, &s.changed)
	if err == nil && version != SchemaVersion {
		err = newerSchema(version)
	}
	return s, err
}

// sign writes the file's own number anew, so that the log shows which file it belongs to. A transaction that changed nothing is not signed.
func (tx *Tx) sign(before standing) error {
	now, err := One[int64](tx.QueryRow(`SELECT total_changes()`))
	if err != nil || now-tx.confined.rows() == before.changed {
		return err
	}
	if before.id == 0 {
		before.id = int64(newFileID())
	}
	_, err = tx.Exec(fmt.Sprintf(`PRAGMA application_id = %d`, before.id))
	return err
}

func (db *sqliteEngine) newerSchema(version int) error {
	f := newerSchema(version)
	f.Message = fmt.Sprintf("the registry %q has schema %d, newer than this program's %d", db.path, version, SchemaVersion)
	return f
}

func newerSchema(version int) *fault.Fault {
	return fault.Database(newer{}, "the registry has schema %d, newer than this program's %d", version, SchemaVersion).
		WithHint("upgrade this program (and restart its servers); nothing was changed")
}

// newer is in the chain of an error that means that a later version made the schema.
type newer struct{}

func (newer) Error() string { return "" }
