// Package runlog keeps what programs print while no one watches: the agents that `agit work` starts, and the gates of landings.
// A log belongs to one run in one worktree and stays after both are gone, until Sweep. It is a row of small files under
// AGIT_HOME/logs/WORKTREE, readable by their owner alone; of a log that grows too long the middle is left out.
//
// What is written passes through one filter (filter.go): terminal sequences and secrets are taken out, lines are bounded. So a
// log can be shown on any terminal and to any agent. The writer reads the program's output from a pipe. A pipe dies with the
// process that reads it, and the program's next write fails; a plain file would outlive that. The pipe is meant: secrets never
// reach the disk, and a program that no one watches any more must not work on, since its claim lapses and another agent takes
// the task. What ignores the broken pipe is ended by the next start of `agit work`.
//
// runlog.go writes logs, filter.go makes lines harmless, find.go finds them, read.go reads and follows them, sweep.go removes
// old ones. There is no SQL here. A Log is safe for concurrent use.
package runlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/shared/fault"
)

// Kind is what a log is of.
type Kind string

// The kinds of logs.
const (
	Work Kind = "work" // what an agent's client printed
	Gate Kind = "gate" // what the checks before a landing printed
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{Work, Gate} }

// How long a log becomes: its first file stays, and the last ones.
const (
	partSize  = 4 << 20
	lastParts = 4
)

// lastLines is how many of the lines last written a Log remembers.
const lastLines = 50

// Log is a log that is being written.
type Log struct {
	File

	mu      sync.Mutex
	out     *os.File
	number  int // of the part out is
	written int64
	streams []*Stream // the first is the log's own
	hidden  []string
	last    []string
	lock    *flock.Flock
	failed  error
	limit   int64 // of a part
}

// Create begins a log of a run in the worktree with this id. Close it.
func Create(home, worktree string, kind Kind) (*Log, error) {
	folder, err := folderOf(home, worktree)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fault.Operation(err, "make the folder of logs %q", folder)
	}
	for at := time.Now().UTC().Truncate(time.Microsecond); ; at = at.Add(time.Microsecond) { // another run may have begun just now
		l := &Log{File: File{Worktree: worktree, Kind: kind, Begun: at, folder: folder}, number: 1, limit: partSize}
		l.Path = l.part(1)
		l.lock = flock.New(l.lockPath(), flock.SetPermissions(0o600))
		free, err := l.lock.TryLock() // first, so that who follows the file sees that it is being written
		if err == nil && !free {
			continue
		}
		if err != nil {
			return nil, fault.Operation(err, "lock the log %q", l.Path)
		}
		l.out, err = os.OpenFile(l.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			l.Stream()
			return l, nil
		}
		l.lock.Close()
		if !errors.Is(err, fs.ErrExist) {
			return nil, fault.Operation(err, "create the log %q", l.Path)
		}
	}
}

// Hide takes these texts out of all that is written from now on, such as keys from the environment of the program. Short
// texts stay: they would stand in words.
func (l *Log) Hide(secrets ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) >= shortestHidden {
			l.hidden = append(l.hidden, secret)
		}
	}
	slices.SortFunc(l.hidden, func(a, b string) int { return len(b) - len(a) }) // a secret may hold another
	for _, s := range l.streams {
		s.filter.hidden = l.hidden
	}
}

// Stream is one output of a program: its lines are not torn by those of another.
type Stream struct {
	log    *Log
	filter filter
}

// Stream returns a further one.
func (l *Log) Stream() *Stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &Stream{l, filter{hidden: l.hidden}}
	l.streams = append(l.streams, s)
	return s
}

// Write is Log.Write for this output.
func (s *Stream) Write(p []byte) (int, error) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.log.write(s.filter.add(p))
	return len(p), nil
}

// Write adds what a program printed. A line is written when it is whole, or too long. It never fails, since a full disk must
// not end the program; Close returns what went wrong.
func (l *Log) Write(p []byte) (int, error) { return l.streams[0].Write(p) }

// Note adds a line of agit's own, which Last does not return.
func (l *Log) Note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	printed := l.last // by the program: what it said last is not what we say of it
	l.write(l.streams[0].filter.add([]byte("agit: " + strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ") + "\n")))
	l.last = printed
}

// Last returns the last lines that were written, at most n and at most fifty.
func (l *Log) Last(n int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	return slices.Clone(l.last[max(0, len(l.last)-n):])
}

// LastLine returns the last line that was written and is not empty; "" for none.
func (l *Log) LastLine() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range slices.Backward(l.last) {
		if strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}

// Close ends the log: who follows it reads no further. It may be called twice.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		return l.failed
	}
	l.flush()
	if err := l.out.Close(); err != nil && l.failed == nil {
		l.failed = fault.Operation(err, "write the log %q", l.Path)
	}
	l.out = nil
	_ = os.Remove(l.lock.Path())
	l.lock.Close()
	return l.failed
}

// flush ends the lines under way; l.mu is held.
func (l *Log) flush() {
	for _, s := range l.streams {
		l.write(s.filter.flush())
	}
}

// write puts whole lines into the part that is open, or the next; l.mu is held.
func (l *Log) write(lines []byte) {
	for line := range strings.Lines(string(lines)) {
		l.last = append(l.last, strings.TrimSuffix(line, "\n"))
	}
	l.last = slices.Clone(l.last[max(0, len(l.last)-lastLines):])
	if l.failed != nil || l.out == nil || len(lines) == 0 {
		return
	}
	if l.written > 0 && l.written+int64(len(lines)) > l.limit {
		l.failed = l.next()
	}
	if l.failed == nil {
		n, err := l.out.Write(lines)
		l.written += int64(n)
		l.failed = err
	}
	if l.failed != nil {
		l.failed = fault.Operation(l.failed, "write the log %q", l.Path)
	}
}

// next opens the part after this one and removes one from the middle.
func (l *Log) next() error {
	out, err := os.OpenFile(l.part(l.number+1), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	l.out.Close()
	l.out, l.written = out, 0
	l.number++
	if old := l.number - lastParts; old > 1 {
		_ = os.Remove(l.part(old))
	}
	return nil
}

// folderOf is the folder of a worktree's logs.
func folderOf(home, worktree string) (string, error) {
	if worktree == "" || strings.HasPrefix(worktree, ".") || strings.ContainsAny(worktree, `/\:`) {
		return "", fault.Validation("worktree", "%q is not the id of a worktree", worktree)
	}
	return filepath.Join(home, "logs", worktree), nil
}
