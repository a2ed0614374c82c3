package sync

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/open"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/registry"
)

// Heed applies the configured meanings of statuses (provider.category_of) to the project's stored statuses and the tickets in them, so that
// they count before the next pull. It writes nothing when all meanings agree. A meaning that cannot be parsed is left to the sync, which
// refuses it.
func (s *Service) Heed(ctx context.Context, c caller.Caller, cfg *config.Config) error {
	if cfg.Provider.Name == open.Local || len(cfg.Provider.CategoryOf) == 0 {
		return nil
	}
	m, err := open.Mapping(cfg.Provider)
	if err != nil {
		return nil
	}
	var project int64
	var apart []status
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		if who.Project.ID == 0 {
			return nil
		}
		project = who.Project.ID
		apart, err = meantOtherwise(tx, project, cfg.Provider.Name, m)
		return err
	})
	if err != nil || len(apart) == 0 {
		return err
	}
	return s.DB.Write(ctx, registry.Scope{Project: project}, func(tx *registry.Tx) error {
		apart, err := meantOtherwise(tx, project, cfg.Provider.Name, m)
		if err != nil {
			return err
		}
		for _, one := range apart {
			if err := ticket.Mean(tx, project, cfg.Provider.Name, one.id, one.name, one.category, one.wanted); err != nil {
				return err
			}
			if err := tx.Do(`UPDATE tracker_statuses SET category = ? WHERE project_id = ? AND remote_id = ?`, one.wanted, project, one.id); err != nil {
				return err
			}
		}
		return nil
	})
}

// status is a tracker's status whose configured meaning differs from the stored one.
type status struct{ id, name, category, wanted string }

// meantOtherwise returns the statuses whose configured meaning differs from the stored one.
func meantOtherwise(tx *registry.Tx, project int64, tracker string, m provider.Mapping) (apart []status, err error) {
	all, err := registry.Collect(tx, func(row registry.Scanner) (s status, err error) {
		return s, row.Scan(&s.id, &s.name, &s.category)
	}, `SELECT s.remote_id, s.name, s.category FROM tracker_statuses s JOIN trackers t ON t.project_id = s.project_id
		WHERE s.project_id = ? AND t.provider = ?`, project, tracker)
	for _, s := range all {
		if wanted, ok := m.CategoryOf(provider.Status{ID: s.id, Name: s.name}); ok && string(wanted) != s.category {
			s.wanted = string(wanted)
			apart = append(apart, s)
		}
	}
	return apart, err
}
