package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Insert writes the row of a new worktree of a repository, on its host, and returns it as stored. It takes from w the fields Ref,
// AgentID, ItemID, Task, Path, Branch, Base, Port, Status and Maker. A Conflict fault says that another live worktree has the path.
func Insert(tx *registry.Tx, r repo.Repo, w Worktree) (Worktree, error) {
	uid := registry.NewUID()
	err := tx.Do(`INSERT INTO worktrees (uid, ref, repo_id, host, agent_id, item_id, task_text, path, branch, base_oid, port, status, made_by, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		uid, w.Ref, r.ID, r.Host, registry.NullIfZero(w.AgentID), registry.NullIfZero(w.ItemID), w.Task,
		w.Path, w.Branch, w.Base, registry.NullIfZero(w.Port), w.Status, w.Maker, tx.Time(), tx.Time())
	if err != nil {
		return w, err
	}
	made, err := ByUID(tx, uid)
	if registry.NoRows(err) {
		return w, fault.Conflict("folder", w.Path, "another worktree is registered at %q", w.Path)
	}
	return made, err
}

// InsertOnly writes the row of a worktree with its first intent where a condition holds, no other worktree of the agent's is on its item, and
// its folder and port are free; otherwise refusal is the error of the transaction. It returns the row's uid, for ByUID.
func InsertOnly(tx *registry.Tx, r repo.Repo, w Worktree, op Operation, journal any, where string, args []any, refusal error) (uid string, err error) {
	uid = registry.NewUID()
	err = tx.Must(refusal, `INSERT INTO worktrees (uid, ref, repo_id, host, agent_id, item_id, task_text, path, branch, base_oid, port, status, made_by, created_at, updated_at)
		SELECT ?, ?, r.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM repos r WHERE r.id = ? AND `+where+`
		AND NOT EXISTS (SELECT 1 FROM worktrees w WHERE w.repo_id = ? AND w.item_id = ? AND COALESCE(w.agent_id, 0) = ? AND w.`+repo.LiveWorktree+`)
		AND NOT EXISTS (SELECT 1 FROM worktrees w WHERE w.host = ? AND w.port = ? AND w.`+repo.LiveWorktree+`) ON CONFLICT DO NOTHING`,
		slices.Concat([]any{uid, w.Ref, r.Host, registry.NullIfZero(w.AgentID), registry.NullIfZero(w.ItemID), w.Task, w.Path, w.Branch, w.Base,
			registry.NullIfZero(w.Port), w.Status, w.Maker, tx.Time(), tx.Time(), r.ID}, args, []any{r.ID, w.ItemID, w.AgentID, r.Host, w.Port})...)
	if err != nil {
		return uid, err
	}
	intent, err := intended(tx, op, w.Status, journal)
	if err != nil {
		return uid, err
	}
	return uid, tx.Do(setIntent+`uid = ?`, append(intent, uid)...)
}

// ByUID returns the worktree of a row's uid.
func ByUID(tx *registry.Tx, uid string) (Worktree, error) {
	return scan(tx.QueryRow(selection+`WHERE w.uid = ?`, uid))
}

// LeaveRepo ends the live worktrees of a repository that is removed from the registry: their folders are gone with it.
func LeaveRepo(tx *registry.Tx, r repo.Repo) error {
	return tx.Do(`UPDATE worktrees SET status = 'completed', intent = '', finished_at = ?, updated_at = ? WHERE repo_id = ? AND `+repo.LiveWorktree,
		tx.Stamp(), tx.Stamp(), r.ID)
}

// Withdraw takes back the row of a worktree that is still being made.
func Withdraw(tx *registry.Tx, id int64) error {
	return tx.Do(`DELETE FROM worktrees WHERE id = ? AND status = 'creating'`, id)
}

// Unregister takes back the row of a worktree that others made, if nothing was done with it yet; any other row stays.
func Unregister(tx *registry.Tx, id int64) error {
	return tx.Do(`DELETE FROM worktrees WHERE id = ? AND made_by <> '' AND item_id IS NULL AND status = 'active' AND intent = ''
		AND NOT EXISTS (SELECT 1 FROM landings WHERE worktree_id = worktrees.id) AND NOT EXISTS (SELECT 1 FROM reviews WHERE worktree_id = worktrees.id)`, id)
}

// LastAt returns the newest row of a folder on this host, whatever its status; the zero one when there is none.
func LastAt(tx *registry.Tx, repoID int64, path string) (Worktree, error) {
	return registry.OrZero(scan(tx.QueryRow(selection+`WHERE w.repo_id = ? AND w.host = ? AND w.path = ? ORDER BY w.id DESC LIMIT 1`,
		repoID, registry.Host(), path)))
}

// Start dates a worktree that is ready: any later action of its agent is a sign that it works there.
func Start(tx *registry.Tx, id int64) error {
	return tx.Do(`UPDATE worktrees SET created_at = ? WHERE id = ?`, tx.Time(), id)
}

// SetPath notes where the folder of a worktree is now, or will be when it is restored.
func SetPath(tx *registry.Tx, id int64, path string) error {
	return tx.Do(`UPDATE worktrees SET path = ?, updated_at = ? WHERE id = ?`, path, tx.Time(), id)
}

// SetTask assigns a worktree to an agent and an item.
func SetTask(tx *registry.Tx, id, agentID, itemID int64) error {
	return tx.Do(`UPDATE worktrees SET agent_id = ?, item_id = ?, updated_at = ? WHERE id = ?`, agentID, itemID, tx.Time(), id)
}

// SetBase notes the commit that the worktree's own commits start from now.
func SetBase(tx *registry.Tx, id int64, commit string) error {
	return tx.Do(`UPDATE worktrees SET base_oid = ?, updated_at = ? WHERE id = ?`, commit, tx.Time(), id)
}

// SetStatus changes the status of a worktree, unless an operation is under way with it or its row no longer is as w has it.
func SetStatus(tx *registry.Tx, w Worktree, status Status) error {
	err := tx.Do(`UPDATE worktrees SET status = ? WHERE id = ? AND status = ? AND intent = ''`, status, w.ID, w.Status)
	tx.Changed(registry.TopicWorktrees, w.ProjectID, w.Ref)
	return err
}

// UnderWay reports whether an operation is under way with the worktree of a ref.
func UnderWay(tx *registry.Tx, ref string) (bool, error) {
	n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM worktrees WHERE ref = ? AND intent <> ''`, ref))
	return n > 0, err
}

// Adopt registers a folder that exists as a worktree of a repository, with the fields Path, Branch, Base, Status and Maker of w, and
// its Ref unless that is empty. more, which may be nil, runs in the same transaction.
func (s *Store) Adopt(ctx context.Context, r repo.Repo, set Settings, w Worktree, more func(*registry.Tx, Worktree) error) error {
	if _, err := os.Lstat(w.Path); err != nil {
		return fault.Operation(err, "look at %q", w.Path)
	}
	if w.Ref == "" {
		w.Ref = registry.NewID("w-")
	}
	w.Path = filepath.Clean(w.Path)
	return s.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) (err error) {
		if w.Port, err = PickPort(tx, w.Ref, set); err != nil {
			return err
		}
		made, err := Insert(tx, r, w)
		if err != nil {
			return err
		}
		tx.Changed(registry.TopicWorktrees, r.ProjectID, w.Ref)
		if more == nil {
			return nil
		}
		return more(tx, made)
	})
}
