package worker

import (
	"io/fs"
	"path/filepath"
	"time"
)

// lookEvery is the longest interval between two checks of a run.
const lookEvery = 10 * time.Second

// silence decides whether a run is still active. Silent output is not enough: clients print nothing until the end while their tools
// write files. The folder is searched only after the output was silent for the whole allowed time, and again when the newest change is
// that old: a large folder costs nothing while the run prints.
type silence struct {
	dir    string
	most   time.Duration
	change time.Time // the newest change found
}

// next returns how long to wait until the next check, or that the run is idle. heard is the time of the last output.
func (s *silence) next(now, heard time.Time) (wait time.Duration, idle bool) {
	if s.most == 0 {
		return lookEvery, false
	}
	last := later(heard, s.change)
	if quiet := now.Sub(last); quiet < s.most {
		return min(s.most-quiet, lookEvery), false
	}
	s.change = newest(s.dir, now.Add(-s.most))
	if quiet := now.Sub(later(last, s.change)); quiet < s.most {
		return min(s.most-quiet, lookEvery), false
	}
	return 0, true
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// newest returns the time of the last change of a file or folder below dir, or of the first change that it finds after since.
func newest(dir string, since time.Time) (at time.Time) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what went away meanwhile; its folder has changed then
		}
		if info, err := d.Info(); err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
		if at.After(since) {
			return filepath.SkipAll
		}
		return nil
	})
	return at
}
