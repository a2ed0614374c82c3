package graph

import (
	"context"
	"errors"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// Log returns the newest limit events (0 for all) of a project ("" for all), oldest first.
func (s *Store) Log(ctx context.Context, projectID string, limit int) (all []work.Logged, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		f := work.LogFilter{Limit: limit}
		if projectID != "" {
			p, err := project.Get(tx, projectID)
			if err != nil {
				return err
			}
			f.ProjectID = p.ID
		}
		all, err = work.Log(tx, f)
		return err
	})
	return all, err
}

// Follow calls each for every new event until ctx ends. It calls ready as soon as no later event can be missed.
func (s *Store) Follow(ctx context.Context, projectID string, after int64, ready func(), each func(work.Logged) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	f := work.LogFilter{After: after}
	read := func() {
		err := s.DB.Read(ctx, func(tx *registry.Tx) error {
			if projectID != "" {
				p, err := project.Get(tx, projectID)
				if err != nil {
					return err
				}
				f.ProjectID = p.ID
			}
			fresh, err := work.Log(tx, f)
			if err != nil {
				return err
			}
			for _, l := range fresh {
				f.After = l.Seq
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
func (s *Store) LastEvent(ctx context.Context) (seq int64, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		return tx.QueryRow(`SELECT COALESCE(MAX(id), 0) FROM item_history`).Scan(&seq)
	})
	return seq, err
}
