package review

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// pulledBy is the beginning of that name.
const pulledBy = "pull request #"

// PulledBy returns who decided a review when the forge of a pull request did.
func PulledBy(number int64) string { return fmt.Sprintf("%s%d", pulledBy, number) }

// Pulled reports whether a pull request's forge decided a review: the review's words are about checks and by people there.
func Pulled(by string) bool { return strings.HasPrefix(by, pulledBy) }

// FromForge is waiting work that a pull request's forge returns.
type FromForge struct {
	Worktree worktree.Worktree
	Tip      string // the commit that waits
	Number   int64  // of the pull request
	Why      string
	// Failed reports the task as failed, instead of leaving it to its agent.
	Failed bool
	// Fresh notes what is handed over, in the same transaction; false when it was before, and then nothing is changed.
	Fresh func(tx *registry.Tx) (bool, error)
}

// HandBack returns work to its agent on behalf of a forge, as Return does on behalf of a person. Unless this very work waits now, and is not
// being landed, nothing is changed and done is false.
func (s *Store) HandBack(ctx context.Context, b FromForge, staleAfter time.Duration) (v Review, done bool, err error) {
	if b.Why, err = text.Body("why", b.Why); err != nil {
		return v, false, err
	}
	w := b.Worktree
	err = s.DB.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) (err error) {
		done = false
		if v, _, err = Last(tx, w.ID); err != nil || v.State != Waiting || v.Tip != b.Tip {
			return err
		}
		if err := notLanding(tx, v); err != nil {
			if fault.Is(err, fault.KindConflict) {
				return nil
			}
			return err
		}
		if done, err = b.Fresh(tx); err != nil || !done {
			return err
		}
		if b.Failed && v.TaskID != "" {
			if _, err := s.Tasks.ReportIn(tx, task.Report{Caller: task.Caller{Agent: v.Agent}, ID: v.TaskID, Status: task.Failed, Result: b.Why, Why: b.Why}); err != nil {
				return err
			}
		}
		if err := giveBack(tx, v, PulledBy(b.Number), b.Why, staleAfter); err != nil {
			return err
		}
		v, _, err = Last(tx, w.ID)
		return err
	})
	return v, done, err
}

// Accepted ends the review of a worktree whose work a forge merged; commit is the forge's. The agent's words become its task's result.
func (s *Store) Accepted(tx *registry.Tx, w worktree.Worktree, commit string) error {
	v, ok, err := Last(tx, w.ID)
	if err != nil || !ok || v.State != Waiting {
		return err
	}
	if err := s.Tasks.SayResult(tx, v.ItemID, task.MergedResult(v.Branch), v.Summary); err != nil {
		return err
	}
	return tx.Do(`UPDATE reviews SET state = 'accepted', merged_oid = ?, decided_at = ?, decided_by = 'forge' WHERE id = ? AND state = 'waiting'`,
		commit, tx.Stamp(), v.ID)
}
