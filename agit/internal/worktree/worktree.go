// Package worktree keeps the rows of the worktrees that agents work in, and the parts that the operations on them share. Only it writes
// `worktrees`. The operations are packages on top of it: spawn makes a worktree, remove moves one to the trash and restores it, land
// merges one into the default branch, doctor/worktreecheck compares registry, git and disk. Below it, checkout handles git and the disk,
// and userhook runs the users' commands.
//
// Git and the registry share no transaction. A change of both first writes an intent into the worktree's row (the process and its plan),
// lets git work outside any transaction, and then completes the row. Each step can be repeated. The next operation finishes or undoes
// the intents of ended processes, through the Mender that their package registered.
//
// worktree.go has the row, its statuses and List; rows.go and assign.go write rows; find.go resolves names; open.go opens a worktree for
// an operation; intent.go and recover.go handle intents; moved.go follows moved folders; others.go finds worktrees that others made;
// folder.go and port.go choose the place and the environment of a new one; sync.go makes files durable; store.go holds the configuration.
package worktree

import (
	"fmt"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Status is where a worktree is in its life.
type Status string

// The statuses. Completed and Trashed ones have no folder; they stay while they
// can be restored.
const (
	Creating  Status = "creating"
	Active    Status = "active"
	Stale     Status = "stale"    // no change and no live agent for long
	Conflict  Status = "conflict" // its last merge was refused
	Removing  Status = "removing"
	Completed Status = "completed" // merged
	Trashed   Status = "trashed"   // removed without a merge
)

// Live reports whether a worktree of this status has a folder.
func (s Status) Live() bool { return s != Completed && s != Trashed }

// Worktree is one row of worktrees, or a working tree that has no row because others made it and no task was begun in it.
type Worktree struct {
	ID         int64           `json:"-"`
	UID        string          `json:"-"`
	Ref        string          `json:"worktree_id"`
	RepoID     int64           `json:"-"`
	ProjectID  int64           `json:"-"`
	Repo       string          `json:"repo"`
	Path       string          `json:"path"`
	Branch     string          `json:"branch"`
	Base       string          `json:"base"` // the commit it started from
	Status     Status          `json:"status"`
	AgentID    int64           `json:"-"`
	Agent      string          `json:"agent,omitempty"`
	ItemID     int64           `json:"-"`
	TaskID     string          `json:"task_id,omitempty"`
	Task       string          `json:"task,omitempty"` // its task's name, or what spawn was told
	Port       int             `json:"port,omitempty"`
	CreatedAt  timestamp.Time  `json:"created_at,omitzero"`
	UpdatedAt  timestamp.Time  `json:"updated_at,omitzero"`
	FinishedAt *timestamp.Time `json:"finished_at,omitempty"`
	// Maker is who made the folder where agit did not: the folder is left to it.
	Maker seen.Maker `json:"maker,omitempty"`
	// Listed is git's name of a working tree that has no row, and Head its commit.
	Listed string `json:"-"`
	Head   string `json:"-"`
	// Marks are what git's entry of it holds besides its branch, where others made it.
	Marks seen.Marks `json:"marks,omitzero"`
	// Reused is set when a spawn returns the worktree that the agent has for the task already. Made is the id of the task that a spawn
	// made, and Note a sentence for the user.
	Reused bool   `json:"-"`
	Made   string `json:"made_task,omitempty"`
	Note   string `json:"note,omitempty"`

	intent   intent
	fresh    bool   // Open gave it its row
	detached string // the commit that was checked out on no branch before Branched
	moved    bool   // Path is where git's list has the folder, and the row has another place
}

const columns = `w.id, w.uid, w.ref, w.repo_id, r.project_id, r.name, w.path, w.branch, w.base_oid, w.status, COALESCE(w.agent_id, 0), COALESCE(a.name, ''),
	COALESCE(w.item_id, 0), COALESCE(i.ref, ''), COALESCE(i.title, w.task_text), COALESCE(w.port, 0), w.created_at, w.updated_at, w.finished_at,
	w.made_by, w.intent, w.intent_host, w.intent_pid, w.intent_boot, w.intent_at, w.intent_journal`

const selection = `SELECT ` + columns + ` FROM worktrees w JOIN repos r ON r.id = w.repo_id
	LEFT JOIN agents a ON a.id = w.agent_id LEFT JOIN items i ON i.id = w.item_id `

func scan(row registry.Scanner) (w Worktree, err error) {
	var intentAt registry.Null[timestamp.Time]
	err = row.Scan(&w.ID, &w.UID, &w.Ref, &w.RepoID, &w.ProjectID, &w.Repo, &w.Path, &w.Branch, &w.Base, &w.Status,
		&w.AgentID, &w.Agent, &w.ItemID, &w.TaskID, &w.Task, &w.Port, &w.CreatedAt, &w.UpdatedAt, &w.FinishedAt,
		&w.Maker, &w.intent.op, &w.intent.host, &w.intent.pid, &w.intent.boot, &intentAt, &w.intent.journal)
	w.intent.at = intentAt.V.Time
	return w, err
}

// Row reports whether agit has a row of the worktree. A worktree without one was made by others, and no task was begun in it.
func (w Worktree) Row() bool { return w.Listed == "" }

// NeedsRow reports whether a worktree must be opened with Open: it has a row, or its state does not allow looking at it without one.
func (w Worktree) NeedsRow() bool {
	return w.Row() || w.Marks.Main || w.Marks.Prunable || w.Marks.MovedFrom != ""
}

// Foreign reports whether others made the folder, and remove it.
func (w Worktree) Foreign() bool { return w.Maker != "" || w.Marks.Main }

// Left is why the folder stays when its work is done: others made it. It is "" for a folder that agit made.
func (w Worktree) Left() string {
	switch {
	case !w.Foreign():
		return ""
	case w.Maker == seen.Git || w.Maker == "":
		return fmt.Sprintf("its folder %s was made with git, and not by agit", w.Path)
	}
	return fmt.Sprintf("%s made its folder %s, and removes it", w.Maker, w.Path)
}

// BranchRef is the full name of its branch, "" where HEAD is detached.
func (w Worktree) BranchRef() string {
	if w.Branch == "" {
		return ""
	}
	return "refs/heads/" + w.Branch
}

// Tree opens the working tree, as checkout.Open does for a linked one.
func (w Worktree) Tree(g *git.Repo) (*git.Repo, error) {
	if w.Marks.Main {
		return g.Main()
	}
	return checkout.Open(g, w.Path)
}

// By returns the agent that works in the worktree, else its maker in parentheses; "" where agit made it and no agent has it.
func (w Worktree) By() string {
	if label := seen.Label(w.Maker, w.Marks.Main); w.Agent == "" && label != "" {
		return "(" + label + ")"
	}
	return w.Agent
}

// ByID returns one worktree.
func ByID(tx *registry.Tx, id int64) (Worktree, error) {
	return scan(tx.QueryRow(selection+`WHERE w.id = ?`, id))
}

// Filter selects the worktrees to list.
type Filter struct {
	RepoID   int64 // 0 for every repository
	Finished bool  // also those without a folder that can be restored
}

// List returns worktrees, oldest first.
func List(tx *registry.Tx, f Filter) ([]Worktree, error) {
	where := []string{`r.removed_at IS NULL`}
	var args []any
	if f.RepoID != 0 {
		where, args = append(where, `w.repo_id = ?`), append(args, f.RepoID)
	}
	if f.Finished {
		where = append(where, `(w.`+repo.LiveWorktree+` OR EXISTS
			(SELECT 1 FROM trash WHERE trash.worktree_id = w.id AND trash.status = 'kept'))`)
	} else {
		where = append(where, `w.`+repo.LiveWorktree)
	}
	return registry.Collect(tx, scan, selection+`WHERE `+strings.Join(where, " AND ")+` ORDER BY w.id`, args...)
}

// Conflictf is a Conflict fault about a worktree.
func Conflictf(w Worktree, format string, args ...any) *fault.Fault {
	return fault.Conflict("worktree", w.Ref, "%s", fmt.Sprintf(format, args...))
}
