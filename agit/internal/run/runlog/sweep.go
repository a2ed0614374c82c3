package runlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// The interval between two sweeps, and the age from which a log's size counts: today's logs are needed tomorrow morning.
const (
	sweepEvery = time.Hour
	spared     = 24 * time.Hour
)

// Sweep removes logs that were not written to for longer than keep, and then the oldest ones while all logs take more than most bytes.
// Logs of the last day stay. A keep or a most of 0 disables that rule. It runs at most once an hour, so callers may call it often.
func Sweep(home string, keep time.Duration, most int64) error {
	folder := filepath.Join(home, "logs")
	mark := filepath.Join(folder, ".swept")
	now := time.Now()
	if info, err := os.Stat(mark); err == nil && now.Sub(info.ModTime()).Abs() < sweepEvery {
		return nil
	}
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return fault.Operation(err, "write %q", mark)
	}
	_ = os.Chtimes(mark, now, now)
	return sweep(folder, now, keep, most)
}

type entry struct {
	path    string
	changed time.Time
	size    int64
}

func sweep(folder string, now time.Time, keep time.Duration, most int64) error {
	var all []entry
	var total int64
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Dir(path) == folder {
			return nil //nolint:nilerr // what another process removed meanwhile
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		all = append(all, entry{path, info.ModTime(), info.Size()})
		total += info.Size()
		return nil
	})
	if err != nil {
		return fault.Operation(err, "read the folder of logs %q", folder)
	}
	slices.SortFunc(all, func(a, b entry) int { return a.changed.Compare(b.changed) })
	for _, e := range all {
		old := keep > 0 && now.Sub(e.changed) > keep
		large := most > 0 && total > most
		if now.Sub(e.changed) < spared || !old && !large {
			continue
		}
		if os.Remove(e.path) == nil {
			total -= e.size
		}
		_ = os.Remove(filepath.Dir(e.path)) // succeeds only for an empty folder
	}
	return nil
}
