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
	Path  string
	Size  int64
	Mod   time.Time
	Whole bool // it is read whole whenever it changed, since it is not only appended to
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
	switch {
	case o.err != nil:
	case !r.Tokens.possible():
		o.at.Passed++
	default:
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

// Kind is the kind of a row.
type Kind int

// The kinds of rows.
const (
	Prompt  Kind = 1 + iota // what a person asked
	Answer                  // what the model answered, in words
	Edit                    // a file that the agent changed: Path
	Command                 // a command that it ran: Text
	Result                  // how the call with the same Key ended: Failed, Text where it failed
	Summary                 // a client's summary of a conversation that it cut
	Usage                   // the tokens of an answer: Tokens, Model
)

// kinds are the names of kinds for people; others are "other".
var kinds = map[Kind]string{Prompt: "prompt", Answer: "answer", Edit: "edit", Command: "command", Summary: "summary"}

// String returns the name of the kind for people.
func (k Kind) String() string {
	return cmp.Or(kinds[k], "other")
}

// Tokens are the tokens of one answer. Input does not include what was read from or written to a cache.
type Tokens struct {
	Input, Output, CacheRead, Cache5m, Cache1h int64
	Reasoning                                  int64   // part of Output
	Cost                                       float64 // dollars as the client states them; 0 when it does not
}

// mostTokens is more than a session takes. A higher count is a fault of the client, and would hide the use of all others.
const mostTokens = 1e10

// possible reports whether a session can have taken so much.
func (t Tokens) possible() bool {
	for _, n := range []int64{t.Input, t.Output, t.CacheRead, t.Cache5m, t.Cache1h, t.Reasoning} {
		if n < 0 || n > mostTokens {
			return false
		}
	}
	return t.Cost >= 0 && t.Cost <= mostTokens
}

// Total is all of them.
func (t Tokens) Total() int64 { return t.Input + t.Output + t.CacheRead + t.Cache5m + t.Cache1h }

// Row is one thing that happened in a session.
type Row struct {
	Kind    Kind
	Key     string // the same in every copy of the row, whichever session has it
	Answer  string // of Usage: the service's id of the answer, which a side chain may repeat under another key; "" where there is none
	Session string // the client's id of the session
	Parent  string // the session that this one was forked from or works for, where the client names it
	Agent   bool   // it happened in a subagent, or aside from the conversation
	At      time.Time
	Folder  string // the folder that the agent worked in
	Branch  string
	Model   string
	Path    string
	Text    string
	Failed  bool
	Tokens  Tokens
	// Grows is set for a text that the client rewrites under the same Key as it grows: the longest counts.
	Grows bool
}
