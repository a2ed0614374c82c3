// Package task keeps agit's tasks: the rows of `tasks`, which it alone writes,
// beside the items and leases that shared/work keeps. A task is made, claimed,
// reported on and listed here, by the command line and the MCP server alike.
//
// A Store is safe for concurrent use.
//
// task.go has the task and its statuses, rows.go reads it; make.go, make_many.go
// and edit.go write what it says; claim.go, next.go, ready.go and handover.go
// decide who works on it, report.go what becomes of it, worktree.go
// what spawning and merging do to it; list.go and detail.go show it. Who may do
// what is decided in one place, decide.go, for the caller that caller.go reads.
// Leases, edges and counts are moved through shared/work, never by SQL here.
package task

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Statuses of a task, in the order they follow each other.
const (
	Pending    = "pending"
	Claimed    = "claimed"
	InProgress = "in_progress"
	Completed  = "completed"
	Failed     = "failed"
	// Blocked is shown, never stored: an open bug stands in the way of an unfinished task, or a person holds it back. The stored status and
	// the holder stay as they are.
	Blocked = "blocked"
)

// Statuses is the order in which a list shows them: those in progress first.
var Statuses = []string{InProgress, Claimed, Blocked, Pending, Failed, Completed}

// Canceled is the result that closes a task no one wants any more.
const Canceled = "canceled"

// Task is one task as people, programs and agents see it.
type Task struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Status      string          `json:"status"`
	Priority    work.Priority   `json:"priority"`
	Project     string          `json:"project"`
	Repo        string          `json:"repo,omitempty"`
	Agent       string          `json:"agent,omitempty"`
	Worktree    string          `json:"worktree,omitempty"`
	ClaimToken  int64           `json:"claim_token,omitempty"`
	CreatedAt   timestamp.Time  `json:"created_at"`
	StartedAt   *timestamp.Time `json:"started_at,omitempty"`
	CompletedAt *timestamp.Time `json:"completed_at,omitempty"`
	Result      string          `json:"result,omitempty"`
}

// Detail is a task with its place, its needs, the items that it made, and its history.
type Detail struct {
	Task
	Epic                 string       `json:"epic,omitempty"`
	Parent               string       `json:"parent,omitempty"`
	Origin               string       `json:"origin,omitempty"`
	RequiredCapabilities []string     `json:"required_capabilities,omitempty"`
	EstimatedDuration    string       `json:"estimated_duration,omitempty"`
	ActualDuration       string       `json:"actual_duration,omitempty"`
	DependsOn            []string     `json:"depends_on,omitempty"`
	Blocks               []string     `json:"blocks,omitempty"`
	BlockedBy            []string     `json:"blocked_by,omitempty"` // unresolved bugs
	BlockedWhy           string       `json:"blocked_why,omitempty"`
	Artifacts            []string     `json:"artifacts,omitempty"` // their paths
	History              []work.Event `json:"history"`
}

// Store reads and changes tasks in one registry.
type Store struct {
	DB *registry.DB
	// ReleaseAfter is how long an agent may be silent before anyone may take its claims; 0 keeps them for ever.
	ReleaseAfter time.Duration
}

// New describes a task to make.
type New struct {
	ID       string // made when empty
	Repo     string // name or id; may be empty where a project or epic is named
	Find     Finder // finds the repository instead of Repo; nil where that is known
	Project  string // id
	Epic     string // id; determines the project too
	Text     string // first line: the name; the whole: the description
	Priority work.Priority
	Agent    string // the agent that makes it; may be empty

	DependsOn    []string // ids of the tasks, tickets and plans it waits for
	Capabilities []string
	Estimate     time.Duration
	Origin       string // id of the item it is made from
	Parent       string // id of the task that contains it, instead of Epic
	Once         bool   // return the task that was made from Origin before, instead of refusing another
	Status       string // for imported tasks, in MakeMany: Completed or Failed; Pending when empty

	CreatedAt time.Time // likewise; now when zero
}

// Create makes tasks, all or none, and returns them as stored.
func (s *Store) Create(ctx context.Context, tasks []New) ([]Task, error) {
	return registry.Write(ctx, s.DB, registry.Named, func(tx *registry.Tx) ([]Task, error) {
		made := make([]Task, 0, len(tasks))
		for i, n := range tasks {
			t, err := create(tx, n)
			if err != nil && len(tasks) > 1 {
				err = fmt.Errorf("task %d of %d: %w", i+1, len(tasks), err)
			}
			if err != nil {
				return nil, err
			}
			made = append(made, t)
		}
		return made, nil
	})
}

func create(tx *registry.Tx, n New) (Task, error) {
	if n.Once {
		made, err := madeFrom(tx, n)
		if err != nil {
			return Task{}, err
		}
		if made != 0 {
			return load(tx, made)
		}
	}
	item, err := Make(tx, n)
	if err != nil {
		return Task{}, err
	}
	return load(tx, item.ID)
}

