package runlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/shared/fault"
)

// stampForm formats names that sort by time, in UTC, and that every file system accepts.
const stampForm = "20060102T150405.000000Z"

// File is a log on disk.
type File struct {
	Worktree string    `json:"worktree_id"`
	Kind     Kind      `json:"kind"`
	Begun    time.Time `json:"-"`
	Path     string    `json:"path"` // of its first part

	folder string
}

func (f File) name() string { return f.Begun.UTC().Format(stampForm) + "-" + string(f.Kind) }

func (f File) lockPath() string { return filepath.Join(f.folder, f.name()+".lock") }

func (f File) part(n int) string {
	name := f.name()
	if n > 1 {
		name += "." + strconv.Itoa(n)
	}
	return filepath.Join(f.folder, name+".log")
}

// parts returns the numbers of the existing parts, in order.
func (f File) parts() (numbers []int, err error) {
	entries, err := readFolder(f.folder)
	for _, e := range entries {
		if log, n, ok := parse(e.Name()); ok && log.name() == f.name() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// readFolder lists a folder of logs; a missing one is empty.
func readFolder(folder string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Operation(err, "read the folder of logs %q", folder)
	}
	return entries, nil
}

// Open reports whether a process is writing the log. It is false after the process was killed.
func (f File) Open() bool {
	if _, err := os.Stat(f.lockPath()); err != nil {
		return false
	}
	lock := flock.New(f.lockPath(), flock.SetFlag(os.O_RDONLY))
	defer lock.Close()
	free, err := lock.TryRLock()
	return err == nil && !free
}

// parse parses the file name of a log's part.
func parse(name string) (f File, number int, ok bool) {
	stem, isLog := strings.CutSuffix(name, ".log")
	stamp, kind, cut := strings.Cut(stem, "-")
	if !isLog || !cut {
		return f, 0, false
	}
	number = 1
	if word, n, more := strings.Cut(kind, "."); more {
		var err error
		if number, err = strconv.Atoi(n); err != nil || number < 2 {
			return f, 0, false
		}
		kind = word
	}
	begun, err := time.Parse(stampForm, stamp)
	if err != nil || !slices.Contains(Kinds(), Kind(kind)) {
		return f, 0, false
	}
	return File{Kind: Kind(kind), Begun: begun}, number, true
}

// List returns the logs of a worktree, oldest first; kind "" means every kind.
func List(home, worktree string, kind Kind) (logs []File, err error) {
	folder, err := folderOf(home, worktree)
	if err != nil {
		return nil, err
	}
	entries, err := readFolder(folder)
	for _, e := range entries {
		f, n, ok := parse(e.Name())
		if !ok || n != 1 || kind != "" && f.Kind != kind {
			continue
		}
		f.Worktree, f.folder = worktree, folder
		f.Path = filepath.Join(folder, e.Name())
		logs = append(logs, f)
	}
	slices.SortStableFunc(logs, func(a, b File) int { return a.Begun.Compare(b.Begun) })
	return logs, err
}

// Latest returns the newest log of a worktree; kind "" means any kind. It returns a NotFoundError when there is none.
func Latest(home, worktree string, kind Kind) (File, error) {
	logs, err := List(home, worktree, kind)
	if err != nil {
		return File{}, err
	}
	if len(logs) == 0 {
		what := "log"
		if kind != "" {
			what = fmt.Sprintf("%s log", kind)
		}
		f := fault.NotFound("log", worktree)
		f.Message = fmt.Sprintf("worktree %s has no %s", worktree, what)
		return File{}, f.WithHint("`agit work` writes one for each task, and a gate for each landing")
	}
	return logs[len(logs)-1], nil
}

// Named returns the log whose first part is at path, as in a row of the registry.
func Named(path string) (File, error) {
	f, n, ok := parse(filepath.Base(path))
	if !ok || n != 1 {
		return File{}, fault.Validation("log", "%q is not a log", path)
	}
	f.Path, f.folder = path, filepath.Dir(path)
	f.Worktree = filepath.Base(f.folder)
	return f, nil
}

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
