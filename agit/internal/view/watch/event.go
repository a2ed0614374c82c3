// Package watch reports events about agents and their work to a waiting caller: an agent asks, is idle or gone, a task is finished, a
// branch has landed or was returned. It reads the registry when it changes, and when silence alone changes an agent's state; it polls
// nothing beyond the registry's own change signal. It keeps no state between runs and writes nothing.
package watch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Kind is the kind of an event.
type Kind string

// The kinds of events.
const (
	Waiting   Kind = "waiting"   // an agent asks a person
	Idle      Kind = "idle"      // an agent that worked has nothing to do
	Gone      Kind = "gone"      // an agent that worked has ended or fallen silent
	Completed Kind = "completed" // a task was completed
	Failed    Kind = "failed"    // a task has failed
	Review    Kind = "review"    // finished work waits to be accepted
	Landed    Kind = "landed"    // a worktree was merged
	Returned  Kind = "returned"  // a worktree was not merged: a conflict, a red gate, a review
)

// Event is one event.
type Event struct {
	Kind     Kind            `json:"event"`
	At       timestamp.Time  `json:"at"`
	Agent    string          `json:"agent,omitempty"`
	Repo     string          `json:"repo,omitempty"`
	Worktree string          `json:"worktree_id,omitempty"`
	Name     string          `json:"worktree,omitempty"`
	Task     string          `json:"task_id,omitempty"`
	TaskName string          `json:"task,omitempty"`
	State    presence.State  `json:"state,omitempty"`
	Since    *timestamp.Time `json:"since,omitempty"`
	Note     string          `json:"note,omitempty"`
	Question string          `json:"question,omitempty"` // id of a question for `agit answer`
	Text     string          `json:"text"`               // a sentence for people
}

// words are the names by which people select events.
var words = map[string][]Kind{
	"waiting":  {Waiting},
	"idle":     {Idle},
	"done":     {Idle, Gone, Completed, Failed, Review, Landed},
	"landed":   {Landed},
	"returned": {Returned},
	"any":      {Waiting, Idle, Gone, Completed, Failed, Review, Landed, Returned},
}

// Words returns the words that Kinds accepts.
func Words() []string { return []string{"waiting", "done", "idle", "landed", "returned", "any"} }

// Kinds returns the kinds that some words select; a Validation fault names an unknown word. Without words it returns the kinds that
// need a person or let one continue: waiting, done and returned.
func Kinds(wanted []string) (kinds []Kind, err error) {
	if len(wanted) == 0 {
		wanted = []string{"waiting", "done", "returned"}
	}
	for _, word := range wanted {
		found, known := words[word]
		if !known {
			return nil, fault.Validation("for", "%q is not something to wait for", word).WithHint("wait for any of %s", strings.Join(Words(), ", "))
		}
		kinds = append(kinds, found...)
	}
	return kinds, nil
}

// Piece is a watched worktree, a watched task, or both.
type Piece struct {
	key      [2]int64 // rows of worktree and task
	Repo     string
	Worktree string
	Name     string // name of the worktree's folder
	Agent    string
	Task     string
	TaskName string
	status   string // the worktree's status
	state    string // the task's state
	landing  verdict
	review   verdict
}

// verdict is the state of a worktree's last landing or review.
type verdict struct {
	id    int64
	state string
	gate  string // the gate of a landing
	why   string
}

// became reports whether a verdict has a state that it did not have before.
func (v verdict) became(state string, before verdict) bool {
	return v.state == state && (before.state != state || before.id != v.id)
}

// Snapshot is the watched state at one moment.
type Snapshot struct {
	at     timestamp.Time
	agents []presence.Presence
	pieces []Piece
}

// now returns the events that lead to a snapshot, for callers that ask for the current state.
func (s Snapshot) now() (events []Event) {
	for _, p := range s.agents {
		switch p.State {
		case presence.Waiting:
			events = append(events, s.agent(Waiting, p))
		case presence.Idle:
			events = append(events, s.agent(Idle, p))
		}
	}
	for _, p := range s.pieces {
		switch {
		case p.status == "completed":
		case p.review.state == "waiting":
			events = append(events, s.piece(Review, p))
		case p.status == "conflict", p.landing.state == "returned":
			events = append(events, s.piece(Returned, p))
		}
	}
	return events
}

