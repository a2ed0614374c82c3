package sessions

import (
	"cmp"
	"time"
)

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
