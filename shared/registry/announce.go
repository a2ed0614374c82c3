package registry

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

// Presence proves that a long-lived process still runs, for rows that depend on when it ended. It is a lock that the kernel releases
// however the process ends.
type Presence struct {
	ID   string // unique; what rows keep: the process, "@" and its host
	lock *flock.Flock

	leave func() // of a presence on a server
}

// presences is the folder beside the registry with one locked file for each
// process that announced itself.
func (db *sqliteEngine) presences() string { return db.path + "-present" }

func (db *sqliteEngine) Announce() (*Presence, error) {
	if err := durable.MkdirAll(db.presences(), 0o700); err != nil {
		return nil, fault.Operation(err, "make the folder %q", db.presences())
	}
	db.tidyPresences()
	p := &Presence{ID: NewID("v-") + ShortID(6) + "@" + Host()}
	p.lock = flock.New(db.presenceFile(p.ID))
	got, err := p.lock.TryLock()
	if err != nil || !got {
		return nil, fault.Operation(err, "lock %q", p.lock.Path()).WithHint("check that you can write in %q", db.presences())
	}
	durable.Adopt(p.lock.Path()) // or the user could not remove it after a crash
	return p, nil
}

// tidyPresences removes the files of processes that crashed. A young file may be one that its process is about to lock.
func (db *sqliteEngine) tidyPresences() {
	files, _ := os.ReadDir(db.presences())
	for _, file := range files {
		id, err := url.PathUnescape(file.Name())
		if err != nil {
			continue
		}
		if info, err := file.Info(); err == nil && time.Since(info.ModTime()) > time.Minute {
			_ = db.Present(id) // which removes it
		}
	}
}

// presenceFile is where a process says that it is there; a host's name may hold
// what a file's may not.
func (db *sqliteEngine) presenceFile(id string) string {
	return filepath.Join(db.presences(), strings.ReplaceAll(url.PathEscape(id), "%40", "@"))
}

// elsewhere reports whether an id is that of another host's process, whose locks
// say nothing here. Before schema 10 ids named no host: those are this one's.
func elsewhere(id string) bool {
	_, host, named := strings.Cut(id, "@")
	return named && host != Host()
}

// Leave takes the announcement back.
func (p *Presence) Leave() {
	if p.leave != nil {
		p.leave()
		return
	}
	_ = os.Remove(p.lock.Path()) // before the lock goes, so that no one takes it for one that broke
	_ = p.lock.Close()
}

// Present removes the file of a process that crashed. Another host's process counts as running.
func (db *sqliteEngine) Present(id string) bool {
	if elsewhere(id) {
		return true
	}
	path := db.presenceFile(id)
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
