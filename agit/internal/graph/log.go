package graph

import (
	"context"
	"errors"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Log returns the newest limit events (0 for all) of a project ("" for all), oldest first.
func (s *Store) Log(ctx context.Context, projectID string, limit int) ([]work.Logged, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]work.Logged, error) {
		return logOf(tx, projectID, work.LogFilter{Limit: limit})
	})
}

func logOf(tx *registry.Tx, projectID string, f work.LogFilter) ([]work.Logged, error) {
	if projectID != "" {
		p, err := project.Get(tx, projectID)
		if err != nil {
			return nil, err
		}
		f.ProjectID = p.ID
	}
	return work.Log(tx, f)
}

// Follow calls each for every new event until ctx ends. It calls ready as soon as no later event can be missed.
func (s *Store) Follow(ctx context.Context, projectID string, after int64, ready func(), each func(work.Logged) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	read := func() {
		err := s.DB.Read(ctx, func(tx *registry.Tx) error {
			fresh, err := logOf(tx, projectID, work.LogFilter{After: after})
			if err != nil {
				return err
			}
			for _, l := range fresh {
				after = l.Seq
				if err := each(l); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			stop(err)
		}
	}
	err := s.DB.Watch(ctx, func() { read(); ready() }, func([]registry.Change) { read() })
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// LastEvent returns the number of the newest event, or 0 if there is none.
func (s *Store) LastEvent(ctx context.Context) (int64, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (int64, error) {
		return registry.One[int64](tx.QueryRow(`SELECT COALESCE(MAX(id), 0) FROM item_history`))
	})
}
