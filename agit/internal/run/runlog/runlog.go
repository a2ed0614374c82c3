// Package runlog stores the output of programs that run unattended: the agents of `agit work` and the gates of landings. A log belongs
// to one run in one worktree and outlives both until Sweep removes it. It is a sequence of small files under AGIT_HOME/logs/WORKTREE,
// readable only by their owner. The middle of an overlong log is dropped.
//
// All output passes one filter (filter.go), which removes terminal sequences and secrets and bounds lines. So a log can be shown on any
// terminal and to any agent. The writer reads the program's output from a pipe, which breaks when the writer dies; the program's next
// write then fails. This is intended: secrets never reach the disk, and an unattended program must not keep working, because its claim
// expires and another agent takes the task. The next start of `agit work` ends a program that ignores the broken pipe.
//
// runlog.go writes logs, filter.go cleans lines, find.go finds logs and removes old ones, read.go reads and follows them. A Log
// is safe for concurrent use.
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

// Kind is the kind of a log.
type Kind string

// The kinds of logs.
const (
	Work Kind = "work" // output of an agent's client
	Gate Kind = "gate" // output of the checks before a landing
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Work, Gate} }

// The bounds of a log: its first file and its last files are kept.
const (
	partSize  = 4 << 20
	lastParts = 4
)

// lastLines is how many of its last lines a Log keeps in memory.
const lastLines = 50

// Log is a log that is being written.
type Log struct {
	File

	mu      sync.Mutex
	out     *os.File
	number  int // the number of the part in out
	written int64
	streams []*Stream // the first is the log's own stream
	hidden  []string
	last    []string
	lock    *flock.Flock
	failed  error
	limit   int64 // bytes of a part
}

// Create begins a log of a run in the worktree with this id. The caller must close it.
func Create(home, worktree string, kind Kind) (*Log, error) {
	folder, err := folderOf(home, worktree)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fault.Operation(err, "make the folder of logs %q", folder)
	}
	for at := time.Now().UTC().Truncate(time.Microsecond); ; at = at.Add(time.Microsecond) { // another run may have the same time
		l := &Log{File: File{Worktree: worktree, Kind: kind, Begun: at, folder: folder}, number: 1, limit: partSize}
		l.Path = l.part(1)
		l.lock = flock.New(l.lockPath(), flock.SetPermissions(0o600))
		free, err := l.lock.TryLock() // before the file appears, so that its readers see that it is being written
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

// Hide removes these texts, such as keys from the program's environment, from all later output. Short texts stay, because they would
// match parts of words.
func (l *Log) Hide(secrets ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) >= shortestHidden {
			l.hidden = append(l.hidden, secret)
		}
	}
	slices.SortFunc(l.hidden, func(a, b string) int { return len(b) - len(a) }) // longest first: one secret may contain another
	for _, s := range l.streams {
		s.filter.hidden = l.hidden
	}
}

// Stream is one output of a program; its lines are not mixed with those of other streams.
type Stream struct {
	log    *Log
	filter filter
}

// Stream adds a stream and returns it.
func (l *Log) Stream() *Stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &Stream{l, filter{hidden: l.hidden}}
	l.streams = append(l.streams, s)
	return s
}

// Write is Log.Write for this stream.
func (s *Stream) Write(p []byte) (int, error) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.log.write(s.filter.add(p))
	return len(p), nil
}

// Write adds output of a program. A line is written when it is finished or too long. Write never fails, because a full disk must not
// end the program; Close returns the error.
func (l *Log) Write(p []byte) (int, error) { return l.streams[0].Write(p) }

// Note adds a line of agit's own, which Last does not return.
func (l *Log) Note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	printed := l.last // only lines of the program belong here
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

// LastLine returns the last non-empty line; "" when there is none.
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

// Close ends the log, and readers that follow it stop. It may be called twice.
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

// flush ends the unfinished lines. The caller holds l.mu.
func (l *Log) flush() {
	for _, s := range l.streams {
		l.write(s.filter.flush())
	}
}

// write appends finished lines to the open part or to the next one. The caller holds l.mu.
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

// next opens the next part and removes one from the middle.
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

// folderOf returns the folder of a worktree's logs.
func folderOf(home, worktree string) (string, error) {
	if worktree == "" || strings.HasPrefix(worktree, ".") || strings.ContainsAny(worktree, `/\:`) {
		return "", fault.Validation("worktree", "%q is not the id of a worktree", worktree)
	}
	return filepath.Join(home, "logs", worktree), nil
}
