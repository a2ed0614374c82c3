package registry

import (
	"context"
	"os"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agit-suite/agit/shared/fault"
)

// The engines that keep a registry.
const (
	EngineSQLite     = "sqlite"
	EnginePostgreSQL = "postgresql"
)

// Report is what `agit db check` and `agit doctor` print about the registry. Fields that a server does not have are 0 or empty.
type Report struct {
	Path          string   `json:"path"` // of a server its URL
	Engine        string   `json:"engine"`
	EngineVersion string   `json:"engine_version"`
	SchemaVersion int      `json:"schema_version"`
	SQLiteVersion string   `json:"sqlite_version"`
	JournalMode   string   `json:"journal_mode"`
	StoredBytes   int64    `json:"stored_bytes"` // what counts against the limit, whether it is in the file or in the log yet
	FileBytes     int64    `json:"file_bytes"`
	WALBytes      int64    `json:"wal_bytes"`
	UnusedBytes   int64    `json:"unused_bytes"`
	LimitBytes    int64    `json:"limit_bytes"`
	Problems      []string `json:"problems"`
}

// Check reads the whole registry: page structure, indexes, foreign keys.
func (db *sqliteEngine) Check(ctx context.Context) (Report, error) {
	r := Report{Path: db.path, Engine: EngineSQLite, EngineVersion: SQLiteVersion()}
	var pages, freePages, maxPages int64
	for pragma, into := range map[string]any{
		`PRAGMA user_version`: &r.SchemaVersion, `SELECT sqlite_version()`: &r.SQLiteVersion,
		`PRAGMA journal_mode`: &r.JournalMode, `PRAGMA freelist_count`: &freePages, `PRAGMA max_page_count`: &maxPages, `PRAGMA page_count`: &pages,
	} {
		if err := db.writes.QueryRowContext(ctx, pragma).Scan(into); err != nil {
			return r, db.failure(err)
		}
	}
	r.StoredBytes, r.UnusedBytes, r.LimitBytes = pages*pageSize, freePages*pageSize, maxPages*pageSize
	r.FileBytes, r.WALBytes = fileSize(db.path), fileSize(db.path+"-wal")
	problems, err := integrity(ctx, db.reads)
	r.Problems = problems
	return r, db.failure(err)
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Vacuum rewrites the file without its unused pages and returns how many bytes that freed. It waits for its turn and works in the live
// file.
func (db *sqliteEngine) Vacuum(ctx context.Context) (freed int64, err error) {
	if err := db.queue.enter(ctx); err != nil {
		return 0, err
	}
	defer db.queue.leave()
	before := fileSize(db.path)
	for _, statement := range []string{`PRAGMA wal_checkpoint(TRUNCATE)`, `VACUUM`, `PRAGMA optimize`, `PRAGMA wal_checkpoint(TRUNCATE)`} {
		if _, err := db.writes.ExecContext(ctx, statement); err != nil {
			return 0, db.failure(err)
		}
	}
	return max(before-fileSize(db.path), 0), nil
}

func (db *sqliteEngine) Schema(ctx context.Context) (statements []string, err error) {
	err = db.read(ctx, func(tx *Tx) error {
		statements, err = Collect(tx, One[string], `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid`)
		return err
	})
	if err != nil {
		return nil, fault.Database(err, "read the schema")
	}
	return statements, nil
}

// SQLiteVersion is the version of SQLite in this program.
func SQLiteVersion() string { return sqlite3.SQLITE_VERSION }
