package registry

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/shared/fault"
)

// Presence says that a long-lived process is there, for rows that have to know
// when it ended: a lock that the kernel lets go of, however the process ends.
type Presence struct {
	ID   string // unique; what rows keep
	lock *flock.Flock
}

// presences is the folder beside the registry with one locked file for each
// process that announced itself.
func (db *DB) presences() string { return db.path + "-present" }

// Announce says that this process is there until Leave, or until it ends.
func (db *DB) Announce() (*Presence, error) {
	if err := os.MkdirAll(db.presences(), 0o700); err != nil {
		return nil, fault.Operation(err, "make the folder %q", db.presences())
	}
	db.tidyPresences()
	p := &Presence{ID: NewID("v-") + ShortID(6)}
	p.lock = flock.New(filepath.Join(db.presences(), p.ID))
	got, err := p.lock.TryLock()
	if err != nil || !got {
		return nil, fault.Operation(err, "lock %q", p.lock.Path())
	}
	return p, nil
}

// tidyPresences removes what processes that broke left behind. A young file may
// be one that its process is about to lock.
func (db *DB) tidyPresences() {
	files, _ := os.ReadDir(db.presences())
	for _, file := range files {
		if info, err := file.Info(); err == nil && time.Since(info.ModTime()) > time.Minute {
			_ = db.Present(file.Name()) // which removes it
		}
	}
}

// Leave takes the announcement back.
func (p *Presence) Leave() {
	_ = os.Remove(p.lock.Path()) // before the lock goes, so that nobody takes it for one that broke
	_ = p.lock.Close()
}

// Present reports whether the process that announced itself as id is still
// there. What one that broke left behind is removed. Where that cannot be found
// out it counts as there.
func (db *DB) Present(id string) bool {
	path := filepath.Join(db.presences(), filepath.Base(id))
	if _, err := os.Stat(path); err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDWR))
	got, err := lock.TryLock()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	if got {
		_ = os.Remove(path)
	}
	_ = lock.Close()
	return !got
}
