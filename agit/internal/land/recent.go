package land

import (
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/registry"
)

// Recent returns what landed in a repository since a time, the newest first.
func Recent(tx *registry.Tx, repoID int64, since time.Time) ([]Landing, error) {
	return registry.Collect(tx, scanLanding, landingSelection+`WHERE l.repo_id = ? AND l.state = 'landed' AND l.finished_at >= ? ORDER BY l.id DESC LIMIT 1000`,
		repoID, registry.FormatTime(since))
}

// LastReturned returns the newest landing of each worktree of a repository that has a folder, if it was returned or cancelled.
func LastReturned(tx *registry.Tx, repoID int64) ([]Landing, error) {
	return registry.Collect(tx, scanLanding, landingSelection+`WHERE w.repo_id = ? AND w.`+repo.LiveWorktree+` AND l.state IN ('returned', 'cancelled')
		AND l.id = (SELECT MAX(id) FROM landings WHERE worktree_id = w.id) ORDER BY l.id DESC`, repoID)
}
