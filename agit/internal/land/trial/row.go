package trial

import (
	"context"
	"encoding/json"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// keep stores a trial in place of the one before it.
func (s *Store) keep(ctx context.Context, r repo.Repo, t Trial) error {
	detail, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return s.Landings.Trees.DB.Write(context.WithoutCancel(ctx), registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		err := tx.Do(`INSERT INTO trials (project_id, repo_id, detail, finished_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (repo_id) DO UPDATE SET detail = excluded.detail, finished_at = excluded.finished_at`,
			r.ProjectID, r.ID, string(detail), registry.FormatTime(t.At.Time))
		tx.Changed(registry.TopicConflicts, r.ProjectID, r.Name)
		return err
	})
}

// last is Last in a transaction of its own.
func (s *Store) last(ctx context.Context, r repo.Repo) (*Trial, error) {
	return registry.Read(ctx, s.Landings.Trees.DB, func(tx *registry.Tx) (*Trial, error) { return Last(tx, r.ID) })
}

// Last returns the last trial of a repository, nil for none.
func Last(tx *registry.Tx, repoID int64) (*Trial, error) {
	detail, err := registry.One[string](tx.QueryRow(`SELECT detail FROM trials WHERE repo_id = ?`, repoID))
	if registry.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var t Trial
	if err := json.Unmarshal([]byte(detail), &t); err != nil {
		return nil, fault.Database(err, "the last trial of a repository cannot be read").WithHint("`agit trial` makes a new one")
	}
	return &t, nil
}