// asking returns events for the agents that wait for a person.
func (s Snapshot) asking() (events []Event) {
	return slices.DeleteFunc(s.now(), func(e Event) bool { return e.Kind != Waiting })
}

type agentKey struct{ agent, worktree, repo int64 }

// since returns the events between an earlier snapshot and this one.
func (s Snapshot) since(before Snapshot) (events []Event) {
	were := map[agentKey]presence.Presence{}
	for _, p := range before.agents {
		were[agentKey{p.AgentID, p.WorktreeID, p.RepoID}] = p
	}
	for _, p := range s.agents {
		was := were[agentKey{p.AgentID, p.WorktreeID, p.RepoID}]
		worked := was.State == presence.Working || was.State == presence.Waiting
		switch {
		case p.State == presence.Waiting && (was.State != presence.Waiting || was.Note != p.Note):
			events = append(events, s.agent(Waiting, p))
		case p.State == presence.Idle && worked:
			events = append(events, s.agent(Idle, p))
		case p.State == presence.Gone && worked:
			events = append(events, s.agent(Gone, p))
		}
	}
	had := map[[2]int64]Piece{}
	for _, p := range before.pieces {
		had[p.key] = p
	}
	for _, p := range s.pieces {
		was := had[p.key] // a new piece was finished after the watch began
		switch {
		case p.status == "completed" && was.status != "completed":
			events = append(events, s.piece(Landed, p))
		case p.review.became("waiting", was.review):
			events = append(events, s.piece(Review, p))
		case p.status == "conflict" && was.status != "conflict", p.landing.became("returned", was.landing), p.review.became("returned", was.review):
			events = append(events, s.piece(Returned, p))
		case p.state == "completed" && was.state != "completed":
			events = append(events, s.piece(Completed, p))
		case p.state == "failed" && was.state != "failed":
			events = append(events, s.piece(Failed, p))
		}
	}
	return events
}

func (s Snapshot) agent(kind Kind, p presence.Presence) Event {
	e := Event{Kind: kind, At: s.at, Agent: p.Agent, Repo: p.Repo, Worktree: p.Worktree, Name: p.Name, State: p.State, Since: &p.Since, Note: p.Note}
	place := ""
	if p.Name != "" {
		place = " in " + p.Name
	} else if p.Repo != "" {
		place = " in " + p.Repo
	}
	switch kind {
	case Waiting:
		e.Text = fmt.Sprintf("%s is waiting for you%s", p.Agent, place)
		if p.Note != "" {
			e.Text += ": " + p.Note
		}
		if p.Source == presence.Work {
			e.Question = question.Named(p.Note)
		}
		if e.Question != "" {
			e.Text += "; `agit answer " + e.Question + " --allow` or --deny"
		}
	case Gone:
		e.Text = fmt.Sprintf("%s is gone%s", p.Agent, place)
	default:
		e.Text = fmt.Sprintf("%s is idle%s", p.Agent, place)
	}
	for _, piece := range s.pieces {
		if p.WorktreeID != 0 && piece.key[0] == p.WorktreeID {
			e.Task, e.TaskName = piece.Task, piece.TaskName
		}
	}
	return e
}

func (s Snapshot) piece(kind Kind, p Piece) Event {
	e := Event{Kind: kind, At: s.at, Agent: p.Agent, Repo: p.Repo, Worktree: p.Worktree, Name: p.Name, Task: p.Task, TaskName: p.TaskName}
	switch kind {
	case Landed:
		e.Text = fmt.Sprintf("%s has landed in %s", p.Name, p.Repo)
	case Review:
		e.Text = fmt.Sprintf("%s is to be reviewed in %s", p.Name, p.Repo)
	case Returned:
		e.Text = fmt.Sprintf("%s has not landed in %s: %s", p.Name, p.Repo, p.whyNot())
	default:
		e.Text = fmt.Sprintf("task %s is %s: %s", p.Task, kind, p.TaskName)
	}
	return e
}

// whyNot returns a short reason why a worktree was returned.
func (p Piece) whyNot() string {
	why := "it conflicts"
	switch {
	case p.status == "conflict":
	case p.review.state == "returned":
		why = strings.TrimSuffix("returned: "+p.review.why, ": ")
	case p.landing.gate == "failed":
		why = "its gate failed"
	case p.landing.why != "":
		why = p.landing.why
	}
	return text.Visible(why, maxWhy)
}

// maxWhy bounds the length of a reason, in bytes.
const maxWhy = 200
