// Package session keeps agents' work sessions: what each one did, decided and found out, so that the next one can continue. It alone writes
// `sessions`, `session_files`, `session_events` and `session_chores`.
//
// Functions that take a *registry.Tx run inside their caller's transaction. The methods of Store open their own, and look at folders, git
// and other programs only outside of them. A Store is safe for concurrent use.
//
// session.go has the session and its owner. start.go begins a session; brief.go, fit.go, resume.go and text.go write its starting
// information, within a budget. event.go records events, summary.go summarises them. end.go and close.go end a session, with a
// summary (summary.go) and the work that git saw (work.go); sweep.go closes those left open. list.go and context.go show sessions. item.go
// and sync.go read views of other packages. chore.go runs pmsync and classify, one process at a time.
//
// It must not write another package's tables: items are read through views.
package session

import (
	"context"
	"path/filepath"
	"time"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Statuses of a session.
const (
	Active      = "active"
	Completed   = "completed"
	Abandoned   = "abandoned"
	Interrupted = "interrupted"
)

// Statuses lists all statuses.
func Statuses() []string { return []string{Active, Completed, Abandoned, Interrupted} }

// Outcomes are the possible outcomes of a session.
func Outcomes() []string { return []string{"success", "partial", "blocked", "failed"} }

// silence is how long an open session may be silent before it counts as
// abandoned.
const silence = 24 * time.Hour

// Store reads and changes the sessions of one registry.
type Store struct {
	DB *registry.DB
	// MaxPerType bounds the long-term memory that sessions add to, as memory.Store.MaxPerType.
	MaxPerType int
	// Settings returns the configuration of the project in a folder.
	Settings func(ctx context.Context, folder string) *config.Config
	// Server is the presence id of the MCP server that this Store works for, "" in a command.
	Server string
	// Find reports whether a program of the suite is installed; with nil none is.
	Find func(program string) bool
	// Run runs a program of the suite; sibling.Run outside tests.
	Run func(ctx context.Context, c sibling.Call, result any) error
	// Detach starts this program again to run chores that outlive a command; nil in a server, which runs them itself.
	Detach func(folder string, args []string) error
	// Seen returns a line about the last session of an agents' client in a project, "" when none is known, and a line for each session that
	// bears on about; nil finds none.
	Seen func(ctx context.Context, place project.Place, about string) (last string, bears []string)
	// Others returns a line with the number of memories that other programs keep of a project, "" when there are none; nil finds none.
	Others func(ctx context.Context, place project.Place) string

	background group
}

// Session is a session as programs see it.
type Session struct {
	ID        string          `json:"session_id"`
	Status    string          `json:"status"`
	Project   string          `json:"project_id"`
	Agent     string          `json:"agent,omitempty"`
	Client    string          `json:"client_session,omitempty" wire:"-"` // the handle of the client conversation that acts as the agent
	Item      string          `json:"external_item_id,omitempty"`
	Parent    string          `json:"parent_session_id,omitempty"`
	Outcome   string          `json:"outcome,omitempty"`
	Notes     string          `json:"outcome_notes,omitempty"`
	Summary   string          `json:"summary,omitempty"`
	StartedAt timestamp.Time  `json:"started_at"`
	LastEvent timestamp.Time  `json:"last_event_at"`
	EndedAt   *timestamp.Time `json:"ended_at,omitempty"`
	Events    int             `json:"events_count"`
	Memories  int             `json:"memories_created"`
	// Duration is from the start to the end, or to the last event.
	Duration int64 `json:"duration_seconds"`

	row row
}

// project names the project of a session for people.
func (s Session) project() string {
	if s.row.name == "" {
		return s.Project
	}
	return s.row.name + " (" + s.Project + ")"
}

// row is the part of a session that only this package needs.
type row struct {
	id, project, agent, item int64
	lane, folder, host       string
	place                    string // of its work: the agent's worktree for the item, else the folder
	server, start, end       string
	name                     string    // of the project
	kind                     work.Kind // of the item
	was                      string    // status of the agent
}

const columns = `s.id, s.ref, s.status, s.project_id, p.uid, p.name, s.agent_id, a.name, a.status, s.item_id, i.ref, i.kind, parent.ref, s.outcome, s.outcome_notes, s.summary,
	s.started_at, s.last_event_at, s.ended_at, s.lane, s.folder, s.host, s.server, s.start_oid, s.end_oid, s.memories,
	(SELECT COALESCE(SUM(e.stands_for), 0) FROM session_events e WHERE e.session_id = s.id),
	(SELECT COALESCE(MAX(CASE WHEN p.path = s.folder THEN p.path END), MAX(p.path), s.folder)
		FROM worktree_places p WHERE p.item_id = s.item_id AND p.agent_id = s.agent_id AND p.host = s.host)`

// An outer join, though every session has a project: an inner one tempts the
// planner to begin with the projects and to sort all sessions afterwards.
const joined = ` FROM sessions s LEFT JOIN projects p ON p.id = s.project_id LEFT JOIN agents a ON a.id = s.agent_id
	LEFT JOIN items i ON i.id = s.item_id LEFT JOIN sessions parent ON parent.id = s.parent_id `

func scan(from registry.Scanner) (s Session, err error) {
	var agentID, itemID registry.Null[int64]
	var kind registry.Null[work.Kind]
	var name, agent, was, item, parent, outcome, notes, summary, server, start, end registry.Null[string]
	err = from.Scan(&s.row.id, &s.ID, &s.Status, &s.row.project, &s.Project, &name, &agentID, &agent, &was, &itemID, &item, &kind, &parent, &outcome, &notes, &summary,
		&s.StartedAt, &s.LastEvent, &s.EndedAt, &s.row.lane, &s.row.folder, &s.row.host, &server, &start, &end, &s.Memories, &s.Events, &s.row.place)
	if err != nil {
		return s, err
	}
	s.row.name, s.row.was = name.V, was.V
	s.row.agent, s.row.item, s.row.server, s.row.start, s.row.end = agentID.V, itemID.V, server.V, start.V, end.V
	s.Agent, s.Item, s.Parent, s.row.kind = agent.V, item.V, parent.V, kind.V
	s.Outcome, s.Notes, s.Summary = outcome.V, notes.V, summary.V
	until := s.LastEvent
	if s.EndedAt != nil {
		until = *s.EndedAt
	}
	s.Duration = max(0, int64(until.Sub(s.StartedAt.Time).Seconds())) // the clock may have been set back
	return s, nil
}

// get finds a session by its id, without case, and names its project to the
// transaction.
func get(tx *registry.Tx, id string) (Session, error) {
	if _, err := text.Name("session_id", id); err != nil {
		return Session{}, err
	}
	s, err := scan(tx.QueryRow(`SELECT `+columns+joined+`WHERE s.ref = ?`, text.Key(id)))
	if registry.NoRows(err) {
		return Session{}, fault.NotFound("session", id).WithHint("`memoryd session list` lists the sessions of this project")
	}
	if err == nil {
		err = tx.In(s.row.project)
	}
	return s, err
}

// byRow returns the session of a row that its caller read.
func byRow(tx *registry.Tx, id int64) (Session, error) {
	return scan(tx.QueryRow(`SELECT `+columns+joined+`WHERE s.id = ?`, id))
}

// none is the NotFound fault for a session that was not named.
func none(sentence string) *fault.Fault {
	f := fault.NotFound("session", "")
	f.Message = sentence
	return f
}

// Who is the owner of a session, and the place of its work.
type Who struct {
	// Agent is the agent's name or id; "" without one.
	Agent string
	// Made means that Agent was made up for a client that did not name one.
	Made bool
	// Folder is where the agent works; "" when that is not known.
	Folder string
	// Client is the client's own name for its session; "" when unknown.
	Client string
}

// lane returns the key within which one session at a time is open: the agent, else the folder.
func (w Who) lane(agent, root string) string {
	switch {
	case agent != "":
		return "agent:" + text.Key(agent)
	case root != "":
		return "folder:" + registry.Host() + ":" + root
	}
	return "no agent"
}

// tree is the working tree that contains a folder.
type tree struct {
	root string    // of the working tree, else the folder itself; "" for no folder
	repo *git.Repo // nil outside repositories
}

// treeAt finds the working tree of a folder without starting a process. A missing folder, or one without a repository, does not prevent a
// session.
func treeAt(folder string) tree {
	if folder == "" {
		return tree{}
	}
	repo, err := git.Find(folder)
	if err == nil && repo.WorkTree != "" {
		return tree{root: repo.WorkTree, repo: repo}
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	return tree{root: folder}
}
