package worktree

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Operation is the kind of work that a process does on a worktree between git and the registry.
type Operation string

// The operations that leave an intent while they run.
const (
	OpSpawn   Operation = "spawn"
	OpRemove  Operation = "remove"
	OpMerge   Operation = "merge"
	OpRestore Operation = "restore"
)

// intent names the process that is between git and the registry with a worktree.
type intent struct {
	op      Operation
	host    string
	pid     int64
	boot    string // this boot of the machine and the start of the process, where the system provides them
	at      time.Time
	journal string // JSON; each operation has its own form
}

// Operation returns the operation that is under way with the worktree, or was when its process ended; "" for none.
func (w Worktree) Operation() Operation { return w.intent.op }

// Begun is when the operation under way began.
func (w Worktree) Begun() time.Time { return w.intent.at }

// ReadJournal decodes the notes that the operation under way made for its recovery into the given pointer; without a journal it leaves it
// as it is.
func (w Worktree) ReadJournal(into any) error {
	if w.intent.journal == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(w.intent.journal), into); err != nil {
		return fault.Database(err, "the journal of worktree %q cannot be read", w.Ref)
	}
	return nil
}

// begun holds the refs of the worktrees that this process is working on. An intent left over by a failed call of a long-lived server is not
// among them. All Stores share it, as they share the process number in the row.
var begun sync.Map

// Begin notes that this process works on a worktree, before anything is written about it. It returns a Conflict fault when this process
// works on it already.
func Begin(w Worktree) (end func(), err error) {
	if _, loaded := begun.LoadOrStore(w.Ref, true); loaded {
		return nil, busy(w)
	}
	return func() { begun.Delete(w.Ref) }, nil
}

// SetIntent writes the intent of an operation for w, and sets the status of w. It returns a Conflict fault when w has an intent already.
// The journal becomes JSON; it holds what recovery needs beyond the row.
func SetIntent(tx *registry.Tx, w Worktree, op Operation, status Status, journal any) error {
	args, err := intended(tx, op, status, journal)
	if err != nil {
		return err
	}
	return tx.Must(busy(w), setIntent+`id = ?`, append(args, w.ID)...)
}

// FirstIntent is SetIntent for a row that this transaction made: no other operation can be under way with it.
func FirstIntent(tx *registry.Tx, w Worktree, op Operation, status Status, journal any) error {
	args, err := intended(tx, op, status, journal)
	if err != nil {
		return err
	}
	return tx.Do(setIntent+`id = ?`, append(args, w.ID)...)
}

// setIntent is followed by the condition that selects the row.
const setIntent = `UPDATE worktrees SET intent = ?, intent_host = ?, intent_pid = ?, intent_boot = ?, intent_at = ?, intent_journal = ?,
	status = ?, updated_at = ? WHERE intent = '' AND `

// intended are the arguments of setIntent.
func intended(tx *registry.Tx, op Operation, status Status, journal any) ([]any, error) {
	content, err := json.Marshal(journal)
	at := tx.Time()
	return []any{op, registry.Host(), os.Getpid(), process.Mark(), at, string(content), status, at}, err
}

// Idle refuses a worktree when an operation is under way with it, or was when its process was killed.
func Idle(w Worktree) error {
	if w.intent.op == "" {
		return nil
	}
	return busy(w)
}

// busy is the Conflict fault for a worktree that an operation is under way with.
func busy(w Worktree) error {
	return fault.Conflict("worktree", w.Ref, "another agit is at work on worktree %q", w.Ref).
		WithHint("try again when it is done").Retry()
}

// WriteJournal replaces the journal of an intent that belongs to this process.
func WriteJournal(tx *registry.Tx, w Worktree, journal any) error {
	content, err := json.Marshal(journal)
	if err != nil {
		return err
	}
	return tx.Do(`UPDATE worktrees SET intent_journal = ? WHERE id = ?`, string(content), w.ID)
}

// EndIntent completes the row of an operation.
func EndIntent(tx *registry.Tx, w Worktree, status Status) error {
	var finished any // or NULL
	if !status.Live() {
		finished = tx.Time()
	}
	err := tx.Do(`UPDATE worktrees SET intent = '', intent_host = '', intent_pid = 0, intent_boot = '', intent_at = NULL, intent_journal = '',
		status = ?, finished_at = ?, updated_at = ? WHERE id = ?`, status, finished, tx.Time(), w.ID)
	tx.Changed(registry.TopicWorktrees, w.ProjectID, w.Ref)
	return err
}

// SettleThen is Settle, and a read of the state after it.
func (s *Store) SettleThen(ctx context.Context, w Worktree, status Status, read func(*registry.Tx) error) error {
	return s.DB.WriteThenRead(context.WithoutCancel(ctx), registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		return EndIntent(tx, w, status)
	}, read)
}

// Settle is EndIntent in a transaction of its own, also when ctx has ended: a
// cancelled operation must still put its row in order.
func (s *Store) Settle(ctx context.Context, w Worktree, status Status) error {
	return s.DB.Write(context.WithoutCancel(ctx), registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		return EndIntent(tx, w, status)
	})
}

// abandoned reports whether the process of the operation under way is gone.
func (w Worktree) abandoned() bool {
	if w.intent.op == "" || w.intent.host != registry.Host() {
		return false
	}
	if w.intent.pid == int64(os.Getpid()) && w.intent.boot == process.Mark() {
		_, ours := begun.Load(w.Ref)
		return !ours
	}
	return !process.Alive(w.intent.pid, w.intent.boot, w.intent.at) && time.Since(w.intent.at) >= process.ChildGrace
}
