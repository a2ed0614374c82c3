// Package sessions reads the sessions that agents' clients keep on this machine: what was asked, answered, edited and run,
// and the tokens used. Each client has a Reader, which finds its files and reads their format; it emits Rows, which
// package index keeps.
//
// Files are only read: none is opened for writing, and none is made. A format that a reader does not know is skipped and
// counted. Texts of rows are unchanged, with any secrets in them: package index redacts them. Readers hold no state and
// are safe for concurrent use.
package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"time"
)

// Source is one file that a client keeps.
type Source struct {
	Client string
	Path   string
	Size   int64
	Mod    time.Time
	Whole  bool // it is read whole whenever it changed, since it is not only appended to
	// Database is set for a file whose rows have a time of their last change; the offset of a Position is such a time.
	Database bool
	// UsageOnly asks for rows of Usage alone; a reader that still emits others is slower, not wrong.
	UsageOnly bool
}

// Position is how far a source was read.
type Position struct {
	Offset int64  // of the first byte that was not read
	State  string // what the reader has to know about the bytes before
	Passed int    // rows of unknown format
}

// Home is where clients keep their files.
type Home struct {
	Dir    string                   // the user's folder
	Getenv func(name string) string // of the environment; nil when none counts
}

// Env returns a variable, else a path below the user's folder.
func (h Home) Env(name, otherwise string) string {
	if h.Getenv == nil {
		return otherwise
	}
	return cmp.Or(h.Getenv(name), otherwise)
}

// sink passes a reader's rows on. After an error it passes on no more, and keeps the error for the end of the reading.
type sink struct {
	emit func(Row, Position) error
	at   Position // from which the rows are
	err  error
}

func (o *sink) put(r Row) {
	if o.err == nil {
		o.err = o.emit(r, o.at)
	}
}

// resumed returns what a reader has to know about the bytes before a position; begin where nothing is kept of it.
func resumed[T any](from Position, begin T) T {
	s := begin
	if from.State != "" && json.Unmarshal([]byte(from.State), &s) != nil {
		return begin
	}
	return s
}

// with returns the position with what a reader has to know about the bytes before it.
func (p Position) with(state any) Position {
	if text, err := json.Marshal(state); err == nil {
		p.State = string(text)
	}
	return p
}

// Reader reads the sessions of one client.
type Reader interface {
	// Client is its name, as in configuration and answers.
	Client() string
	// Find lists its files under home; a missing folder has none. Unreadable folders are passed to problem.
	Find(home Home, problem func(path string, err error)) []Source
	// Read emits the rows of a source from a position on, and returns the new position. An incomplete last line is left for the next time.
	// An error of emit ends it.
	Read(ctx context.Context, src Source, from Position, emit func(Row, Position) error) (Position, error)
}

// AllClients is the name by which sources.off turns the sessions of all clients off.
const AllClients = "sessions"

// Readers are all readers.
func Readers() []Reader {
	return []Reader{Claude{}, Codex{}, OpenCode{}, Gemini{}, Cursor{}, Copilot{}, VSCode{}, Goose{}, Qwen{}, Amp{}, Cline{}, Roo{}}
}
