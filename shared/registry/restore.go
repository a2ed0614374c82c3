package registry

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

// Restore puts a backup's content into the registry at o.Path, under the write lock. In a sound registry this is one change, and
// processes that have it open see the restored rows. A damaged, empty or missing registry is replaced by a new file, which running
// servers notice; so is one that a later version upgraded. The former files are kept under the returned names. The source must be sound and have a schema that this program
// knows; an older one is upgraded.
func Restore(ctx context.Context, o Options, source string) (kept []string, err error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fault.Database(err, "resolve registry path %q", o.Path)
	}
	o, err = o.complete()
	if err != nil {
		return nil, err
	}
	if o.Server != "" {
		return nil, fault.Validation("file", "a backup is put into a file, and the registry is on a server").
			WithHint("name a new file with --db, and take it to the server with `agit db move`")
	}
	if same(source, path) {
		return nil, fault.Validation("file", "%q is this registry itself", source).WithHint("name a backup of it")
	}
	if err := checkFile(ctx, source); err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fault.Database(err, "create the registry's folder")
	}
	fresh, err := upgradedCopy(ctx, path, source)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(filepath.Dir(fresh))

	db, err := openSound(ctx, o)
	if err == nil {
		defer db.Close()
		return db.restoreInto(ctx, fresh)
	}
	aside := ".damaged-"
	if errors.Is(err, newer{}) {
		aside = ".newer-"
	} else if !IsDamaged(err) {
		return nil, err
	}
	queue := newWriteQueue(path + ".lock")
	if err := queue.enter(ctx); err != nil {
		return nil, err
	}
	defer queue.leave()
	return replaceFile(path, fresh, path+aside+NewID(""))
}

// openSound opens the registry and reads all of it. It returns either a DB or an error.
func openSound(ctx context.Context, o Options) (*sqliteEngine, error) {
	if _, err := os.Stat(o.Path); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Database(damage{}, "the registry %q is gone", o.Path)
	}
	db, err := openFile(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := soundness(ctx, db.reads, db.path); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// restoreInto copies the pages of a sound, upgraded and unused file into the live registry.
func (db *sqliteEngine) restoreInto(ctx context.Context, fresh string) (kept []string, err error) {
	if err := db.queue.enter(ctx); err != nil {
		return nil, err
	}
	defer db.queue.leave()
	copied := db.path + ".before-restore-" + NewID("")
	if err := db.copyTo(ctx, copied); err != nil {
		return nil, err
	}
	// The file's number stays, so that its log still belongs to it.
	if h, ok := readHeader(db.path); ok && h.id != 0 {
		if err := stampFileAs(fresh, h.id); err != nil {
			return nil, fault.Database(err, "prepare the backup")
		}
	}
	if err := db.copyPages(ctx, fresh); err != nil {
		return []string{copied}, db.failure(err)
	}
	return []string{copied}, db.mark(ctx)
}

// replaceFile replaces an unusable registry by a file and keeps it as aside. The caller holds the write queue. The old log is removed
// first: it must never lie beside the new file.
func replaceFile(path, fresh, aside string) (kept []string, err error) {
	for _, suffix := range []string{"-wal", "-shm"} {
		switch err := durable.Rename(path+suffix, aside+suffix); {
		case err == nil:
			kept = append(kept, aside+suffix)
		case !errors.Is(err, fs.ErrNotExist):
			return kept, fault.Database(err, "keep %q", path+suffix)
		}
	}
	switch err := os.Link(path, aside); {
	case err == nil:
		kept = append(kept, aside)
	case !errors.Is(err, fs.ErrNotExist):
		return kept, fault.Database(err, "keep the registry %q", path)
	}
	if err := errors.Join(stampFile(fresh), os.Chmod(fresh, 0o600), durable.SyncFile(fresh)); err != nil {
		return kept, fault.Database(err, "prepare the backup")
	}
	if err := durable.Rename(fresh, path); err != nil {
		return kept, fault.Database(err, "put the backup in place")
	}
	slices.Sort(kept)
	return kept, nil
}

// Copy is a registry file beside another one.
type Copy struct {
	Path     string    `json:"path"`
	Modified time.Time `json:"-"`
}

// mostCopies bounds how many files are read in search of copies.
const mostCopies = 50

// Copies lists the sound registries beside the one at path that can be restored, newest first.
func Copies(ctx context.Context, path string) []Copy {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var found []Copy
	for _, e := range entries {
		info, err := e.Info()
		other := filepath.Join(filepath.Dir(path), e.Name())
		if err != nil || !info.Mode().IsRegular() || other == path || len(found) == mostCopies || isSideFile(e.Name()) {
			continue
		}
		if checkFile(ctx, other) == nil {
			found = append(found, Copy{other, info.ModTime()})
		}
	}
	slices.SortFunc(found, func(a, b Copy) int { return b.Modified.Compare(a.Modified) })
	return found
}

// isSideFile reports whether a file belongs to SQLite, the write queue or the configuration, or is unfinished.
func isSideFile(name string) bool {
	return slices.ContainsFunc([]string{"-wal", "-shm", "-journal", marker, ".lock", ".part", ".toml"}, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// damage is in the chain of an error that means that a registry is unusable.
type damage struct{ cause error }

func (d damage) Error() string {
	if d.cause == nil {
		return ""
	}
	return d.cause.Error()
}

func (d damage) Unwrap() error { return d.cause }

// IsDamaged reports whether err means that a registry is damaged, empty, or beside the log of another one. Restore repairs it.
func IsDamaged(err error) bool {
	_, is := errors.AsType[damage](err)
	return is
}
