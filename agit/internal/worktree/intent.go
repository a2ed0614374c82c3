package worktree

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// The operations that leave an intent while they run.
const (
	intentSpawn   = "spawn"
	intentRemove  = "remove"
	intentMerge   = "merge"
	intentRestore = "restore"
)

// intent says which process is between git and the registry with a worktree.
type intent struct {
	kind    string
	host    string
	pid     int64
	boot    string // this boot of the machine and the start of the process, where the system tells
	at      time.Time
	journal string
}

// journal is what recovery must know of an operation beyond the row.
type journal struct {
	Before  Status    `json:"before,omitempty"`  // status to go back to
	After   Status    `json:"after,omitempty"`   // status when done
	TrashID int64     `json:"trash,omitempty"`   // row of trash
	Entry   string    `json:"entry,omitempty"`   // name under .git/worktrees
	Target  string    `json:"target,omitempty"`  // full ref that a merge moves
	Old     string    `json:"old,omitempty"`     // its commit before
	New     string    `json:"new,omitempty"`     // and after
	Trees   []filesOf `json:"trees,omitempty"`   // where it is checked out
	Scratch string    `json:"scratch,omitempty"` // temporary worktree
	Agent   string    `json:"agent,omitempty"`   // that a spawn registers when it is done
	Keep    bool      `json:"keep,omitempty"`    // leave the task as it is
}

func (w Worktree) readJournal() (j journal, err error) {
	if w.intent.journal == "" {
		return j, nil
	}
	if err := json.Unmarshal([]byte(w.intent.journal), &j); err != nil {
		return j, fault.Database(err, "the journal of worktree %q cannot be read", w.Ref)
	}
	return j, nil
}

// begun are the worktrees, by ref, that this process is working on: an intent
// left over by a failed call of a long-lived server is not among them. Shared by
// all Stores, as the process number in the row is.
var begun sync.Map

// begin notes that this process works on a worktree, before anything is written
// of it; a Conflict fault says that it does already.
func begin(w Worktree) (end func(), err error) {
	if _, loaded := begun.LoadOrStore(w.Ref, true); loaded {
		return nil, busy(w)
	}
	return func() { begun.Delete(w.Ref) }, nil
}

// setIntent writes an intent for w, unless another is there.
func setIntent(tx *registry.Tx, w Worktree, kind string, status Status, j journal) error {
	content, err := json.Marshal(j)
	if err != nil {
		return err
	}
	n, err := tx.Exec(`UPDATE worktrees SET intent = ?, intent_host = ?, intent_pid = ?, intent_boot = ?, intent_at = ?, intent_journal = ?,
		status = ?, updated_at = ? WHERE id = ? AND intent = ''`,
		kind, registry.Host(), os.Getpid(), processMark(), tx.Stamp(), string(content), status, tx.Stamp(), w.ID)
	if err == nil && n == 0 {
		err = busy(w)
	}
	return err
}

func busy(w Worktree) error {
	return fault.Conflict("worktree", w.Ref, "another agit is at work on worktree %q", w.Ref).
		WithHint("try again when it is done").Retry()
}

// updateJournal replaces the journal of an intent that is this process's.
func (s *Store) updateJournal(ctx context.Context, w Worktree, j journal) error {
	content, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE worktrees SET intent_journal = ? WHERE id = ?`, string(content), w.ID)
		return err
	})
}

// endIntent completes the row of an operation.
func endIntent(tx *registry.Tx, w Worktree, status Status) error {
	var finished registry.Null[string]
	if !status.Live() {
		finished = registry.NullIfZero(tx.Stamp())
	}
	_, err := tx.Exec(`UPDATE worktrees SET intent = '', intent_host = '', intent_pid = 0, intent_boot = '', intent_at = NULL, intent_journal = '',
		status = ?, finished_at = ?, updated_at = ? WHERE id = ?`, status, finished, tx.Stamp(), w.ID)
	tx.Changed(registry.TopicWorktrees, w.ProjectID, w.Ref)
	return err
}

// settle is endIntent in a transaction of its own, also when ctx has ended: a
// cancelled operation must still put its row in order.
func (s *Store) settle(ctx context.Context, w Worktree, status Status) error {
	return s.db.Write(context.WithoutCancel(ctx), registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		return endIntent(tx, w, status)
	})
}

const (
	// unmarked is the mark of a process where the system tells nothing that
	// sets apart those of one number.
	unmarked = "-"
	// forgotten is the age at which an unmarked intent's process number is
	// taken to be another's by now.
	forgotten = 24 * time.Hour
)

// abandoned reports whether nobody is working on the intent any more.
func (w Worktree) abandoned() bool {
	if w.intent.kind == "" || w.intent.host != registry.Host() {
		return false
	}
	if w.intent.pid == int64(os.Getpid()) && w.intent.boot == processMark() {
		_, ours := begun.Load(w.Ref)
		return !ours
	}
	if w.intent.boot == unmarked && time.Since(w.intent.at) > forgotten {
		return true
	}
	return !processAlive(w.intent.pid, w.intent.boot) && time.Since(w.intent.at) >= childGrace
}
