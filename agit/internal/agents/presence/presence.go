// Package presence keeps what agents are doing: working, waiting for a person, idle
// or gone, since when, and what they ask. It alone writes `agent_states`.
//
// Agents' clients say it through their hooks (`agit hook`), `agit work` says it of
// the clients that it runs, and of the others silence tells. shown, in shown.go, is
// the one place where these become the state that status, both screens and watch
// show. A host's own statements are judged by their age on that host alone;
// another's are shown as they were said. A Store is safe for concurrent use.
package presence

import (
	"time"

	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// State is what an agent is doing, in the words that people read.
type State string

// The states.
const (
	Working State = "working"
	Waiting State = "waiting for you"
	Idle    State = "idle"
	Gone    State = "gone"
)

// Source is how a state is known.
type Source string

// The sources. Silence is never reported, only concluded: from the time since the agent was last heard of, and from its claims and
// worktrees.
const (
	Hook    Source = "hook"
	Work    Source = "work"
	Silence Source = "silence"
)

// Statement is one report about a session of an agent.
type Statement struct {
	// Agent is the agent's name. "" is the agent that the worktree was made for, else that of Client's seat.
	Agent string
	// Folder is one in a worktree or a registered repository; Worktree is the id of
	// the worktree that is meant where it lies in none.
	Folder, Worktree string
	// Client is the client of an agent that neither Agent nor the worktree names.
	Client seat.Client
	// Host is this machine unless it is set.
	Host string
	// Session tells apart the sessions of one agent on one host: the client's id of
	// a conversation, or the id of a run.
	Session string

	State  State
	Note   string // what a person is asked, or what an idle worker waits for; else ""
	Source Source

	// Quiet is how long silence is expected from here on, for a tool that runs.
	Quiet time.Duration
	// Asked names the call that a Waiting statement is about. A statement with Ended
	// does not end the waiting of a session for another call.
	Asked string
	Ended string
}

// Shown is the state of an agent as people see it.
type Shown struct {
	State  State          `json:"state"`
	Since  timestamp.Time `json:"since"`
	Note   string         `json:"note,omitempty"` // what it asks, while it is waiting; what an idle worker waits for
	Source Source         `json:"source"`

	// Until is when silence alone will change the state; zero is never.
	Until time.Time `json:"-"`
}

// Presence is what one agent does in one place.
type Presence struct {
	AgentID    int64  `json:"-"`
	RepoID     int64  `json:"-"`
	WorktreeID int64  `json:"-"`
	Agent      string `json:"agent"`
	Repo       string `json:"repo,omitempty"`
	Worktree   string `json:"worktree_id,omitempty"`
	Name       string `json:"worktree,omitempty"` // its folder's
	Host       string `json:"host,omitempty"`     // another machine than this one
	// Folder is the working tree that its client is in, "" where no client reported it; Sessions counts what its clients have open there.
	Folder   string `json:"-"`
	Sessions int    `json:"-"`
	Shown
}

// In reports whether the agent's client is in a working tree of this machine that has no row. Other machines have folders of the same name.
func (p Presence) In(folder string) bool {
	return p.WorktreeID == 0 && p.Host == "" && p.Folder == folder
}

// Store keeps the states of one registry's agents.
type Store struct {
	DB *registry.DB
	// StaleAfter is the silence after which an agent at work is taken to be gone; 0
	// is never.
	StaleAfter time.Duration
}
