package registry

import (
	"errors"
	"path/filepath"
	"slices"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry/internal/postgres"
)

// fullDisk is how little room, in bytes, explains that SQLite found none: less than a large write takes.
const fullDisk = 16 << 20

// failure turns a driver error into a fault by its code, never by its text;
// anything else passes unchanged.
func (db *sqliteEngine) failure(err error) error {
	code := codeOf(err)
	if code == sqlite3.SQLITE_OK || errors.As(err, new(*fault.Fault)) {
		return err
	}
	if code == sqlite3.SQLITE_IOERR_SHORT_READ {
		return fault.Database(damage{err}, "the registry %q is shorter than its log says, or lost its log while programs have it open", db.path).
			WithHint("a server that still has the log puts it back with its next call; otherwise `agit doctor` lists the copies that are there").Retry()
	}
	isFull := code&0xff == sqlite3.SQLITE_FULL
	free, known := durable.Free(filepath.Dir(db.path))
	// Before a write, SQLite enlarges the file of the memory that processes share. Without room for that, its error names the file instead of
	// the reason.
	if code == sqlite3.SQLITE_IOERR_SHMSIZE || isFull && known && free < fullDisk {
		return fault.Database(nil, "the disk of the registry %q is full", db.path).WithHint("nothing stored was lost; free some space on that disk")
	}
	if isFull {
		return fault.Database(nil, "the registry %q is full: it reached its limit", db.path).
			WithHint("nothing stored was lost; raise max_database_size, or free unused pages with `agit db vacuum`")
	}
	switch code & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fault.Database(err, "another program kept the registry %q to itself for more than %s", db.path, busyTimeout).
			WithHint("close database tools that have it open and try again").Retry()
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fault.Database(damage{err}, "the registry %q is damaged or not a registry", db.path).
			WithHint("`agit doctor` lists the copies that are there, `agit db restore FILE` puts one back and keeps the damaged file")
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return fault.Database(err, "the registry %q cannot be opened for writing", db.path).
			WithHint("check its folder's permissions, or set AGIT_HOME to a folder of your own")
	case sqlite3.SQLITE_IOERR:
		return fault.Database(err, "the disk failed under the registry %q", db.path).WithHint("see `agit doctor`")
	}
	return fault.Database(err, "the registry refused a statement")
}

// codeOf returns the extended code of an error of SQLite, SQLITE_OK for any other error.
func codeOf(err error) int {
	if driver, ok := errors.AsType[*sqlite.Error](err); ok {
		return driver.Code()
	}
	return sqlite3.SQLITE_OK
}

// asDamage marks an SQLite error that means a damaged file.
func asDamage(err error) error {
	switch code := codeOf(err); {
	case code&0xff == sqlite3.SQLITE_CORRUPT, code&0xff == sqlite3.SQLITE_NOTADB, code == sqlite3.SQLITE_IOERR_SHORT_READ:
		return damage{err}
	}
	return err
}

// isOfThePlace reports an error of the disk or the permissions, which no statement causes.
func isOfThePlace(err error) bool {
	return slices.Contains([]int{sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR}, codeOf(err)&0xff)
}

func isBusy(err error) bool { return codeOf(err)&0xff == sqlite3.SQLITE_BUSY }

// IsDuplicate reports whether err refuses a row because a unique key is taken.
func IsDuplicate(err error) bool {
	code := codeOf(err)
	return code == sqlite3.SQLITE_CONSTRAINT_UNIQUE || code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY || postgres.Judge(err) == postgres.Duplicate
}

// IsConstraint reports whether err refuses a row that breaks a rule of its table.
func IsConstraint(err error) bool {
	judged := postgres.Judge(err)
	return judged == postgres.Duplicate || judged == postgres.Constraint || codeOf(err)&0xff == sqlite3.SQLITE_CONSTRAINT
}