// madeFrom returns the task that was made from a new one's origin before, 0 for none. A failed task does not count.
func madeFrom(tx *registry.Tx, n New) (id int64, err error) {
	at, err := n.place(tx)
	if err != nil {
		return 0, err
	}
	return registry.OrZero(registry.One[int64](tx.QueryRow(`SELECT id FROM items
		WHERE origin_id = ? AND kind = 'task' AND deleted_at IS NULL AND state <> 'dropped'`, at.origin)))
}

// IsBlocked is the condition that an open bug stands in a task's way, or a person
// holds it back.
const IsBlocked = `(items.holds > 0 AND items.state IN ('open', 'active') AND (EXISTS (SELECT 1 FROM dependencies bd JOIN items bug ON bug.id = bd.source_id
	WHERE bd.target_id = items.id AND bd.relation = 'blocks' AND bug.kind = 'bug' AND bug.state IN ('open', 'active') AND bug.deleted_at IS NULL)
	OR EXISTS (SELECT 1 FROM item_holds held WHERE held.item_id = items.id)))`

// repoName selects the name that this host, its parameter twice, has for the repository of a task: for another host's clone it is the name
// of this host's own clone.
const repoName = `CASE WHEN repos.host = ? THEN repos.name ELSE COALESCE((SELECT here.name FROM repos here
	WHERE here.project_id = repos.project_id AND here.host = ? AND here.removed_at IS NULL ORDER BY here.id LIMIT 1), repos.name) END`

// selection is every column of a Task; the lease shows only while it is held. Its
// parameters are those of repoName.
const selection = `SELECT ` + work.Columns + `, projects.uid, COALESCE(` + repoName + `, ''), COALESCE(holder.name, ''), COALESCE(worktrees.ref, ''),
	COALESCE(leases.epoch, 0), COALESCE(tasks.result, ''), ` + IsBlocked + `
	FROM items JOIN tasks ON tasks.item_id = items.id
	JOIN projects ON projects.id = items.project_id
	LEFT JOIN repos ON repos.id = tasks.repo_id
	LEFT JOIN leases ON leases.item_id = items.id
	LEFT JOIN agents holder ON holder.id = COALESCE(leases.agent_id, items.assignee_agent_id)
	LEFT JOIN worktrees ON worktrees.id = tasks.worktree_id `

func scan(row registry.Scanner) (Task, error) {
	var t Task
	var token int64
	var isBlocked bool
	item, err := work.Scan(row, &t.Project, &t.Repo, &t.Agent, &t.Worktree, &token, &t.Result, &isBlocked)
	if err != nil {
		return Task{}, err
	}
	t.ID, t.Name, t.Description, t.Status, t.Priority = item.Ref, item.Title, item.Description, item.Status, item.Priority
	t.CreatedAt, t.StartedAt, t.CompletedAt = timestamp.Of(item.CreatedAt), set(item.StartedAt), set(item.FinishedAt)
	if item.State == work.StateActive {
		t.ClaimToken = token
	}
	if isBlocked {
		t.Status = Blocked
	}
	return t, nil
}

func set(t time.Time) *timestamp.Time {
	if t.IsZero() {
		return nil
	}
	return &timestamp.Time{Time: t}
}

func load(tx *registry.Tx, itemID int64) (Task, error) {
	return scan(tx.QueryRow(selection+`WHERE items.id = ?`, registry.Host(), registry.Host(), itemID))
}

// find returns a task's item by what a caller typed, and passes its project to the transaction.
func find(tx *registry.Tx, id string) (work.Item, error) {
	item, err := work.Find(tx, work.KindTask, id)
	if fault.Is(err, fault.KindNotFound) {
		return item, unknown(tx, "task", id, "")
	}
	if err == nil {
		err = tx.In(item.ProjectID)
	}
	return item, err
}

// unknown returns the fault for an id that does not exist; it names a task whose id is spelled almost the same, else where they are listed, and
// more.
func unknown(tx *registry.Tx, what, id, more string) error {
	const most = 1000 // the newest
	refs, err := registry.Collect(tx, registry.One[string], `SELECT ref FROM items WHERE kind = ? AND deleted_at IS NULL ORDER BY id DESC LIMIT ?`, work.KindTask, most)
	if err != nil {
		return err
	}
	f := fault.NotFound(what, id)
	ticket, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM items WHERE ref_key = ? AND kind = ? AND deleted_at IS NULL)`, text.Key(id), work.KindTicket))
	if err != nil {
		return err
	}
	if ticket {
		return f.WithHint("that is the key of a ticket: `agit begin` with it, in a repository of its project, begins its task")
	}
	// Ids made in the same seconds begin alike: up to two wrong letters are a slip, more mean another task.
	const slips = 2
	near := text.Nearest(id, refs)
	if near != "" && (text.Distance(text.Key(id), text.Key(near), slips+1) <= slips || strings.HasPrefix(text.Key(near), text.Key(id))) {
		return f.WithHint("did you mean %q?", near)
	}
	return f.WithHint("`agit tasks` lists the open ones%s", more)
}

// Get returns one task with its history.
func (s *Store) Get(ctx context.Context, id string) (d Detail, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		item, err := find(tx, id)
		if err != nil {
			return err
		}
		if d.Task, err = load(tx, item.ID); err != nil {
			return err
		}
		return d.fill(tx, item)
	})
	return d, err
}
